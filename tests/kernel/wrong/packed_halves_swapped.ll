; Each element is read from the wrong half of its byte, which holds two elements.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s4[64] parameter(0)
;hlo   ROOT r = s32[64] convert(a)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "s4[64]{0:E(4)}", "bytes": 32, "role": "input"},
;launch   {"shape": "s32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %i = add i32 %first, %t
  %byte = lshr i32 %i, 1
  %odd = and i32 %i, 1
  %half = xor i32 %odd, 1 ; wrong
; %half = and i32 %odd, 1 ; right
  %narrow = trunc i32 %half to i8
  %by = mul i8 %narrow, 4
  %pa = getelementptr i8, ptr %a, i32 %byte
  %two = load i8, ptr %pa
  %low = lshr i8 %two, %by
  %x = trunc i8 %low to i4
  %y = sext i4 %x to i32
  %pr = getelementptr i32, ptr %r, i32 %i
  store i32 %y, ptr %pr
  ret void
}
