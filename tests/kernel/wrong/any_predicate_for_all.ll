; Predicates that a thread combines in bytes: "or" where the computation says "and".
;refuted values
;hlo HloModule m
;hlo all {
;hlo   x = pred[] parameter(0)
;hlo   y = pred[] parameter(1)
;hlo   ROOT r = pred[] and(x, y)
;hlo }
;hlo ENTRY e {
;hlo   a = f32[64,2] parameter(0)
;hlo   zero = f32[] constant(0)
;hlo   zeros = f32[64,2] broadcast(zero), dimensions={}
;hlo   positive = pred[64,2] compare(a, zeros), direction=GT
;hlo   true = pred[] constant(true)
;hlo   ROOT r = pred[64] reduce(positive, true), dimensions={1}, to_apply=all
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "f32[64,2]", "role": "input"},
;launch   {"shape": "pred[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %before = mul i32 %c, 32
  %i = add i32 %before, %t
  %j = mul i32 %i, 2
  %k = add i32 %j, 1
  %pfirst = getelementptr float, ptr %a, i32 %j
  %psecond = getelementptr float, ptr %a, i32 %k
  %pr = getelementptr i8, ptr %r, i32 %i
  %x = load float, ptr %pfirst
  %y = load float, ptr %psecond
  %p = fcmp ogt float %x, 0.0
  %q = fcmp ogt float %y, 0.0
  %first = zext i1 %p to i8
  %second = zext i1 %q to i8
  %z = or i8 %first, %second                               ; wrong
; %z = and i8 %first, %second                              ; right
  store i8 %z, ptr %pr
  ret void
}
