; Vectors are aligned to their 32 bytes within a buffer that is not known to be so aligned.
;refuted bounds, values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f64[64] parameter(0)
;hlo   ROOT r = f64[64] copy(a)
;hlo }
;launch {"grid": [1], "threads": [16], "params": [
;launch   {"shape": "f64[64]", "role": "input"},
;launch   {"shape": "f64[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = mul i32 %t, 4
  %pa = getelementptr double, ptr %a, i32 %i
  %pr = getelementptr double, ptr %r, i32 %i
  %x = load <4 x double>, ptr %pa, align 32                ; wrong
; %x = load <4 x double>, ptr %pa, align 16                ; right
  store <4 x double> %x, ptr %pr, align 16
  ret void
}
