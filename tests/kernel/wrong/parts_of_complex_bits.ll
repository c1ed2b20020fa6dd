; The bits of a complex number as a word: the imaginary part in the low bits.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = c64[8] parameter(0)
;hlo   ROOT r = u64[8] bitcast(a)
;hlo }
;launch {"grid": [1], "threads": [8], "params": [
;launch   {"shape": "c64[8]", "role": "input", "memory": 0},
;launch   {"shape": "u64[8]", "role": "output", "memory": 1}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %number = getelementptr { i32, i32 }, ptr %a, i32 %t
  %real = load i32, ptr %number
  %behind = getelementptr i32, ptr %number, i32 1
  %imaginary = load i32, ptr %behind
  %low = zext i32 %imaginary to i64  ; wrong
  %high = zext i32 %real to i64  ; wrong
;  %low = zext i32 %real to i64  ; right
;  %high = zext i32 %imaginary to i64  ; right
  %shifted = shl i64 %high, 32
  %word = or i64 %shifted, %low
  %to = getelementptr i64, ptr %r, i32 %t
  store i64 %word, ptr %to
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
