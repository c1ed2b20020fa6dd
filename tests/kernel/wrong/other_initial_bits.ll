; The bits that differ are counted from 4 on, where the initial value is 5.
;open values
;hlo HloModule m
;hlo differ {
;hlo   x = s32[] parameter(0)
;hlo   y = s32[] parameter(1)
;hlo   ROOT s = s32[] xor(x, y)
;hlo }
;hlo ENTRY e {
;hlo   a = s32[32,3] parameter(0)
;hlo   i = s32[] constant(5)
;hlo   ROOT r = s32[32] reduce(a, i), dimensions={1}, to_apply=differ
;hlo }
;launch {"grid": [1], "threads": [32], "params": [
;launch   {"shape": "s32[32,3]", "role": "input"},
;launch   {"shape": "s32[32]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i0 = mul i32 %t, 3
  %i1 = add i32 %i0, 1
  %i2 = add i32 %i0, 2
  %p0 = getelementptr i32, ptr %a, i32 %i0
  %p1 = getelementptr i32, ptr %a, i32 %i1
  %p2 = getelementptr i32, ptr %a, i32 %i2
  %pr = getelementptr i32, ptr %r, i32 %t
  %x0 = load i32, ptr %p0
  %x1 = load i32, ptr %p1
  %x2 = load i32, ptr %p2
  %y0 = xor i32 %x0, 4                                     ; wrong
; %y0 = xor i32 %x0, 5                                     ; right
  %y1 = xor i32 %y0, %x1
  %y2 = xor i32 %y1, %x2
  store i32 %y2, ptr %pr
  ret void
}
