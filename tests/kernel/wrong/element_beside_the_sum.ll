; The first element of an operand is added to each sum.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[64] parameter(0)
;hlo   b = s32[64] parameter(1)
;hlo   ROOT r = s32[64] add(a, b)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "s32[64]", "role": "input"},
;launch   {"shape": "s32[64]", "role": "input"},
;launch   {"shape": "s32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %b, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %c, 32
  %i = add i32 %first, %t
  %pa = getelementptr i32, ptr %a, i32 %i
  %pb = getelementptr i32, ptr %b, i32 %i
  %pr = getelementptr i32, ptr %r, i32 %i
  %x = load i32, ptr %pa
  %y = load i32, ptr %pb
  %s = add i32 %x, %y
  %first_of_a = load i32, ptr %a                           ; wrong
  %z = add i32 %s, %first_of_a                             ; wrong
; %z = add i32 %s, 0                                       ; right
  store i32 %z, ptr %pr
  ret void
}
