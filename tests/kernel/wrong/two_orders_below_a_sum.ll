; A sum is combined in two orders, each for one element of a fold.
;open values
;hlo HloModule m
;hlo c { x = f32[] parameter(0)
;hlo y = f32[] parameter(1)
;hlo ROOT z = f32[] add(x,y) }
;hlo ENTRY e {
;hlo   a = f32[40] parameter(0)
;hlo   b = f32[2] parameter(1)
;hlo   i = f32[] constant(-0)
;hlo   s = f32[] reduce(a, i), dimensions={0}, to_apply=c
;hlo   sb = f32[2] broadcast(s), dimensions={}
;hlo   q = f32[2] multiply(b, sb)
;hlo   ROOT r0 = f32[] reduce(q, i), dimensions={0}, to_apply=c
;hlo }
;launch {"grid": [1], "threads": [1], "params": [
;launch   {"shape": "f32[40]", "role": "input"},
;launch   {"shape": "f32[2]", "role": "input"},
;launch   {"shape": "f32[]", "role": "output"}]}
define ptx_kernel void @k(ptr %a, ptr %b, ptr %r) {
  %a39 = getelementptr float, ptr %a, i32 39
  %b1 = getelementptr float, ptr %b, i32 1
  %x0 = load float, ptr %a
  %x39 = load float, ptr %a39
  %y0 = load float, ptr %b
  %y1 = load float, ptr %b1

  br label %preA
preA:
  br label %hA
hA:
  %iA = phi i32 [ 0, %preA ], [ %nA, %bA ]
  %accA = phi float [ %x0, %preA ], [ %tA, %bA ]
  %cA = icmp slt i32 %iA, 39
  br i1 %cA, label %bA, label %eA
bA:
  %kA = add i32 %iA, 1
  %pA = getelementptr float, ptr %a, i32 %kA
  %vA = load float, ptr %pA
  %tA = fadd float %accA, %vA
  %nA = add i32 %iA, 1
  br label %hA
eA:
  ; wrong
  br label %preB  ; wrong
preB:  ; wrong
  br label %hB  ; wrong
hB:  ; wrong
  %iB = phi i32 [ 0, %preB ], [ %nB, %bB ]  ; wrong
  %accB = phi float [ %x39, %preB ], [ %tB, %bB ]  ; wrong
  %cB = icmp slt i32 %iB, 39  ; wrong
  br i1 %cB, label %bB, label %eB  ; wrong
bB:  ; wrong
  %kB = add i32 %iB, 0  ; wrong
  %pB = getelementptr float, ptr %a, i32 %kB  ; wrong
  %vB = load float, ptr %pB  ; wrong
  %tB = fadd float %accB, %vB  ; wrong
  %nB = add i32 %iB, 1  ; wrong
  br label %hB  ; wrong
eB:  ; wrong
  %q0 = fmul float %y0, %accA
  %q1 = fmul float %y1, %accB  ; wrong
;  %q1 = fmul float %y1, %accA  ; right
  %z = fadd float %q0, %q1
  store float %z, ptr %r
  ret void
}
