; All lanes shuffle, and the mask names half of them.
;refuted barriers
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[64] parameter(0)
;hlo   b = f32[2,32] reshape(a)
;hlo   c = f32[2,32] reverse(b), dimensions={1}
;hlo   ROOT r = f32[64] reshape(c)
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
  %y = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 65535, float %x, i32 31, i32 31)  ; wrong
; %y = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %x, i32 31, i32 31)  ; right
  store float %y, ptr %pr
  ret void
}
