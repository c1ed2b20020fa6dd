; Threads go through an array in strides, and leave out its last element.
;refuted writes, values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[2016] parameter(0)
;hlo   ROOT r = f32[2016] negate(a)
;hlo }
;launch {"grid": [1], "threads": [32], "params": [
;launch   {"shape": "f32[2016]", "role": "input", "memory": 0},
;launch   {"shape": "f32[2016]", "role": "output", "memory": 1}]}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr %a, ptr %r) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %i.next, %body ]
  %i.in = icmp slt i32 %i, 2015  ; wrong
;  %i.in = icmp slt i32 %i, 2016  ; right
  br i1 %i.in, label %body, label %done
body:
  %p = getelementptr float, ptr %a, i32 %i
  %q = getelementptr float, ptr %r, i32 %i
  %x = load float, ptr %p
  %y = fneg float %x
  store float %y, ptr %q
  %i.next = add i32 %i, 32
  br label %loop
done:
  ret void
}
