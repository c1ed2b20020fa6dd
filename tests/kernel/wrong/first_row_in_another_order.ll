; Each row less the first one: of the first row that is 0, and it is summed forwards and backwards.
;open values
;hlo HloModule m
;hlo add {
;hlo   x = f32[] parameter(0)
;hlo   y = f32[] parameter(1)
;hlo   ROOT s = f32[] add(x, y)
;hlo }
;hlo ENTRY e {
;hlo   p = f32[4,64] parameter(0)
;hlo   z = f32[] constant(0)
;hlo   r = f32[4] reduce(p, z), dimensions={1}, to_apply=add
;hlo   f = f32[1] slice(r), slice={[0:1]}
;hlo   g = f32[] reshape(f)
;hlo   b = f32[4] broadcast(g), dimensions={}
;hlo   ROOT d = f32[4] subtract(r, b)
;hlo }
;launch {"grid": [1], "threads": [4], "params": [
;launch   {"shape": "f32[4,64]", "role": "input"},
;launch   {"shape": "f32[4]", "role": "output"}]}

define ptx_kernel void @k(ptr %p, ptr %o) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul i32 %t, 64
  br label %h
h:
  %i = phi i32 [ 0, %entry ], [ %i2, %b ]
  %acc = phi float [ 0.0, %entry ], [ %acc2, %b ]
  %c = icmp slt i32 %i, 64
  br i1 %c, label %b, label %h2
b:
  %e = add i32 %row, %i
  %a = getelementptr float, ptr %p, i32 %e
  %v = load float, ptr %a
  %acc2 = fadd float %acc, %v
  %i2 = add i32 %i, 1
  br label %h
h2:
  %j = phi i32 [ 0, %h ], [ %j2, %b2 ]
  %bcc = phi float [ 0.0, %h ], [ %bcc2, %b2 ]
  %c2 = icmp slt i32 %j, 64
  br i1 %c2, label %b2, label %x
b2:
  %e2 = sub i32 63, %j                                     ; wrong
; %e2 = add i32 0, %j                                      ; right
  %a2 = getelementptr float, ptr %p, i32 %e2
  %v2 = load float, ptr %a2
  %bcc2 = fadd float %bcc, %v2
  %j2 = add i32 %j, 1
  br label %h2
x:
  %d = fsub float %acc, %bcc
  %q = getelementptr float, ptr %o, i32 %t
  store float %d, ptr %q
  ret void
}
