; The sign of a positive integer is two.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[64] parameter(0)
;hlo   ROOT r = s32[64] sign(a)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "s32[64]", "role": "input"},
;launch   {"shape": "s32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %begin = mul i32 %b, 32
  %i = add i32 %begin, %t
  %pa = getelementptr i32, ptr %a, i32 %i
  %pr = getelementptr i32, ptr %r, i32 %i
  %x = load i32, ptr %pa
  %is.zero = icmp eq i32 %x, 0
  %not.negative = icmp sge i32 %x, 0
  %s = select i1 %is.zero, i32 0, i32 2                    ; wrong
; %s = select i1 %is.zero, i32 0, i32 1                    ; right
  %y = select i1 %not.negative, i32 %s, i32 -1
  store i32 %y, ptr %pr
  ret void
}
