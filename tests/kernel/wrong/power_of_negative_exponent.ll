; A negative exponent is taken for the large number that its bits are.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[64] parameter(0)
;hlo   b = s32[64] parameter(1)
;hlo   ROOT r = s32[64] power(a, b)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "s32[64]", "role": "input"},
;launch   {"shape": "s32[64]", "role": "input"},
;launch   {"shape": "s32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %b, ptr %r) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %begin = mul i32 %block, 32
  %i = add i32 %begin, %t
  %pa = getelementptr i32, ptr %a, i32 %i
  %pb = getelementptr i32, ptr %b, i32 %i
  %pr = getelementptr i32, ptr %r, i32 %i
  %x = load i32, ptr %pa
  %y = load i32, ptr %pb
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %power = phi i32 [ 1, %entry ], [ %power1, %loop ]
  %square = phi i32 [ %x, %entry ], [ %square1, %loop ]
  %rest = phi i32 [ %y, %entry ], [ %rest1, %loop ]
  %low = and i32 %rest, 1
  %odd = icmp ne i32 %low, 0
  %product = mul i32 %power, %square
  %power1 = select i1 %odd, i32 %product, i32 %power
  %square1 = mul i32 %square, %square
  %rest1 = lshr i32 %rest, 1
  %k1 = add i32 %k, 1
  %more = icmp slt i32 %k1, 32
  br i1 %more, label %loop, label %done
done:
  %last = and i32 %y, 1
  %odd.exponent = icmp ne i32 %last, 0
  %sign = select i1 %odd.exponent, i32 -1, i32 1
  %is.minus.one = icmp eq i32 %x, -1
  %inverse = select i1 %is.minus.one, i32 %sign, i32 0
  %is.one = icmp eq i32 %x, 1
  %of.one = select i1 %is.one, i32 1, i32 %inverse
  %negative = icmp slt i32 %y, 0
  %z = select i1 %negative, i32 %power1, i32 %power1       ; wrong
; %z = select i1 %negative, i32 %of.one, i32 %power1       ; right
  store i32 %z, ptr %pr
  ret void
}
