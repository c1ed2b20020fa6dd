; The sum begins with what HLO adds to the sum: (q + p[0]) + p[1] rounds otherwise than q + sum(p).
;open values
;hlo HloModule m
;hlo add {
;hlo   x = f32[] parameter(0)
;hlo   y = f32[] parameter(1)
;hlo   ROOT s = f32[] add(x, y)
;hlo }
;hlo ENTRY e {
;hlo   p = f32[100] parameter(0)
;hlo   q = f32[] parameter(1)
;hlo   z = f32[] constant(-0)
;hlo   r = f32[] reduce(p, z), dimensions={0}, to_apply=add
;hlo   ROOT t = f32[] add(r, q)
;hlo }
;launch {"grid": [1], "threads": [1], "params": [
;launch   {"shape": "f32[100]", "role": "input"},
;launch   {"shape": "f32[]", "role": "input"},
;launch   {"shape": "f32[]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %q, ptr %r) {
entry:
  %x = load float, ptr %q
  %start = select i1 true, float %x, float -0.0            ; wrong
; %start = select i1 true, float -0.0, float %x            ; right
  br label %sum
sum:
  %i.sum = phi i64 [ 0, %entry ], [ %n.sum, %sum ]
  %acc.sum = phi float [ %start, %entry ], [ %s.sum, %sum ]
  %p.sum = getelementptr float, ptr %a, i64 %i.sum
  %v.sum = load float, ptr %p.sum
  %s.sum = fadd float %acc.sum, %v.sum
  %n.sum = add i64 %i.sum, 1
  %go.sum = icmp slt i64 %n.sum, 100
  br i1 %go.sum, label %sum, label %end.sum
end.sum:
  %whole = select i1 true, float %s.sum, float 0.0         ; wrong
; %whole = fadd float %x, %s.sum                           ; right
  store float %whole, ptr %r
  ret void
}
