; An address that is said to stay inside its buffer leaves it and comes back.
;refuted integers, values
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
  %far = getelementptr inbounds float, ptr %a, i32 1000    ; wrong
; %far = getelementptr float, ptr %a, i32 1000             ; right
  %j = sub i32 %i, 1000
  %px = getelementptr float, ptr %far, i32 %j
  %x = load float, ptr %px
  %n = fneg float %x
  store float %n, ptr %pr
  ret void
}
