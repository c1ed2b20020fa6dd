; Half of an integer is poison where one number is read, and then all of it is.
;open integers
;hlo HloModule m
;hlo ENTRY e {
;hlo   p = s32[32] parameter(0)
;hlo   ROOT c = s32[32] copy(p)
;hlo }
;launch {"grid": [1], "threads": [32], "params": [
;launch   {"shape": "s32[32]", "role": "input"},
;launch   {"shape": "s32[32]", "role": "output"}]}

define ptx_kernel void @k(ptr %p, ptr %r) {
  %a = alloca i32, align 4
  %b = alloca i32, align 4
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pp = getelementptr i32, ptr %p, i32 %t
  %rp = getelementptr i32, ptr %r, i32 %t
  %v = load i32, ptr %pp
  %a1 = getelementptr i8, ptr %a, i64 2
  %b1 = getelementptr i8, ptr %b, i64 2
  %h = mul i32 %v, -1640531527
  %rare = icmp eq i32 %h, 305419896
  %upper = lshr i32 %v, 16
  %v1 = trunc i32 %upper to i16
  br i1 %rare, label %poisons, label %done
poisons:
  store i16 poison, ptr %a, align 4  ; wrong
; store i16 0, ptr %a, align 4  ; right
  store i16 %v1, ptr %a1, align 2
  %x = load i32, ptr %a, align 4
  store i32 %x, ptr %b, align 4
  %w1 = load i16, ptr %b1, align 2
  br label %done
done:
  %w = phi i16 [ %v1, %0 ], [ %w1, %poisons ]
  %wz = zext i16 %w to i32
  %ws = shl i32 %wz, 16
  %low = and i32 %v, 65535
  %o = or i32 %ws, %low
  store i32 %o, ptr %rp
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
