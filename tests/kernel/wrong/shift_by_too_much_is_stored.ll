; Elements of the second operand are larger than the width, and nothing chooses around them.
;refuted integers
;hlo HloModule m
;hlo ENTRY e {
;hlo   x = u8[64] parameter(0)
;hlo   y = u8[64] parameter(1)
;hlo   k = u8[] constant(15)
;hlo   ks = u8[64] broadcast(k), dimensions={}
;hlo   n = u8[64] and(y, ks)
;hlo   ROOT r = u8[64] shift-left(x, n)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "u8[64]", "role": "input"},
;launch   {"shape": "u8[64]", "role": "input"},
;launch   {"shape": "u8[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %x, ptr %y, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %begin = mul i32 %b, 32
  %i = add i32 %begin, %t
  %px = getelementptr i8, ptr %x, i32 %i
  %py = getelementptr i8, ptr %y, i32 %i
  %pr = getelementptr i8, ptr %r, i32 %i
  %a = load i8, ptr %px
  %n = load i8, ptr %py
  %k = and i8 %n, 15
  %v = shl i8 %a, %k                                       ; wrong
; %s = shl i8 %a, %k                                       ; right
; %c = icmp ult i8 %k, 8                                   ; right
; %v = select i1 %c, i8 %s, i8 0                           ; right
  store i8 %v, ptr %pr
  ret void
}
