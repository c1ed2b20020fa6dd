; A shift by 8 of eight bits is poison, and is chosen.
;refuted integers
;hlo HloModule m
;hlo ENTRY e {
;hlo   x = u8[64] parameter(0)
;hlo   y = u8[64] parameter(1)
;hlo   ROOT r = u8[64] shift-left(x, y)
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
  %c = icmp ult i8 %n, 9                                   ; wrong
; %c = icmp ult i8 %n, 8                                   ; right
  %v = select i1 %c, i8 %s, i8 0
  store i8 %v, ptr %pr
  ret void
}
