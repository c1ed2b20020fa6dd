; Bytes are stored plainly beside swaps of the word that they are in.
;refuted races
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[64] parameter(0)
;hlo   ROOT r = u4[64]{0:E(4)} convert(a)
;hlo }
;launch {"grid": [1], "threads": [64], "params": [{"shape": "s32[64]", "role": "input"}, {"shape": "u4[64]{0:E(4)}", "role": "output"}]}

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr %a, ptr align 16 %r) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %byte = lshr i32 %t, 1
  %odd = and i32 %t, 1
  %which = and i32 %byte, 1
  %pa = getelementptr i32, ptr %a, i32 %t
  %p = getelementptr i8, ptr %r, i32 %byte
  %plain = icmp eq i32 %which, 0                            ; wrong
;  %plain = icmp eq i32 %which, 2                           ; right
  br i1 %plain, label %store, label %swap
store:
  %even = icmp eq i32 %odd, 0
  br i1 %even, label %both, label %end
both:
  %y0 = load i32, ptr %pa
  %pa1 = getelementptr i32, ptr %pa, i32 1
  %y1 = load i32, ptr %pa1
  %v0 = trunc i32 %y0 to i4
  %v1 = trunc i32 %y1 to i4
  %z0 = zext i4 %v0 to i8
  %z1 = zext i4 %v1 to i8
  %s1 = shl i8 %z1, 4
  %w = or i8 %z0, %s1
  store i8 %w, ptr %p
  br label %end
swap:
  %x = load i32, ptr %pa
  %v = trunc i32 %x to i4
  %z = zext i4 %v to i8
  %odd8 = trunc i32 %odd to i8
  %at = mul i8 %odd8, 4
  %half = shl i8 15, %at
  %kept = xor i8 %half, -1
  %put = shl i8 %z, %at
  %address = ptrtoint ptr %p to i64
  %low = and i64 %address, 3
  %back = mul i64 %low, -1
  %word = getelementptr i8, ptr %p, i64 %back
  %low32 = trunc i64 %low to i32
  %by = mul i32 %low32, 8
  %mask = shl i32 255, %by
  %others = xor i32 %mask, -1
  %first = load i32, ptr %word, align 4
  br label %loop
loop:
  %e = phi i32 [ %first, %swap ], [ %found, %loop ]
  %shifted = lshr i32 %e, %by
  %part = trunc i32 %shifted to i8
  %neighbor = and i8 %part, %kept
  %both2 = or i8 %neighbor, %put
  %wide = zext i8 %both2 to i32
  %rest = and i32 %e, %others
  %moved = shl i32 %wide, %by
  %new = or i32 %rest, %moved
  %pair = cmpxchg ptr %word, i32 %e, i32 %new monotonic monotonic, align 4
  %found = extractvalue { i32, i1 } %pair, 0
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
