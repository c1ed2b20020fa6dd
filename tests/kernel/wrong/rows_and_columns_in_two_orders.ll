; One reduction, used twice, is summed row by row and column by column.
;open values
;hlo HloModule m
;hlo add {
;hlo   x = f32[] parameter(0)
;hlo   y = f32[] parameter(1)
;hlo   ROOT s = f32[] add(x, y)
;hlo }
;hlo ENTRY e {
;hlo   p = f32[32,32] parameter(0)
;hlo   z = f32[] constant(0)
;hlo   r = f32[] reduce(p, z), dimensions={0,1}, to_apply=add
;hlo   ROOT d = f32[] subtract(r, r)
;hlo }
;launch {"grid": [1], "threads": [1], "params": [
;launch   {"shape": "f32[32,32]", "role": "input"},
;launch   {"shape": "f32[]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
entry:
  br label %one
one:
  %i.one = phi i64 [ 0, %entry ], [ %m.one, %last.one ]
  %acc.one = phi float [ 0.0, %entry ], [ %sum.one, %last.one ]
  %more.one = icmp slt i64 %i.one, 32
  br i1 %more.one, label %row.one, label %end.one
row.one:
  br label %in.one
in.one:
  %j.one = phi i64 [ 0, %row.one ], [ %n.one, %body.one ]
  %sum.one = phi float [ %acc.one, %row.one ], [ %s.one, %body.one ]
  %go.one = icmp slt i64 %j.one, 32
  br i1 %go.one, label %body.one, label %last.one
body.one:
  %x.one = mul i64 %i.one, 32
  %y.one = mul i64 %j.one, 1
  %at.one = add i64 %x.one, %y.one
  %p.one = getelementptr float, ptr %a, i64 %at.one
  %v.one = load float, ptr %p.one
  %s.one = fadd float %sum.one, %v.one
  %n.one = add i64 %j.one, 1
  br label %in.one
last.one:
  %m.one = add i64 %i.one, 1
  br label %one
end.one:
  br label %two
two:
  %i.two = phi i64 [ 0, %end.one ], [ %m.two, %last.two ]
  %acc.two = phi float [ 0.0, %end.one ], [ %sum.two, %last.two ]
  %more.two = icmp slt i64 %i.two, 32
  br i1 %more.two, label %row.two, label %end.two
row.two:
  br label %in.two
in.two:
  %j.two = phi i64 [ 0, %row.two ], [ %n.two, %body.two ]
  %sum.two = phi float [ %acc.two, %row.two ], [ %s.two, %body.two ]
  %go.two = icmp slt i64 %j.two, 32
  br i1 %go.two, label %body.two, label %last.two
body.two:
  %x.two = mul i64 %i.two, 1                               ; wrong
; %x.two = mul i64 %i.two, 32                              ; right
  %y.two = mul i64 %j.two, 32                              ; wrong
; %y.two = mul i64 %j.two, 1                               ; right
  %at.two = add i64 %x.two, %y.two
  %p.two = getelementptr float, ptr %a, i64 %at.two
  %v.two = load float, ptr %p.two
  %s.two = fadd float %sum.two, %v.two
  %n.two = add i64 %j.two, 1
  br label %in.two
last.two:
  %m.two = add i64 %i.two, 1
  br label %two
end.two:
  %d = fsub float %acc.one, %acc.two
  store float %d, ptr %r
  ret void
}
