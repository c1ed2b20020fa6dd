; The sum of zeros that are all negative is 0.0 here, and -0.0 in HLO; a fold divides by it.
;open values
;hlo HloModule m
;hlo c { x = f32[] parameter(0)
;hlo y = f32[] parameter(1)
;hlo ROOT z = f32[] add(x,y) }
;hlo d { x = f32[] parameter(0)
;hlo y = f32[] parameter(1)
;hlo ROOT z = f32[] add(x,y) }
;hlo ENTRY e {
;hlo   a = f32[3] parameter(0)
;hlo   b = f32[3] parameter(1)
;hlo   i = f32[] constant(-0)
;hlo   s = f32[] reduce(a, i), dimensions={0}, to_apply=c
;hlo   sb = f32[3] broadcast(s), dimensions={}
;hlo   q = f32[3] divide(b, sb)
;hlo   j = f32[] constant(0)
;hlo   ROOT r0 = f32[] reduce(q, j), dimensions={0}, to_apply=d
;hlo }
;launch {"grid": [1], "threads": [1], "params": [
;launch   {"shape": "f32[3]", "role": "input"},
;launch   {"shape": "f32[3]", "role": "input"},
;launch   {"shape": "f32[]", "role": "output"}]}
define ptx_kernel void @k(ptr %a, ptr %b, ptr %r) {
  %a1 = getelementptr float, ptr %a, i32 1
  %a2 = getelementptr float, ptr %a, i32 2
  %b1 = getelementptr float, ptr %b, i32 1
  %b2 = getelementptr float, ptr %b, i32 2
  %x0 = load float, ptr %a
  %x1 = load float, ptr %a1
  %x2 = load float, ptr %a2
  %y0 = load float, ptr %b
  %y1 = load float, ptr %b1
  %y2 = load float, ptr %b2
  %s0 = fadd float 0.0, %x0  ; wrong
;  %s0 = fadd float -0.0, %x0  ; right
  %s1 = fadd float %s0, %x1
  %s = fadd float %s1, %x2
  %q0 = fdiv float %y0, %s
  %q1 = fdiv float %y1, %s
  %q2 = fdiv float %y2, %s
  %t0 = fadd float 0.0, %q0
  %t1 = fadd float %t0, %q1
  %t2 = fadd float %t1, %q2
  store float %t2, ptr %r
  ret void
}
