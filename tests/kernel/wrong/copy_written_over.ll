; A thread stores to where its own copy goes, which has not ended.
;refuted races, values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[256] parameter(0)
;hlo   ROOT s = f32[64] slice(a), slice={[0:256:4]}
;hlo }
;launch {"grid": [1], "threads": [64], "params": [
;launch   {"shape": "f32[256]", "role": "input"},
;launch   {"shape": "f32[64]", "role": "output"}]}

@tile = internal addrspace(3) global [256 x float] undef, align 16

define ptx_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = shl i32 %t, 2
  %from = getelementptr float, ptr addrspace(1) %a, i32 %first
  %to = getelementptr float, ptr addrspace(3) @tile, i32 %first
; store float 0.0, ptr addrspace(3) %to                    ; right
  call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, 0x10;", "r,l"(ptr addrspace(3) %to, ptr addrspace(1) %from)
  store float 0.0, ptr addrspace(3) %to                    ; wrong
  call void @llvm.nvvm.cp.async.wait.all()
  %x = load float, ptr addrspace(3) %to
  %pr = getelementptr float, ptr addrspace(1) %r, i32 %t
  store float %x, ptr addrspace(1) %pr
  ret void
}
