; The sum of integers of 4 bits fills the byte that it is stored in.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s4[64] parameter(0)
;hlo   b = s4[64] parameter(1)
;hlo   ROOT r = s4[64] add(a, b)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "s4[64]", "role": "input"},
;launch   {"shape": "s4[64]", "role": "input"},
;launch   {"shape": "s4[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %b, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %c, 32
  %i = add i32 %first, %t
  %pa = getelementptr i8, ptr %a, i32 %i
  %pb = getelementptr i8, ptr %b, i32 %i
  %pr = getelementptr i8, ptr %r, i32 %i
  %x = load i8, ptr %pa
  %y = load i8, ptr %pb
  %s = add i8 %x, %y
  %h = shl i8 %s, 0                                        ; wrong
; %h = shl i8 %s, 4                                        ; right
  %z = ashr i8 %h, 0                                       ; wrong
; %z = ashr i8 %h, 4                                       ; right
  store i8 %z, ptr %pr
  ret void
}
