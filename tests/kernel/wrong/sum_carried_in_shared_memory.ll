; Each iteration of a thread's loop adds to what those before it left in shared memory.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[2048] parameter(0)
;hlo   c = f32[] constant(3)
;hlo   b = f32[2048] broadcast(c), dimensions={}
;hlo   ROOT r = f32[2048] add(a, b)
;hlo }
;launch {"grid": [1], "threads": [32], "params": [
;launch   {"shape": "f32[2048]", "role": "input", "memory": 0},
;launch   {"shape": "f32[2048]", "role": "output", "memory": 1}]}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
@held = internal addrspace(3) global [32 x float] undef, align 16
define ptx_kernel void @k(ptr %a, ptr %r) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %h = getelementptr [32 x float], ptr addrspace(3) @held, i32 0, i32 %t
  store float 3.0, ptr addrspace(3) %h
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %body ]
  %i.in = icmp slt i32 %i, 2048
  br i1 %i.in, label %body, label %done
body:
  %e = add i32 %t, %i
  %p = getelementptr float, ptr %a, i32 %e
  %q = getelementptr float, ptr %r, i32 %e
  %x = load float, ptr %p
  %before = load float, ptr addrspace(3) %h
  %y = fadd float %x, %before
  store float %y, ptr addrspace(3) %h  ; wrong
  store float %y, ptr %q
  %i.next = add i32 %i, 32
  br label %loop
done:
  ret void
}
