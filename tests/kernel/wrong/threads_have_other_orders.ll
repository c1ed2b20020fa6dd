; The first thread sums forwards, the others backwards: one number is to be stored four times.
;open values
;hlo HloModule m
;hlo add {
;hlo   x = f32[] parameter(0)
;hlo   y = f32[] parameter(1)
;hlo   ROOT s = f32[] add(x, y)
;hlo }
;hlo ENTRY e {
;hlo   p = f32[64] parameter(0)
;hlo   z = f32[] constant(-0)
;hlo   r = f32[] reduce(p, z), dimensions={0}, to_apply=add
;hlo   ROOT d = f32[4] broadcast(r), dimensions={}
;hlo }
;launch {"grid": [1], "threads": [4], "params": [
;launch   {"shape": "f32[64]", "role": "input"},
;launch   {"shape": "f32[4]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %one
one:
  %i = phi i32 [ 0, %entry ], [ %n, %body ]
  %acc = phi float [ -0.0, %entry ], [ %s, %body ]
  %go = icmp slt i32 %i, 64
  br i1 %go, label %body, label %end
body:
  %is.first = icmp eq i32 %t, 0
  %back = sub i32 63, %i
  %at = select i1 %is.first, i32 %i, i32 %back             ; wrong
; %at = select i1 %is.first, i32 %back, i32 %back          ; right
  %p = getelementptr float, ptr %a, i32 %at
  %v = load float, ptr %p
  %s = fadd float %acc, %v
  %n = add i32 %i, 1
  br label %one
end:
  %q = getelementptr float, ptr %r, i32 %t
  store float %acc, ptr %q
  ret void
}
