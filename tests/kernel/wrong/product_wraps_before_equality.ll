; The product is taken in 32 bits, where it is zero for many operands; the computation takes it in
; 64.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[64] parameter(0)
;hlo   w = s64[64] convert(a)
;hlo   c = s64[] constant(1073741824)
;hlo   f = s64[64] broadcast(c), dimensions={}
;hlo   s = s64[64] multiply(w, f)
;hlo   z = s64[] constant(0)
;hlo   zeros = s64[64] broadcast(z), dimensions={}
;hlo   ROOT r = pred[64] compare(s, zeros), direction=EQ
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "s32[64]", "role": "input"},
;launch   {"shape": "pred[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %i = add i32 %first, %t
  %pa = getelementptr i32, ptr %a, i32 %i
  %pr = getelementptr i8, ptr %r, i32 %i
  %x = load i32, ptr %pa
  %s = mul i32 %x, 1073741824                              ; wrong
  %p = icmp eq i32 %s, 0                                   ; wrong
; %wide = sext i32 %x to i64                               ; right
; %s = mul i64 %wide, 1073741824                           ; right
; %p = icmp eq i64 %s, 0                                   ; right
  %z = zext i1 %p to i8
  store i8 %z, ptr %pr
  ret void
}
