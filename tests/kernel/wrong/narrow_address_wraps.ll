; The address is made with an index of 8 bits, which is below zero from 128 on.
;refuted bounds, values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[256] parameter(0)
;hlo   ROOT r = f32[256] negate(a)
;hlo }
;launch {"grid": [8], "threads": [32], "params": [
;launch   {"shape": "f32[256]", "role": "input"},
;launch   {"shape": "f32[256]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %i = add i32 %first, %t
  %pa = getelementptr i32, ptr %a, i32 %i
  %pr = getelementptr i32, ptr %r, i32 %i
  %narrow = trunc i32 %i to i8                             ; wrong
; %narrow = trunc i32 %i to i16                            ; right
  %px = getelementptr float, ptr %a, i8 %narrow            ; wrong
; %px = getelementptr float, ptr %a, i16 %narrow           ; right
  %x = load float, ptr %px
  %n = fneg float %x
  store float %n, ptr %pr
  ret void
}
