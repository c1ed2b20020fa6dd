; The largest of three, without the third.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[64] parameter(0)
;hlo   b = f32[64] parameter(1)
;hlo   c = f32[64] parameter(2)
;hlo   two = f32[64] maximum(b, c)
;hlo   ROOT r = f32[64] maximum(a, two)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "f32[64]", "role": "input"},
;launch   {"shape": "f32[64]", "role": "input"},
;launch   {"shape": "f32[64]", "role": "input"},
;launch   {"shape": "f32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %b, ptr %c, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %before = mul i32 %block, 32
  %i = add i32 %before, %t
  %pa = getelementptr float, ptr %a, i32 %i
  %pb = getelementptr float, ptr %b, i32 %i
  %pc = getelementptr float, ptr %c, i32 %i
  %pr = getelementptr float, ptr %r, i32 %i
  %x = load float, ptr %pa
  %y = load float, ptr %pb
  %z = load float, ptr %pc
  %two = call float @llvm.maximum.f32(float %x, float %y)
  %m = call float @llvm.maximum.f32(float %two, float %x)  ; wrong
; %m = call float @llvm.maximum.f32(float %two, float %z)  ; right
  store float %m, ptr %pr
  ret void
}
