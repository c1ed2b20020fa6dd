; In order: a loop carries two values along, and adds the one to the other.
;refuted values
;hlo HloModule m
;hlo sum {
;hlo   x = f32[] parameter(0)
;hlo   y = f32[] parameter(1)
;hlo   ROOT s = f32[] add(x, y)
;hlo }
;hlo ENTRY e {
;hlo   a = f32[64] parameter(0)
;hlo   zero = f32[] constant(0)
;hlo   ROOT r = f32[] reduce(a, zero), dimensions={0}, to_apply=sum
;hlo }
;launch {"grid": [1], "threads": [1], "params": [
;launch   {"shape": "f32[64]", "role": "input", "memory": 0},
;launch   {"shape": "f32[]", "role": "output", "memory": 1}]}

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
  br label %elements
elements:
  %i = phi i64 [ 0, %0 ], [ %i.next, %element ]
  %other = phi float [ 0.0, %0 ], [ %x, %element ]
  %sum = phi float [ 0.0, %0 ], [ %more, %element ]
  %i.in = icmp slt i64 %i, 64
  br i1 %i.in, label %element, label %end
element:
  %pa = getelementptr float, ptr %a, i64 %i
  %x = load float, ptr %pa
  %more = fadd float %sum, %other  ; wrong
;  %more = fadd float %sum, %x  ; right
  %i.next = add i64 %i, 1
  br label %elements
end:
  store float %sum, ptr %r
  ret ptr null
}
