; The last thread loads what follows the operand, and drops it.
;refuted bounds
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[64] parameter(0)
;hlo   z = f32[] constant(0)
;hlo   s = f32[63] slice(a), slice={[1:64]}
;hlo   ROOT r = f32[64] pad(s, z), padding=0_1
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "f32[64]", "role": "input"},
;launch   {"shape": "f32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %i = add i32 %first, %t
  %pr = getelementptr float, ptr %r, i32 %i
  %j = add i32 %i, 1
  %inside = icmp ult i32 %j, 64
  %k = add i32 %j, 0                                       ; wrong
; %k = select i1 %inside, i32 %j, i32 0                    ; right
  %px = getelementptr float, ptr %a, i32 %k
  %x = load float, ptr %px
  %y = select i1 %inside, float %x, float 0.0
  store float %y, ptr %pr
  ret void
}
