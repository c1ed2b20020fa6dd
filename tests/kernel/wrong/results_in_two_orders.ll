; Two results are made of one reduction, which each sums in an order of its own.
;open values
;hlo HloModule m
;hlo add {
;hlo   x = f32[] parameter(0)
;hlo   y = f32[] parameter(1)
;hlo   ROOT s = f32[] add(x, y)
;hlo }
;hlo ENTRY e {
;hlo   p = f32[3] parameter(0)
;hlo   z = f32[] constant(-0)
;hlo   r = f32[] reduce(p, z), dimensions={0}, to_apply=add
;hlo   n = f32[] negate(r)
;hlo   ROOT t = (f32[], f32[]) tuple(r, n)
;hlo }
;launch {"grid": [1], "threads": [1], "params": [
;launch   {"shape": "f32[3]", "role": "input"},
;launch   {"shape": "f32[]", "role": "output"},
;launch   {"shape": "f32[]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r, ptr %n) {
  %p1 = getelementptr float, ptr %a, i64 1
  %p2 = getelementptr float, ptr %a, i64 2
  %x = load float, ptr %a
  %y = load float, ptr %p1
  %z = load float, ptr %p2
  %xy = fadd float %x, %y
  %one = fadd float %xy, %z
  %yz = fadd float %y, %z
  %two = fadd float %x, %yz                                ; wrong
; %two = fadd float %xy, %z                                ; right
  %minus = fneg float %two
  store float %one, ptr %r
  store float %minus, ptr %n
  ret void
}
