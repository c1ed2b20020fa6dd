; The bits of a bf16 are moved by 15 places to become an f32.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[64] parameter(0)
;hlo   p = bf16[64] convert(a)
;hlo   w = f32[64] convert(p)
;hlo   ROOT r = f32[64] multiply(w, a)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "f32[64]", "role": "input"},
;launch   {"shape": "f32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %before = mul i32 %block, 32
  %i = add i32 %before, %t
  %pa = getelementptr float, ptr %a, i32 %i
  %pr = getelementptr float, ptr %r, i32 %i
  %x = load float, ptr %pa
  %p = fptrunc float %x to bfloat
  %bits = bitcast bfloat %p to i16
  %int = sext i16 %bits to i32
  %high = shl i32 %int, 15     ; wrong
; %high = shl i32 %int, 16     ; right
  %w = bitcast i32 %high to float
  %m = fmul float %w, %x
  store float %m, ptr %pr
  ret void
}
