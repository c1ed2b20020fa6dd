; The alignment that a load promises for the pointer it loads must hold.
;open bounds
;hlo HloModule m
;hlo ENTRY e {
;hlo   x = f32[32]{0} parameter(0)
;hlo   ROOT r = f32[32]{0} negate(x)
;hlo }
;launch {"grid": [1], "threads": [32], "params": [{"shape": "f32[32]", "role": "input"}, {"shape": "f32[32]", "role": "output"}]}
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr addrspace(1) %a0, ptr addrspace(1) %r) {
entry:
  %kept = alloca ptr addrspace(1), align 8
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p0 = getelementptr float, ptr addrspace(1) %a0, i32 %t
  store ptr addrspace(1) %p0, ptr %kept, align 8
  %p = load ptr addrspace(1), ptr %kept, align 8, !align !1  ; wrong
;  %p = load ptr addrspace(1), ptr %kept, align 8, !align !0  ; right
  %x = load float, ptr addrspace(1) %p, align 4
  %n = fneg float %x
  %pr = getelementptr float, ptr addrspace(1) %r, i32 %t
  store float %n, ptr addrspace(1) %pr, align 4
  ret void
}
!0 = !{i64 4}
!1 = !{i64 8}
