; Where the operand is negative, the kernel goes another way and forgets the sign.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[64] parameter(0)
;hlo   ROOT r = f32[64] negate(a)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "f32[64]", "role": "input"},
;launch   {"shape": "f32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %i = add i32 %first, %t
  %pa = getelementptr i32, ptr %a, i32 %i
  %pr = getelementptr i32, ptr %r, i32 %i
  %x = load float, ptr %pa
  %n = fneg float %x
  %p = fcmp oge float %x, 0.0
  br i1 %p, label %done, label %other
other:
  %m = fadd float %x, 1.0
  br label %done
done:
  %y = phi float [ %n, %0 ], [ %m, %other ]                ; wrong
; %y = phi float [ %n, %0 ], [ %n, %other ]                ; right
  store float %y, ptr %pr
  ret void
}
