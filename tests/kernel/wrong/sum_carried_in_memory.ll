; In order: each iteration adds to what those before it left in memory of the thread.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[64] parameter(0)
;hlo   c = f32[] constant(3)
;hlo   b = f32[64] broadcast(c), dimensions={}
;hlo   ROOT r = f32[64] add(a, b)
;hlo }
;launch {"grid": [1], "threads": [1], "params": [
;launch   {"shape": "f32[64]", "role": "input", "memory": 0},
;launch   {"shape": "f32[64]", "role": "output", "memory": 1}]}

%XLA_CPU_KernelCallFrame = type { ptr, ptr, i64, ptr }
%XLA_CPU_KernelArg = type { ptr, i64 }
%kernel_dim3 = type { i64, i64, i64 }

define ptr @k(ptr %frame) {
  %args.at = getelementptr inbounds %XLA_CPU_KernelCallFrame, ptr %frame, i32 0, i32 3
  %args = load ptr, ptr %args.at
  %a.at = getelementptr inbounds %XLA_CPU_KernelArg, ptr %args, i32 0, i32 0
  %a = load ptr, ptr %a.at
  %r.at = getelementptr inbounds %XLA_CPU_KernelArg, ptr %args, i32 1, i32 0
  %r = load ptr, ptr %r.at
  %held = alloca float
  store float 3.0, ptr %held
  br label %elements
elements:
  %i = phi i64 [ 0, %0 ], [ %i.next, %element ]
  %i.in = icmp slt i64 %i, 64
  br i1 %i.in, label %element, label %end
element:
  %pa = getelementptr float, ptr %a, i64 %i
  %pr = getelementptr float, ptr %r, i64 %i
  %x = load float, ptr %pa
  %before = load float, ptr %held
  %y = fadd float %x, %before
  store float %y, ptr %held  ; wrong
  store float %y, ptr %pr
  %i.next = add i64 %i, 1
  br label %elements
end:
  ret ptr null
}
