; The sum of 1, 2 and 3 is not 5: its first number counts, too.
;refuted values
;hlo HloModule m
;hlo add {
;hlo   x = f32[] parameter(0)
;hlo   y = f32[] parameter(1)
;hlo   ROOT s = f32[] add(x, y)
;hlo }
;hlo ENTRY e {
;hlo   n = f32[64,3] iota(), iota_dimension=1
;hlo   one = f32[] constant(1)
;hlo   ones = f32[64,3] broadcast(one), dimensions={}
;hlo   a = f32[64,3] add(n, ones)
;hlo   i = f32[] constant(0)
;hlo   ROOT r = f32[64] reduce(a, i), dimensions={1}, to_apply=add
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "f32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %i = add i32 %first, %t
  %pr = getelementptr float, ptr %r, i32 %i
  store float 5.0, ptr %pr                                 ; wrong
; store float 6.0, ptr %pr                                 ; right
  ret void
}
