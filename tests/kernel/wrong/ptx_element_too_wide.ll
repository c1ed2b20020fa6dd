; A load of 32 bits where the element has 16: the next element is in the upper half.
;refuted bounds, values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = u16[64] parameter(0)
;hlo   ROOT r = u32[64] convert(a)
;hlo }
;launch {"grid": [1], "threads": [64], "params": [
;launch   {"shape": "u16[64]", "role": "input"},
;launch   {"shape": "u32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %even = and i32 %t, -2
  %pa = getelementptr i16, ptr addrspace(1) %a, i32 %t
  %pr = getelementptr i32, ptr addrspace(1) %r, i32 %t
  %x = call i32 asm sideeffect "ld.global.b32 { $0 }, [ $1 + 0 ];", "=r,l"(ptr addrspace(1) %pa) ; wrong
; %x = call i32 asm sideeffect "ld.global.b16 { $0 }, [ $1 + 0 ];", "=r,l"(ptr addrspace(1) %pa) ; right
  call void asm sideeffect "st.global.b32 [ $1 + 0 ], { $0 };", "r,l"(i32 %x, ptr addrspace(1) %pr)
  ret void
}
