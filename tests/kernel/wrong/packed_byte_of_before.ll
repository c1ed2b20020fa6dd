; In order: each half of a byte is put beside what the other half was before the loop.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[2] parameter(0)
;hlo   ROOT r = u4[2]{0:E(4)} convert(a)
;hlo }
;launch {"grid": [1], "threads": [1], "params": [
;launch   {"shape": "s32[2]", "role": "input", "memory": 0},
;launch   {"shape": "u4[2]{0:E(4)}", "role": "output", "memory": 1}]}

%XLA_CPU_KernelCallFrame = type { ptr, ptr, i64, ptr }
%XLA_CPU_KernelArg = type { ptr, i64 }

define ptr @k(ptr %frame) {
  %args.at = getelementptr inbounds %XLA_CPU_KernelCallFrame, ptr %frame, i32 0, i32 3
  %args = load ptr, ptr %args.at
  %a.at = getelementptr inbounds %XLA_CPU_KernelArg, ptr %args, i32 0, i32 0
  %a = load ptr, ptr %a.at
  %r.at = getelementptr inbounds %XLA_CPU_KernelArg, ptr %args, i32 1, i32 0
  %r = load ptr, ptr %r.at
  %old = load i8, ptr %r       ; wrong
  br label %elements
elements:
  %i = phi i64 [ 0, %0 ], [ %i.next, %element ]
  %i.in = icmp slt i64 %i, 2
  br i1 %i.in, label %element, label %end
element:
  %pa = getelementptr i32, ptr %a, i64 %i
  %x = load i32, ptr %pa
  %v = trunc i32 %x to i4
  %z = zext i4 %v to i8
  %odd = trunc i64 %i to i8
  %at = mul i8 %odd, 4
  %half = shl i8 15, %at
  %kept = xor i8 %half, -1
  %put = shl i8 %z, %at
; %old = load i8, ptr %r       ; right
  %other = and i8 %old, %kept
  %both = or i8 %other, %put
  store i8 %both, ptr %r
  %i.next = add i64 %i, 1
  br label %elements
end:
  ret ptr null
}
