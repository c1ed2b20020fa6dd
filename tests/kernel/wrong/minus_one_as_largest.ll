; Floats that are too large become -1, which no unsigned integer is.
;refuted integers, values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[64] parameter(0)
;hlo   ROOT r = u8[64] convert(a)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "f32[64]", "role": "input"},
;launch   {"shape": "u8[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %i = add i32 %first, %t
  %pa = getelementptr i32, ptr %a, i32 %i
  %pr = getelementptr i8, ptr %r, i32 %i
  %x = load float, ptr %pa
  %large = fcmp oge float %x, 256.0
  %small = fcmp ole float %x, 0.0
  %nan = fcmp uno float %x, %x
  %other = or i1 %small, %nan
  %u = select i1 %large, float -1.0, float %x              ; wrong
; %u = select i1 %large, float 255.0, float %x             ; right
  %v = select i1 %other, float 0.0, float %u
  %n = fptoui float %v to i8
  %z = select i1 %other, i8 0, i8 %n
  store i8 %z, ptr %pr
  ret void
}
