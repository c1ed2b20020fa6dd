; A function that rounds to bf16, declared as one to f16.
;open values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[16] parameter(0)
;hlo   ROOT r = f16[16] convert(a)
;hlo }
;launch {"grid": [1], "threads": [1], "params": [
;launch   {"shape": "f32[16]", "role": "input", "memory": 0},
;launch   {"shape": "f16[16]", "role": "output", "memory": 1}]}
%XLA_CPU_KernelCallFrame = type { ptr, ptr, i64, ptr }
%XLA_CPU_KernelArg = type { ptr, i64 }
declare half @xla.fptrunc.f32.to.bf16(float)
define ptr @k(ptr %frame) {
  %args.at = getelementptr inbounds %XLA_CPU_KernelCallFrame, ptr %frame, i32 0, i32 3
  %args = load ptr, ptr %args.at
  %a.at = getelementptr inbounds %XLA_CPU_KernelArg, ptr %args, i32 0, i32 0
  %a = load ptr, ptr %a.at
  %r.at = getelementptr inbounds %XLA_CPU_KernelArg, ptr %args, i32 1, i32 0
  %r = load ptr, ptr %r.at
  br label %rows
rows:
  %i = phi i64 [ 0, %0 ], [ %i.next, %row ]
  %i.in = icmp slt i64 %i, 16
  br i1 %i.in, label %row, label %end
row:
  %pa = getelementptr float, ptr %a, i64 %i
  %x = load float, ptr %pa
  %n = call half @xla.fptrunc.f32.to.bf16(float %x)  ; wrong
;  %n = fptrunc float %x to half  ; right
  %pr = getelementptr half, ptr %r, i64 %i
  store half %n, ptr %pr
  %i.next = add i64 %i, 1
  br label %rows
end:
  ret ptr null
}
