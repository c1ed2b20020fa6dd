; In order: both workgroups compute all elements, whatever their number.
;refuted races
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[64] parameter(0)
;hlo   ROOT r = f32[64] negate(a)
;hlo }
;launch {"grid": [2], "threads": [1], "params": [
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
  %ids.at = getelementptr inbounds %XLA_CPU_KernelCallFrame, ptr %frame, i32 0, i32 1
  %ids = load ptr, ptr %ids.at
  %b = load i64, ptr %ids
  %first = mul i64 %b, 0  ; wrong
;  %first = mul i64 %b, 32  ; right
  br label %elements
elements:
  %i = phi i64 [ 0, %0 ], [ %i.next, %element ]
  %i.in = icmp slt i64 %i, 64  ; wrong
;  %i.in = icmp slt i64 %i, 32  ; right
  br i1 %i.in, label %element, label %end
element:
  %e = add i64 %first, %i
  %pa = getelementptr float, ptr %a, i64 %e
  %pr = getelementptr float, ptr %r, i64 %e
  %x = load float, ptr %pa
  %y = fneg float %x
  store float %y, ptr %pr
  %i.next = add i64 %i, 1
  br label %elements
end:
  ret ptr null
}
