; The lower bound is taken last: it wins where the bounds cross, and the upper one should.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   lo = s32[64] parameter(0)
;hlo   a = s32[64] parameter(1)
;hlo   hi = s32[64] parameter(2)
;hlo   ROOT r = s32[64] clamp(lo, a, hi)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "s32[64]", "role": "input"},
;launch   {"shape": "s32[64]", "role": "input"},
;launch   {"shape": "s32[64]", "role": "input"},
;launch   {"shape": "s32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %lo, ptr %a, ptr %hi, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %i = add i32 %first, %t
  %plo = getelementptr i32, ptr %lo, i32 %i
  %pa = getelementptr i32, ptr %a, i32 %i
  %phi = getelementptr i32, ptr %hi, i32 %i
  %pr = getelementptr i32, ptr %r, i32 %i
  %l = load i32, ptr %plo
  %x = load i32, ptr %pa
  %h = load i32, ptr %phi
  %u = call i32 @llvm.smin.i32(i32 %x, i32 %h)             ; wrong
  %z = call i32 @llvm.smax.i32(i32 %u, i32 %l)             ; wrong
; %u = call i32 @llvm.smax.i32(i32 %x, i32 %l)             ; right
; %z = call i32 @llvm.smin.i32(i32 %u, i32 %h)             ; right
  store i32 %z, ptr %pr
  ret void
}
