; Memory of the thread is accessed as if it were aligned to more than it is.
;refuted bounds, values
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
  %own = alloca [4 x float], align 4                       ; wrong
; %own = alloca [4 x float], align 16                      ; right
  store float %x, ptr %own, align 16
  %y = load float, ptr %own
  %n = fneg float %y
  store float %n, ptr %pr
  ret void
}
