; One reduction, used twice, is summed in order, and in whichever order LLVM takes.
;open values
;hlo HloModule m
;hlo add {
;hlo   x = f32[] parameter(0)
;hlo   y = f32[] parameter(1)
;hlo   ROOT s = f32[] add(x, y)
;hlo }
;hlo ENTRY e {
;hlo   p = f32[128] parameter(0)
;hlo   z = f32[] constant(-0)
;hlo   r = f32[] reduce(p, z), dimensions={0}, to_apply=add
;hlo   ROOT d = f32[] subtract(r, r)
;hlo }
;launch {"grid": [1], "threads": [1], "params": [
;launch   {"shape": "f32[128]", "role": "input"},
;launch   {"shape": "f32[]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
entry:
  br label %one
one:
  %i.one = phi i64 [ 0, %entry ], [ %n.one, %body.one ]
  %acc.one = phi float [ -0.0, %entry ], [ %s.one, %body.one ]
  %go.one = icmp slt i64 %i.one, 128
  br i1 %go.one, label %body.one, label %end.one
body.one:
  %first.one = mul i64 %i.one, 1
  %at0.one = add i64 %first.one, 0
  %p0.one = getelementptr float, ptr %a, i64 %at0.one
  %v0.one = load float, ptr %p0.one
  %s.one = fadd float %acc.one, %v0.one
  %n.one = add i64 %i.one, 1
  br label %one
end.one:
  br label %two
two:
  %i.two = phi i64 [ 0, %end.one ], [ %n.two, %body.two ]
  %acc.two = phi float [ -0.0, %end.one ], [ %s.two, %body.two ]
  %go.two = icmp slt i64 %i.two, 128
  br i1 %go.two, label %body.two, label %end.two
body.two:
  %first.two = mul i64 %i.two, 1
  %at0.two = add i64 %first.two, 0
  %p0.two = getelementptr float, ptr %a, i64 %at0.two
  %v0.two = load float, ptr %p0.two
  %s.two = fadd reassoc float %acc.two, %v0.two            ; wrong
; %s.two = fadd float %acc.two, %v0.two                    ; right
  %n.two = add i64 %i.two, 1
  br label %two
end.two:
  %d = fsub float %acc.one, %acc.two
  store float %d, ptr %r
  ret void
}
