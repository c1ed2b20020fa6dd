; The first hundred elements are summed in the stead of the first halves of two rows.
;refuted values
;hlo HloModule m
;hlo add { x = f32[] parameter(0)
;hlo   y = f32[] parameter(1)
;hlo   ROOT s = f32[] add(x, y) }
;hlo ENTRY e {
;hlo   a = f32[2,100] parameter(0)
;hlo   h = f32[2,50] slice(a), slice={[0:2], [0:50]}
;hlo   z = f32[] constant(0)
;hlo   ROOT r = f32[] reduce(h, z), dimensions={0,1}, to_apply=add
;hlo }
;launch {"grid": [1], "threads": [1], "params": [
;launch   {"shape": "f32[2,100]", "role": "input", "memory": 0},
;launch   {"shape": "f32[]", "role": "output", "memory": 1}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %body ]
  %s = phi float [ 0.0, %entry ], [ %s.next, %body ]
  %i.in = icmp slt i32 %i, 100
  br i1 %i.in, label %body, label %done
body:
  %row = udiv i32 %i, 50
  %column = urem i32 %i, 50
  %first = mul i32 %row, 50  ; wrong
;  %first = mul i32 %row, 100  ; right
  %at = add i32 %first, %column
  %p = getelementptr float, ptr %a, i32 %at
  %x = load float, ptr %p
  %s.next = fadd float %s, %x
  %i.next = add i32 %i, 1
  br label %loop
done:
  store float %s, ptr %r
  ret void
}
