; The kernel writes elements that it reads through the read-only cache.
;refuted races
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[64] parameter(0)
;hlo   ROOT r = f32[64] negate(a)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "f32[64]", "role": "input", "memory": 0},
;launch   {"shape": "f32[64]", "role": "output", "memory": 0}]}

define ptx_kernel void @k(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %i = add i32 %first, %t
  %pa = getelementptr float, ptr addrspace(1) %a, i32 %i
  %pr = getelementptr float, ptr addrspace(1) %r, i32 %i
  %x = call float asm sideeffect "ld.global.nc.b32 { $0 }, [ $1 + 0 ];", "=f,l"(ptr addrspace(1) %pa) ; wrong
; %x = call float asm sideeffect "ld.global.b32 { $0 }, [ $1 + 0 ];", "=f,l"(ptr addrspace(1) %pa) ; right
  %y = fneg float %x
  %z = bitcast float %y to i32
  call void asm sideeffect "st.global.b32 [ $1 + 0 ], { $0 };", "r,l"(i32 %z, ptr addrspace(1) %pr)
  ret void
}
