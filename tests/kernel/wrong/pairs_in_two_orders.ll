; One reduction, used twice, is summed in pairs, and first the even elements, then the odd ones.
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
  br label %pairs
pairs:
  %i.pairs = phi i64 [ 0, %entry ], [ %n.pairs, %body.pairs ]
  %acc.pairs = phi float [ -0.0, %entry ], [ %s.pairs, %body.pairs ]
  %go.pairs = icmp slt i64 %i.pairs, 64
  br i1 %go.pairs, label %body.pairs, label %end.pairs
body.pairs:
  %first.pairs = mul i64 %i.pairs, 2
  %at0.pairs = add i64 %first.pairs, 1
  %p0.pairs = getelementptr float, ptr %a, i64 %at0.pairs
  %v0.pairs = load float, ptr %p0.pairs
  %s0.pairs = fadd float %acc.pairs, %v0.pairs
  %at1.pairs = add i64 %first.pairs, 0
  %p1.pairs = getelementptr float, ptr %a, i64 %at1.pairs
  %v1.pairs = load float, ptr %p1.pairs
  %s.pairs = fadd float %s0.pairs, %v1.pairs
  %n.pairs = add i64 %i.pairs, 1
  br label %pairs
end.pairs:
  br label %even
even:
  %i.even = phi i64 [ 0, %end.pairs ], [ %n.even, %body.even ]
  %acc.even = phi float [ -0.0, %end.pairs ], [ %s.even, %body.even ]
  %go.even = icmp slt i64 %i.even, 64
  br i1 %go.even, label %body.even, label %end.even
body.even:
  %first.even = mul i64 %i.even, 2
  %at0.even = add i64 %first.even, 0
  %p0.even = getelementptr float, ptr %a, i64 %at0.even
  %v0.even = load float, ptr %p0.even
  %s.even = fadd float %acc.even, %v0.even
  %n.even = add i64 %i.even, 1
  br label %even
end.even:
  br label %odd
odd:
  %i.odd = phi i64 [ 0, %end.even ], [ %n.odd, %body.odd ]
  %acc.odd = phi float [ %acc.even, %end.even ], [ %s.odd, %body.odd ]
  %go.odd = icmp slt i64 %i.odd, 64
  br i1 %go.odd, label %body.odd, label %end.odd
body.odd:
  %first.odd = mul i64 %i.odd, 2
  %at0.odd = add i64 %first.odd, 1
  %p0.odd = getelementptr float, ptr %a, i64 %at0.odd
  %v0.odd = load float, ptr %p0.odd
  %s.odd = fadd float %acc.odd, %v0.odd
  %n.odd = add i64 %i.odd, 1
  br label %odd
end.odd:
  %d = fsub float %acc.pairs, %acc.odd                     ; wrong
; %d = fsub float %acc.pairs, %acc.pairs                   ; right
  store float %d, ptr %r
  ret void
}
