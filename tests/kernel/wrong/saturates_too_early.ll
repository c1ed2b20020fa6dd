; From 100 on the largest integer is taken, not from 127 on.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = bf16[64] parameter(0)
;hlo   ROOT r = s8[64] convert(a)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "bf16[64]", "role": "input"},
;launch   {"shape": "s8[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %i = add i32 %first, %t
  %pa = getelementptr bfloat, ptr %a, i32 %i
  %pr = getelementptr i8, ptr %r, i32 %i
  %x = load bfloat, ptr %pa
  %n = fptosi bfloat %x to i8
  %low = fcmp ole bfloat %x, -128.0
  %above = select i1 %low, i8 -128, i8 %n
  %high = fcmp oge bfloat %x, 100.0                        ; wrong
; %high = fcmp oge bfloat %x, 127.0                        ; right
  %ends = select i1 %high, i8 127, i8 %above
  %nan = fcmp uno bfloat %x, %x
  %y = select i1 %nan, i8 0, i8 %ends
  store i8 %y, ptr %pr
  ret void
}
