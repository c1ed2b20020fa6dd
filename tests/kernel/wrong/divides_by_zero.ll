; The quotient is taken before the kernel looks whether the divisor is zero.
;refuted integers
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = u32[64] parameter(0)
;hlo   b = u32[64] parameter(1)
;hlo   z = u32[] constant(0)
;hlo   zeros = u32[64] broadcast(z), dimensions={}
;hlo   s = u32[] constant(7)
;hlo   sevens = u32[64] broadcast(s), dimensions={}
;hlo   c = pred[64] compare(b, zeros), direction=EQ
;hlo   q = u32[64] divide(a, b)
;hlo   ROOT r = u32[64] select(c, sevens, q)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "u32[64]", "role": "input"},
;launch   {"shape": "u32[64]", "role": "input"},
;launch   {"shape": "u32[64]", "role": "output"}]}

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
  %zero = icmp eq i32 %y, 0
  %by = add i32 %y, 0                                      ; wrong
; %by = select i1 %zero, i32 1, i32 %y                     ; right
  %q = udiv i32 %x, %by
  %z = select i1 %zero, i32 7, i32 %q
  store i32 %z, ptr %pr
  ret void
}
