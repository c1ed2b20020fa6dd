; A load where its predicate fails.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[128] parameter(0)
;hlo   s = f32[64] slice(a), slice={[0:64]}
;hlo   z = f32[] constant(0)
;hlo   ROOT r = f32[128] pad(s, z), padding=0_64
;hlo }
;launch {"grid": [1], "threads": [128], "params": [
;launch   {"shape": "f32[128]", "role": "input"},
;launch   {"shape": "f32[128]", "role": "output"}]}

define ptx_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pa = getelementptr float, ptr addrspace(1) %a, i32 %t
  %pr = getelementptr float, ptr addrspace(1) %r, i32 %t
  %c = icmp ult i32 %t, 64
  %x = call i32 asm sideeffect "mov.u32 $0, 0x0; @!$2 ld.global.b32 { $0 }, [ $1 + 0 ];", "=r,l,b"(ptr addrspace(1) %pa, i1 %c) ; wrong
; %x = call i32 asm sideeffect "mov.u32 $0, 0x0; @$2 ld.global.b32 { $0 }, [ $1 + 0 ];", "=r,l,b"(ptr addrspace(1) %pa, i1 %c) ; right
  call void asm sideeffect "st.global.b32 [ $1 + 0 ], { $0 };", "r,l"(i32 %x, ptr addrspace(1) %pr)
  ret void
}
