; A fold that keeps the bits that all elements have keeps those that one of them has.
;refuted values
;hlo HloModule m
;hlo both {
;hlo   x = s32[] parameter(0)
;hlo   y = s32[] parameter(1)
;hlo   ROOT s = s32[] and(x, y)
;hlo }
;hlo ENTRY e {
;hlo   a = s32[32,2] parameter(0)
;hlo   i = s32[] constant(-1)
;hlo   ROOT r = s32[32] reduce(a, i), dimensions={1}, to_apply=both
;hlo }
;launch {"grid": [1], "threads": [32], "params": [
;launch   {"shape": "s32[32,2]", "role": "input"},
;launch   {"shape": "s32[32]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i0 = mul i32 %t, 2
  %i1 = add i32 %i0, 1
  %p0 = getelementptr i32, ptr %a, i32 %i0
  %p1 = getelementptr i32, ptr %a, i32 %i1
  %pr = getelementptr i32, ptr %r, i32 %t
  %x0 = load i32, ptr %p0
  %x1 = load i32, ptr %p1
  %m = or i32 %x0, %x1                                     ; wrong
; %m = and i32 %x0, %x1                                    ; right
  store i32 %m, ptr %pr
  ret void
}
