; A float beyond the integer's range converts to poison; the computation's conversion saturates.
;refuted integers
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[64] parameter(0)
;hlo   ROOT r = s32[64] convert(a)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "f32[64]", "role": "input"},
;launch   {"shape": "s32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %i = add i32 %first, %t
  %pa = getelementptr i32, ptr %a, i32 %i
  %pr = getelementptr i32, ptr %r, i32 %i
  %x = load float, ptr %pa
  %y = fptosi float %x to i32                              ; wrong
; %y = call i32 @llvm.fptosi.sat.i32.f32(float %x)         ; right
  store i32 %y, ptr %pr
  ret void
}
