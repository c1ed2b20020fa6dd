; A constant of bytes without an alignment is read as if it had one.
;refuted bounds, values
;hlo HloModule m
;hlo ENTRY e {
;hlo   ROOT r = u8[16] constant({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
;hlo }
;launch {"grid": [1], "threads": [1], "params": [
;launch   {"shape": "u8[16]", "role": "output", "memory": 0}]}
target triple = "x86_64-unknown-linux-gnu"
%XLA_CPU_KernelCallFrame = type { ptr, ptr, i64, ptr }
%XLA_CPU_KernelArg = type { ptr, i64 }
@b = constant [3 x i8] c"abc"
@c = constant [16 x i8] c"\01\02\03\04\05\06\07\08\09\0A\0B\0C\0D\0E\0F\10"
define ptr @k(ptr %frame) {
  %args.at = getelementptr inbounds %XLA_CPU_KernelCallFrame, ptr %frame, i32 0, i32 3
  %args = load ptr, ptr %args.at
  %a.at = getelementptr inbounds %XLA_CPU_KernelArg, ptr %args, i32 0, i32 0
  %a = load ptr, ptr %a.at
  %v = load <16 x i8>, ptr @c, align 16  ; wrong
;  %v = load <16 x i8>, ptr @c, align 1  ; right
  store <16 x i8> %v, ptr %a, align 16
  ret ptr null
}
