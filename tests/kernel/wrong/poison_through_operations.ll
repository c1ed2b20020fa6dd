; A shift by 8 of eight bits is poison, and so is what is computed from it, which is chosen.
;refuted integers
;hlo HloModule m
;hlo ENTRY e {
;hlo   x = u8[64] parameter(0)
;hlo   y = u8[64] parameter(1)
;hlo   s = u8[64] shift-left(x, y)
;hlo   k = u8[] constant(7)
;hlo   ks = u8[64] broadcast(k), dimensions={}
;hlo   one = u8[] constant(1)
;hlo   ones = u8[64] broadcast(one), dimensions={}
;hlo   m = u8[64] and(s, ks)
;hlo   ROOT r = u8[64] add(m, ones)
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
  %s = shl i8 %a, %n
  %m = and i8 %s, 7
  %w = zext i8 %m to i32
  %o = add i32 %w, 1
  %q = trunc i32 %o to i8
  %c = icmp ugt i8 %n, 8                                   ; wrong
; %c = icmp ugt i8 %n, 7                                   ; right
  %v = select i1 %c, i8 1, i8 %q
  store i8 %v, ptr %pr
  ret void
}
