; In order, in place: an index that was in range is overwritten, and read again.
;refuted bounds
;hlo HloModule m
;hlo ENTRY e {
;hlo   i = s32[16] parameter(0)
;hlo   a = s32[16] parameter(1)
;hlo   c = s32[] constant(1000000)
;hlo   ROOT r = s32[16] broadcast(c), dimensions={}
;hlo }
;launch {"grid": [1], "threads": [1], "params": [
;launch   {"shape": "s32[16]", "role": "input", "memory": 0},
;launch   {"shape": "s32[16]", "role": "input", "memory": 1},
;launch   {"shape": "s32[16]", "role": "output", "memory": 0}]}

%XLA_CPU_KernelCallFrame = type { ptr, ptr, i64, ptr }
%XLA_CPU_KernelArg = type { ptr, i64 }

define ptr @k(ptr %frame) {
  %args.at = getelementptr inbounds %XLA_CPU_KernelCallFrame, ptr %frame, i32 0, i32 3
  %args = load ptr, ptr %args.at
  %i.at = getelementptr inbounds %XLA_CPU_KernelArg, ptr %args, i32 0, i32 0
  %i = load ptr, ptr %i.at
  %a.at = getelementptr inbounds %XLA_CPU_KernelArg, ptr %args, i32 1, i32 0
  %a = load ptr, ptr %a.at
  %r.at = getelementptr inbounds %XLA_CPU_KernelArg, ptr %args, i32 2, i32 0
  %r = load ptr, ptr %r.at
  br label %elements
elements:
  %k = phi i64 [ 0, %0 ], [ %k.next, %element.end ]
  %k.in = icmp slt i64 %k, 16
  br i1 %k.in, label %element, label %end
element:
  %p = getelementptr i32, ptr %i, i64 %k
  %first = load i32, ptr %p
  %inside = icmp ult i32 %first, 16
  store i32 1000000, ptr %p
  br i1 %inside, label %use, label %element.end
use:
  %again = load i32, ptr %p  ; wrong
;  %again = add i32 %first, 0  ; right
  %pa = getelementptr i32, ptr %a, i32 %again
  %x = load i32, ptr %pa
  br label %element.end
element.end:
  %k.next = add i64 %k, 1
  br label %elements
end:
  ret ptr null
}
