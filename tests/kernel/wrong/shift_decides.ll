; The condition of a select depends on a shift by as much as the width.
;refuted integers
;hlo HloModule m
;hlo ENTRY e {
;hlo   x = u8[64] parameter(0)
;hlo   y = u8[64] parameter(1)
;hlo   s = u8[64] shift-right-logical(x, y)
;hlo   z = u8[] constant(0)
;hlo   zs = u8[64] broadcast(z), dimensions={}
;hlo   one = u8[] constant(1)
;hlo   ones = u8[64] broadcast(one), dimensions={}
;hlo   d = pred[64] compare(s, zs), direction=EQ
;hlo   e = u8[64] shift-left(ones, y)
;hlo   ROOT r = u8[64] select(d, ones, e)
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
  %s = lshr i8 %a, %n
  %d = icmp eq i8 %s, 0
  %e = shl i8 1, %n
  %f = select i1 %d, i8 1, i8 %e
  %c = icmp ult i8 %n, 9                                   ; wrong
; %c = icmp ult i8 %n, 8                                   ; right
  %v = select i1 %c, i8 %f, i8 1
  store i8 %v, ptr %pr
  ret void
}
