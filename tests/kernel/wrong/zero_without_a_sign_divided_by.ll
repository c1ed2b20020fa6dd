; The sum may have a zero of either sign, and 1 is divided by it.
;open values
;hlo HloModule m
;hlo add {
;hlo   x = f32[] parameter(0)
;hlo   y = f32[] parameter(1)
;hlo   ROOT s = f32[] add(x, y)
;hlo }
;hlo ENTRY e {
;hlo   p = f32[100] parameter(0)
;hlo   z = f32[] constant(-0)
;hlo   o = f32[] constant(1)
;hlo   r = f32[] reduce(p, z), dimensions={0}, to_apply=add
;hlo   ROOT d = f32[] divide(o, r)
;hlo }
;launch {"grid": [1], "threads": [1], "params": [
;launch   {"shape": "f32[100]", "role": "input"},
;launch   {"shape": "f32[]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
entry:
  br label %sum
sum:
  %i.sum = phi i64 [ 0, %entry ], [ %n.sum, %sum ]
  %acc.sum = phi float [ -0.0, %entry ], [ %s.sum, %sum ]
  %p.sum = getelementptr float, ptr %a, i64 %i.sum
  %v.sum = load float, ptr %p.sum
  %s.sum = fadd nsz float %acc.sum, %v.sum                 ; wrong
;%s.sum = fadd float %acc.sum, %v.sum                     ; right
  %n.sum = add i64 %i.sum, 1
  %go.sum = icmp slt i64 %n.sum, 100
  br i1 %go.sum, label %sum, label %end.sum
end.sum:
  %d = fdiv float 1.0, %s.sum
  store float %d, ptr %r
  ret void
}
