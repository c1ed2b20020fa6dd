; Vectors are loaded from the second element on, and said to be aligned to 16 bytes.
;refuted bounds, values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[68] parameter(0)
;hlo   ROOT r = f32[64] slice(a), slice={[1:65]}
;hlo }
;launch {"grid": [1], "threads": [16], "params": [
;launch   {"shape": "f32[68]", "role": "input"},
;launch   {"shape": "f32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %j = mul i32 %t, 4
  %k = add i32 %j, 1
  %pa = getelementptr float, ptr %a, i32 %k
  %pr = getelementptr float, ptr %r, i32 %j
  %x = load <4 x float>, ptr %pa, align 16                 ; wrong
; %x = load <4 x float>, ptr %pa, align 4                  ; right
  store <4 x float> %x, ptr %pr, align 16
  ret void
}
