; A divisor is a number less the bits of two NaNs, which need not cancel.
;open bounds, integers
;hlo HloModule m
;hlo ENTRY e {
;hlo   x = f32[32] parameter(0)
;hlo   y = f32[32] parameter(1)
;hlo   c = s32[32] parameter(2)
;hlo   ROOT r = s32[32] negate(c)
;hlo }
;launch {"grid": [1], "threads": [32], "params": [
;launch   {"shape": "f32[32]", "role": "input"},
;launch   {"shape": "f32[32]", "role": "input"},
;launch   {"shape": "s32[32]", "role": "input"},
;launch   {"shape": "s32[32]", "role": "output"}]}

target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr %a, ptr %b, ptr %c, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pa = getelementptr float, ptr %a, i32 %t
  %pb = getelementptr float, ptr %b, i32 %t
  %pr = getelementptr i32, ptr %r, i32 %t
  %x = load float, ptr %pa
  %y = load float, ptr %pb
  %s1 = fadd float %x, %y
  %s2 = fadd float %y, %x  ; wrong
  %b1 = bitcast float %s1 to i32
  %b2 = bitcast float %s2 to i32  ; wrong
; %b2 = bitcast float %s1 to i32  ; right
  %q = xor i32 %b1, %b2
  %d = sub i32 %q, 123
  %e = sdiv i32 1, %d
  %i = add i32 %t, %q
  %pc = getelementptr i32, ptr %c, i32 %i
  %v = load i32, ptr %pc
  %n = sub i32 0, %v
  %w = add i32 %n, %e
  store i32 %w, ptr %pr
  ret void
}
