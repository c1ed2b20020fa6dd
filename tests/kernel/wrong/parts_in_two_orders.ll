; The real and the imaginary parts of a sum of complex numbers are added in two orders.
;open values
;hlo HloModule m
;hlo add {
;hlo   a = c64[] parameter(0)
;hlo   b = c64[] parameter(1)
;hlo   ROOT c = c64[] add(a, b)
;hlo }
;hlo ENTRY e {
;hlo   p = c64[64] parameter(0)
;hlo   z = c64[] constant((0, 0))
;hlo   ROOT r = c64[] reduce(p, z), dimensions={0}, to_apply=add
;hlo }
;launch {"grid": [1], "threads": [1], "params": [
;launch   {"shape": "c64[64]", "role": "input"},
;launch   {"shape": "c64[]", "role": "output"}]}

define ptx_kernel void @k(ptr %p, ptr %o) {
entry:
  br label %ha

ha:
  %ia = phi i32 [ 0, %entry ], [ %na, %ba ]
  %Aa = phi float [ 0.0, %entry ], [ %Ba, %ba ]
  %ca = icmp slt i32 %ia, 64
  br i1 %ca, label %ba, label %hb
ba:
  %xa = add i32 %ia, 0
  %ya = mul i32 %xa, 2
  %wa = add i32 %ya, 0
  %qa = getelementptr float, ptr %p, i32 %wa
  %va = load float, ptr %qa
  %Ba = fadd float %Aa, %va
  %na = add i32 %ia, 1
  br label %ha

hb:
  %ib = phi i32 [ 0, %ha ], [ %nb, %bb ]
  %Ab = phi float [ 0.0, %ha ], [ %Bb, %bb ]
  %cb = icmp slt i32 %ib, 64
  br i1 %cb, label %bb, label %x
bb:
  %xb = sub i32 63, %ib                                    ; wrong
;  %xb = add i32 %ib, 0                                     ; right
  %yb = mul i32 %xb, 2
  %wb = add i32 %yb, 1
  %qb = getelementptr float, ptr %p, i32 %wb
  %vb = load float, ptr %qb
  %Bb = fadd float %Ab, %vb
  %nb = add i32 %ib, 1
  br label %hb

x:
  %in1 = insertelement <2 x float> poison, float %Aa, i32 0
  %in2 = insertelement <2 x float> %in1, float %Ab, i32 1
  store <2 x float> %in2, ptr %o
  ret void
}
