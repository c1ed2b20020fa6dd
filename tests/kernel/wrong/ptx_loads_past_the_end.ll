; The predicate of a load lets one thread more load than there are elements.
;refuted bounds, values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[100] parameter(0)
;hlo   z = f32[] constant(0)
;hlo   ROOT r = f32[128] pad(a, z), padding=0_28
;hlo }
;launch {"grid": [1], "threads": [128], "params": [
;launch   {"shape": "f32[100]", "role": "input"},
;launch   {"shape": "f32[128]", "role": "output"}]}

define ptx_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pa = getelementptr float, ptr addrspace(1) %a, i32 %t
  %pr = getelementptr float, ptr addrspace(1) %r, i32 %t
  %c = icmp ule i32 %t, 100                                ; wrong
; %c = icmp ult i32 %t, 100                                ; right
  %x = call i32 asm sideeffect "mov.u32 $0, 0x0; @$2 ld.global.b32 { $0 }, [ $1 + 0 ];", "=r,l,b"(ptr addrspace(1) %pa, i1 %c)
  call void asm sideeffect "st.global.b32 [ $1 + 0 ], { $0 };", "r,l"(i32 %x, ptr addrspace(1) %pr)
  ret void
}
