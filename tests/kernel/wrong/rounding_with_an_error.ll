; A function of XLA:CPU that rounds may be 2.5 ulp off.
;open values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[4] parameter(0)
;hlo   ROOT r = bf16[4] convert(a)
;hlo }
;launch {"kernel": "k", "grid": [1, 1, 1], "threads": [1, 1, 1], "params": [{"shape": "f32[4]", "role": "input"}, {"shape": "bf16[4]", "role": "output"}]}

%XLA_CPU_KernelCallFrame = type { ptr, ptr, i64, ptr }
%XLA_CPU_KernelArg = type { ptr, i64 }
define ptr @k(ptr %0) {
  %g = getelementptr inbounds nuw %XLA_CPU_KernelCallFrame, ptr %0, i32 0, i32 3
  %args = load ptr, ptr %g, align 8
  %pa = load ptr, ptr %args, align 8
  %p1 = getelementptr %XLA_CPU_KernelArg, ptr %args, i32 1, i32 0
  %po = load ptr, ptr %p1, align 8
  br label %h
h:
  %i = phi i64 [ 0, %1 ], [ %n, %b ]
  %c = icmp ult i64 %i, 4
  br i1 %c, label %b, label %x
b:
  %q = getelementptr inbounds [4 x float], ptr %pa, i64 0, i64 %i
  %v = load float, ptr %q, align 4
  %m = call bfloat @xla.fptrunc.f32.to.bf16(float %v), !fpmath !0; wrong
;  %m = call bfloat @xla.fptrunc.f32.to.bf16(float %v)      ; right
  %w = getelementptr inbounds [4 x bfloat], ptr %po, i64 0, i64 %i
  store bfloat %m, ptr %w, align 2
  %n = add nuw nsw i64 %i, 1
  br label %h
x:
  ret ptr null
}
declare bfloat @xla.fptrunc.f32.to.bf16(float)
!0 = !{float 2.5}
