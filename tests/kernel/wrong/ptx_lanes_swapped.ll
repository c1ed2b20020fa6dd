; A load of a vector into registers in another order than these are stored in.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[64] parameter(0)
;hlo   ROOT r = f32[64] copy(a)
;hlo }
;launch {"grid": [1], "threads": [32], "params": [
;launch   {"shape": "f32[64]", "role": "input"},
;launch   {"shape": "f32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = mul i32 %t, 2
  %pa = getelementptr float, ptr addrspace(1) %a, i32 %at
  %pr = getelementptr float, ptr addrspace(1) %r, i32 %at
  %v = call { i32, i32 } asm sideeffect "ld.global.v2.b32 { $1, $0 }, [ $2 + 0 ];", "=r,=r,l"(ptr addrspace(1) %pa) ; wrong
; %v = call { i32, i32 } asm sideeffect "ld.global.v2.b32 { $0, $1 }, [ $2 + 0 ];", "=r,=r,l"(ptr addrspace(1) %pa) ; right
  %x = extractvalue { i32, i32 } %v, 0
  %y = extractvalue { i32, i32 } %v, 1
  call void asm sideeffect "st.global.v2.b32 [ $2 + 0 ], { $0, $1 };", "r,r,l"(i32 %x, i32 %y, ptr addrspace(1) %pr)
  ret void
}
