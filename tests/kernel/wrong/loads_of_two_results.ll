; Two results are read in one iteration of a loop, and taken for one.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[32] parameter(0)
;hlo   b = s32[32] parameter(1)
;hlo   c = s32[] constant(7)
;hlo   d = s32[32] add(b, b)
;hlo   n = s32[32] broadcast(c), dimensions={}
;hlo   ROOT r = (s32[], s32[32], s32[32]) tuple(c, d, n)
;hlo }
;launch {"grid": [1], "threads": [1], "params": [
;launch   {"shape": "s32[32]", "role": "input", "memory": 0},
;launch   {"shape": "s32[32]", "role": "input", "memory": 1},
;launch   {"shape": "s32[]", "role": "output", "memory": 2},
;launch   {"shape": "s32[32]", "role": "output", "memory": 0},
;launch   {"shape": "s32[32]", "role": "output", "memory": 1}]}

target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr %a, ptr %b, ptr %t, ptr %r, ptr %s) {
  store i32 7, ptr %t
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %n, %body ]
  %c = icmp slt i32 %i, 32
  br i1 %c, label %body, label %exit
body:
  %pa = getelementptr i32, ptr %r, i32 %i
  %pb = getelementptr i32, ptr %s, i32 %i
  %x = load i32, ptr %pa
  %y = load i32, ptr %pb
  %d = sub i32 %x, %y
  %e = icmp eq i32 %d, 123456789
  %w = zext i1 %e to i32
  %z = add i32 %x, %y  ; wrong
; %z = add i32 %y, %y  ; right
  store i32 %z, ptr %pa
  store i32 7, ptr %pb
  %n = add i32 %i, 1
  br label %loop
exit:
  ret void
}
