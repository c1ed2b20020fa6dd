; One reduction, used twice, is summed forwards and backwards: r - r is 0, and this is not.
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
;hlo   r = f32[] reduce(p, z), dimensions={0}, to_apply=add
;hlo   ROOT d = f32[] subtract(r, r)
;hlo }
;launch {"grid": [1], "threads": [1], "params": [
;launch   {"shape": "f32[100]", "role": "input"},
;launch   {"shape": "f32[]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
entry:
  br label %one
one:
  %i.one = phi i64 [ 0, %entry ], [ %n.one, %one ]
  %acc.one = phi float [ -0.0, %entry ], [ %s.one, %one ]
  %p.one = getelementptr float, ptr %a, i64 %i.one
  %v.one = load float, ptr %p.one
  %s.one = fadd float %acc.one, %v.one
  %n.one = add i64 %i.one, 1
  %go.one = icmp slt i64 %n.one, 100
  br i1 %go.one, label %one, label %end.one
end.one:
  br label %two
two:
  %i.two = phi i64 [ 0, %end.one ], [ %n.two, %two ]
  %acc.two = phi float [ -0.0, %end.one ], [ %s.two, %two ]
  %at = sub i64 99, %i.two                                 ; wrong
;%at = add i64 0, %i.two                                  ; right
  %p.two = getelementptr float, ptr %a, i64 %at
  %v.two = load float, ptr %p.two
  %s.two = fadd float %acc.two, %v.two
  %n.two = add i64 %i.two, 1
  %go.two = icmp slt i64 %n.two, 100
  br i1 %go.two, label %two, label %end.two
end.two:
  %d = fsub float %s.one, %s.two
  store float %d, ptr %r
  ret void
}
