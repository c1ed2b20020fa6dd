; Pointers that a thread keeps in its memory are those that it stored last.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   x = f32[32]{0} parameter(0)
;hlo   y = f32[32]{0} parameter(1)
;hlo   ROOT r = f32[32]{0} subtract(x, y)
;hlo }
;launch {"grid": [1], "threads": [32], "params": [{"shape": "f32[32]", "role": "input"}, {"shape": "f32[32]", "role": "input"}, {"shape": "f32[32]", "role": "output"}]}
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define internal float @difference(ptr %operands) {
  %p0 = load ptr addrspace(1), ptr %operands, align 8, !align !0
  %second = getelementptr inbounds ptr addrspace(1), ptr %operands, i64 1
  %p1 = load ptr addrspace(1), ptr %second, align 8, !dereferenceable !0
  %x = load float, ptr addrspace(1) %p0, align 4
  %y = load float, ptr addrspace(1) %p1, align 4
  %d = fsub float %x, %y
  ret float %d
}
define ptx_kernel void @k(ptr addrspace(1) %a0, ptr addrspace(1) %a1, ptr addrspace(1) %r) {
entry:
  %operands = alloca [2 x ptr addrspace(1)], align 8
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p0 = getelementptr inbounds float, ptr addrspace(1) %a0, i32 %t
  %p1 = getelementptr inbounds float, ptr addrspace(1) %a1, i32 %t
  %second = getelementptr inbounds ptr addrspace(1), ptr %operands, i64 1
  store ptr addrspace(1) %p1, ptr %second, align 8
  store ptr addrspace(1) %p0, ptr %operands, align 8
  store ptr addrspace(1) %p0, ptr %second, align 8  ; wrong
;  store ptr addrspace(1) %p1, ptr %second, align 8  ; right
  %d = call float @difference(ptr %operands)
  %pr = getelementptr inbounds float, ptr addrspace(1) %r, i32 %t
  store float %d, ptr addrspace(1) %pr, align 4
  ret void
}
!0 = !{i64 4}
