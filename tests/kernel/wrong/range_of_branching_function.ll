; The value of a function is said to lie in a range. The function branches on data, so that its
; value is put together from two.
;refuted integers
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[64] parameter(0)
;hlo   ROOT r = s32[64] abs(a)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "s32[64]", "role": "input"},
;launch   {"shape": "s32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %i = add i32 %first, %t
  %pa = getelementptr i32, ptr %a, i32 %i
  %pr = getelementptr i32, ptr %r, i32 %i
  %x = load i32, ptr %pa
  %z = call range(i32 0, 5) i32 @magnitude(i32 %x)         ; wrong
; %z = call i32 @magnitude(i32 %x)                         ; right
  store i32 %z, ptr %pr
  ret void
}

define internal i32 @magnitude(i32 %x) {
  %c = icmp slt i32 %x, 0
  br i1 %c, label %negative, label %other
negative:
  %z = sub i32 0, %x
  ret i32 %z
other:
  ret i32 %x
}
