; A maximum of numbers that the combiner rounds to bf16, without that.
;refuted values
;hlo HloModule m
;hlo narrow {
;hlo   x = f32[] parameter(0)
;hlo   y = f32[] parameter(1)
;hlo   p = bf16[] convert(x)
;hlo   q = bf16[] convert(y)
;hlo   m = bf16[] maximum(p, q)
;hlo   ROOT r = f32[] convert(m)
;hlo }
;hlo ENTRY e {
;hlo   a = f32[64,2] parameter(0)
;hlo   least = f32[] constant(-inf)
;hlo   ROOT r = f32[64] reduce(a, least), dimensions={1}, to_apply=narrow
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "f32[64,2]", "role": "input"},
;launch   {"shape": "f32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %before = mul i32 %block, 32
  %i = add i32 %before, %t
  %j = mul i32 %i, 2
  %k = add i32 %j, 1
  %pfirst = getelementptr float, ptr %a, i32 %j
  %psecond = getelementptr float, ptr %a, i32 %k
  %pr = getelementptr float, ptr %r, i32 %i
  %x = load float, ptr %pfirst
  %y = load float, ptr %psecond
  %m = call float @llvm.maximum.f32(float %x, float %y)    ; wrong
; %p = fptrunc float %x to bfloat                          ; right
; %q = fptrunc float %y to bfloat                          ; right
; %n = call bfloat @llvm.maximum.bf16(bfloat %p, bfloat %q)  ; right
; %m = fpext bfloat %n to float                            ; right
  store float %m, ptr %pr
  ret void
}
