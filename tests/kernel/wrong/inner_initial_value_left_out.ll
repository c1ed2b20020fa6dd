; A sum of sums without the initial value of the inner ones.
;open values
;hlo HloModule m
;hlo add {
;hlo   x = f32[] parameter(0)
;hlo   y = f32[] parameter(1)
;hlo   ROOT s = f32[] add(x, y)
;hlo }
;hlo ENTRY e {
;hlo   a = f32[32,2,2] parameter(0)
;hlo   one = f32[] constant(1)
;hlo   zero = f32[] constant(0)
;hlo   inner = f32[32,2] reduce(a, one), dimensions={2}, to_apply=add
;hlo   ROOT r = f32[32] reduce(inner, zero), dimensions={1}, to_apply=add
;hlo }
;launch {"grid": [1], "threads": [32], "params": [
;launch   {"shape": "f32[32,2,2]", "role": "input"},
;launch   {"shape": "f32[32]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i0 = mul i32 %t, 4
  %i1 = add i32 %i0, 1
  %i2 = add i32 %i0, 2
  %i3 = add i32 %i0, 3
  %p0 = getelementptr float, ptr %a, i32 %i0
  %p1 = getelementptr float, ptr %a, i32 %i1
  %p2 = getelementptr float, ptr %a, i32 %i2
  %p3 = getelementptr float, ptr %a, i32 %i3
  %x0 = load float, ptr %p0
  %x1 = load float, ptr %p1
  %x2 = load float, ptr %p2
  %x3 = load float, ptr %p3
  %s0 = fadd float %x0, 0.0                                ; wrong
; %s0 = fadd float %x0, 1.0                                ; right
  %s1 = fadd float %s0, %x1
  %s2 = fadd float %s1, %x2
  %s3 = fadd float %s2, 0.0                                ; wrong
; %s3 = fadd float %s2, 1.0                                ; right
  %s4 = fadd float %s3, %x3
  %pr = getelementptr float, ptr %r, i32 %t
  store float %s4, ptr %pr
  ret void
}
