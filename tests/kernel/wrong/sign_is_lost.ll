; Bytes are made wider without their sign.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s8[64] parameter(0)
;hlo   ROOT r = s32[64] convert(a)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "s8[64]", "role": "input"},
;launch   {"shape": "s32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %i = add i32 %first, %t
  %pa = getelementptr i8, ptr %a, i32 %i
  %pr = getelementptr i32, ptr %r, i32 %i
  %x = load i8, ptr %pa
  %z = zext i8 %x to i32                                   ; wrong
; %z = sext i8 %x to i32                                   ; right
  store i32 %z, ptr %pr
  ret void
}
