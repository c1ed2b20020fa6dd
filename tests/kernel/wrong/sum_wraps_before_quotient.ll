; The sum is taken in 32 bits and wraps before it is divided; the computation takes it in 64.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[64] parameter(0)
;hlo   w = s64[64] convert(a)
;hlo   c = s64[] constant(10)
;hlo   tens = s64[64] broadcast(c), dimensions={}
;hlo   s = s64[64] add(w, tens)
;hlo   three = s64[] constant(3)
;hlo   threes = s64[64] broadcast(three), dimensions={}
;hlo   q = s64[64] divide(s, threes)
;hlo   ROOT r = s32[64] convert(q)
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
  %s = add i32 %x, 10                                      ; wrong
  %q = sdiv i32 %s, 3                                      ; wrong
; %wide = sext i32 %x to i64                               ; right
; %s = add i64 %wide, 10                                   ; right
; %third = sdiv i64 %s, 3                                  ; right
; %q = trunc i64 %third to i32                             ; right
  store i32 %q, ptr %pr
  ret void
}
