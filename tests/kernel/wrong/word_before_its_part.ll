; The address of a word is the one of its part plus what wraps, and may not wrap.
;open values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[64] parameter(0)
;hlo   ROOT r = u4[64]{0:E(4)} convert(a)
;hlo }
;launch {"grid": [1], "threads": [64], "params": [{"shape": "s32[64]", "role": "input"}, {"shape": "u4[64]{0:E(4)}", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr align 16 %r) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pa = getelementptr i32, ptr %a, i32 %t
  %x = load i32, ptr %pa
  %v = trunc i32 %x to i4
  %z = zext i4 %v to i8
  %odd = and i32 %t, 1
  %odd8 = trunc i32 %odd to i8
  %at = mul i8 %odd8, 4
  %half = shl i8 15, %at
  %kept = xor i8 %half, -1
  %put = shl i8 %z, %at
  %byte = lshr i32 %t, 1
  %p = getelementptr i8, ptr %r, i32 %byte
  %address = ptrtoint ptr %p to i64
  %low = and i64 %address, 3
  %back = mul i64 %low, -1
  %word = getelementptr nuw i8, ptr %p, i64 %back           ; wrong
;  %word = getelementptr i8, ptr %p, i64 %back              ; right
  %low32 = trunc i64 %low to i32
  %by = mul i32 %low32, 8
  %mask = shl i32 255, %by
  %others = xor i32 %mask, -1
  %first = load i32, ptr %word, align 4
  br label %loop
loop:
  %e = phi i32 [ %first, %entry ], [ %found, %loop ]
  %shifted = lshr i32 %e, %by
  %part = trunc i32 %shifted to i8
  %neighbor = and i8 %part, %kept
  %both = or i8 %neighbor, %put
  %wide = zext i8 %both to i32
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
