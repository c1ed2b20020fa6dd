; A predicate that holds is stored as 3, not as 1.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[64] parameter(0)
;hlo   b = f32[64] parameter(1)
;hlo   ROOT r = pred[64] compare(a, b), direction=LT
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "f32[64]", "role": "input"},
;launch   {"shape": "f32[64]", "role": "input"},
;launch   {"shape": "pred[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %b, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %c, 32
  %i = add i32 %first, %t
  %pa = getelementptr i32, ptr %a, i32 %i
  %pb = getelementptr i32, ptr %b, i32 %i
  %pr = getelementptr i8, ptr %r, i32 %i
  %x = load float, ptr %pa
  %y = load float, ptr %pb
  %p = fcmp olt float %x, %y
  %z = select i1 %p, i8 3, i8 0                            ; wrong
; %z = select i1 %p, i8 1, i8 0                            ; right
  store i8 %z, ptr %pr
  ret void
}
