; In order: a loop of ten iterations ends after nine.
;refuted writes, values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[8,10] parameter(0)
;hlo   ROOT r = f32[8,10] negate(a)
;hlo }
;launch {"grid": [1], "threads": [1], "params": [
;launch   {"shape": "f32[8,10]", "role": "input", "memory": 0},
;launch   {"shape": "f32[8,10]", "role": "output", "memory": 1}]}

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
  br label %rows
rows:
  %i = phi i64 [ 0, %0 ], [ %i.next, %row.end ]
  %i.in = icmp slt i64 %i, 8
  br i1 %i.in, label %row, label %end
row:
  %first = mul i64 %i, 10
  br label %columns
columns:
  %j = phi i64 [ 0, %row ], [ %j.next, %column ]
  %j.in = icmp slt i64 %j, 9  ; wrong
;  %j.in = icmp slt i64 %j, 10  ; right
  br i1 %j.in, label %column, label %row.end
column:
  %e = add i64 %first, %j
  %pa = getelementptr float, ptr %a, i64 %e
  %pr = getelementptr float, ptr %r, i64 %e
  %x = load float, ptr %pa
  %y = fneg float %x
  store float %y, ptr %pr
  %j.next = add i64 %j, 1
  br label %columns
row.end:
  %i.next = add i64 %i, 1
  br label %rows
end:
  ret ptr null
}
