; A summand p + q may be added in another order, (acc + p) + q, which HLO does not leave open.
;open values
;hlo HloModule m
;hlo add {
;hlo   x = f32[] parameter(0)
;hlo   y = f32[] parameter(1)
;hlo   ROOT s = f32[] add(x, y)
;hlo }
;hlo ENTRY e {
;hlo   p = f32[100] parameter(0)
;hlo   q = f32[100] parameter(1)
;hlo   z = f32[] constant(0)
;hlo   s = f32[100] add(p, q)
;hlo   ROOT r = f32[] reduce(s, z), dimensions={0}, to_apply=add
;hlo }
;launch {"grid": [1], "threads": [1], "params": [
;launch   {"shape": "f32[100]", "role": "input"},
;launch   {"shape": "f32[100]", "role": "input"},
;launch   {"shape": "f32[]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %q, ptr %r) {
entry:
  br label %sum
sum:
  %i.sum = phi i64 [ 0, %entry ], [ %n.sum, %sum ]
  %acc.sum = phi float [ 0.0, %entry ], [ %s.sum, %sum ]
  %p.sum = getelementptr float, ptr %a, i64 %i.sum
  %v.sum = load float, ptr %p.sum
  %p.q = getelementptr float, ptr %q, i64 %i.sum
  %w = load float, ptr %p.q
  %both = fadd reassoc float %v.sum, %w                     ; wrong
;%both = fadd float %v.sum, %w                            ; right
  %s.sum = fadd reassoc float %acc.sum, %both
  %n.sum = add i64 %i.sum, 1
  %go.sum = icmp slt i64 %n.sum, 100
  br i1 %go.sum, label %sum, label %end.sum
end.sum:
  store float %s.sum, ptr %r
  ret void
}
