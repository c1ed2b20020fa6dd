; In order: a scatter takes its updates from the last to the first.
;open values
;hlo HloModule m
;hlo last {
;hlo   x = f32[] parameter(0)
;hlo   y = f32[] parameter(1)
;hlo   ROOT s = f32[] copy(y)
;hlo }
;hlo ENTRY e {
;hlo   a = f32[10] parameter(0)
;hlo   i = s32[64,1] parameter(1)
;hlo   u = f32[64] parameter(2)
;hlo   ROOT r = f32[10] scatter(a, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=last
;hlo }
;launch {"grid": [1], "threads": [1], "params": [
;launch   {"shape": "f32[10]", "role": "input", "memory": 0},
;launch   {"shape": "s32[64,1]", "role": "input", "memory": 1},
;launch   {"shape": "f32[64]", "role": "input", "memory": 2},
;launch   {"shape": "f32[10]", "role": "output", "memory": 0}]}

%XLA_CPU_KernelCallFrame = type { ptr, ptr, i64, ptr }
%XLA_CPU_KernelArg = type { ptr, i64 }
%kernel_dim3 = type { i64, i64, i64 }

define ptr @k(ptr %frame) {
  %args.at = getelementptr inbounds %XLA_CPU_KernelCallFrame, ptr %frame, i32 0, i32 3
  %args = load ptr, ptr %args.at
  %a.at = getelementptr inbounds %XLA_CPU_KernelArg, ptr %args, i32 0, i32 0
  %a = load ptr, ptr %a.at
  %i.at = getelementptr inbounds %XLA_CPU_KernelArg, ptr %args, i32 1, i32 0
  %i = load ptr, ptr %i.at
  %u.at = getelementptr inbounds %XLA_CPU_KernelArg, ptr %args, i32 2, i32 0
  %u = load ptr, ptr %u.at
  %r.at = getelementptr inbounds %XLA_CPU_KernelArg, ptr %args, i32 3, i32 0
  %r = load ptr, ptr %r.at
  br label %updates
updates:
  %k = phi i64 [ 0, %0 ], [ %k.next, %update.end ]
  %k.in = icmp slt i64 %k, 64
  br i1 %k.in, label %update, label %end
update:
  %n = sub i64 63, %k  ; wrong
;  %n = add i64 0, %k  ; right
  %pi = getelementptr i32, ptr %i, i64 %n
  %at = load i32, ptr %pi
  %inside = icmp ule i32 %at, 9
  br i1 %inside, label %set, label %update.end
set:
  %pu = getelementptr float, ptr %u, i64 %n
  %x = load float, ptr %pu
  %pr = getelementptr float, ptr %a, i32 %at
  store float %x, ptr %pr
  br label %update.end
update.end:
  %k.next = add i64 %k, 1
  br label %updates
end:
  ret ptr null
}
