; In order: the sum of each row has the strides of the array swapped, and is that of a column.
;refuted values
;hlo HloModule m
;hlo sum {
;hlo   x = f32[] parameter(0)
;hlo   y = f32[] parameter(1)
;hlo   ROOT s = f32[] add(x, y)
;hlo }
;hlo ENTRY e {
;hlo   a = f32[16,16] parameter(0)
;hlo   zero = f32[] constant(0)
;hlo   ROOT r = f32[16] reduce(a, zero), dimensions={1}, to_apply=sum
;hlo }
;launch {"grid": [1], "threads": [1], "params": [
;launch   {"shape": "f32[16,16]", "role": "input", "memory": 0},
;launch   {"shape": "f32[16]", "role": "output", "memory": 1}]}

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
  %i.in = icmp slt i64 %i, 16
  br i1 %i.in, label %row, label %end
row:
  br label %columns
columns:
  %j = phi i64 [ 0, %row ], [ %j.next, %column ]
  %sum = phi float [ 0.0, %row ], [ %more, %column ]
  %j.in = icmp slt i64 %j, 16
  br i1 %j.in, label %column, label %row.end
column:
  %before = mul i64 %j, 16  ; wrong
;  %before = mul i64 %i, 16  ; right
  %e = add i64 %before, %i  ; wrong
;  %e = add i64 %before, %j  ; right
  %pa = getelementptr float, ptr %a, i64 %e
  %x = load float, ptr %pa
  %more = fadd float %sum, %x
  %j.next = add i64 %j, 1
  br label %columns
row.end:
  %pr = getelementptr float, ptr %r, i64 %i
  store float %sum, ptr %pr
  %i.next = add i64 %i, 1
  br label %rows
end:
  ret ptr null
}
