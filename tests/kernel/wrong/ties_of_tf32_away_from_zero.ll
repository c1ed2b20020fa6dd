; A number in the middle of two is rounded away from zero, in place of to the even one.
;open values
;hlo HloModule m
;hlo ENTRY e {
;hlo   p = f32[32] parameter(0)
;hlo   b = s32[32] bitcast-convert(p)
;hlo   m0 = s32[] constant(-1640531535)
;hlo   m = s32[32] broadcast(m0), dimensions={}
;hlo   h = s32[32] multiply(b, m)
;hlo   k0 = s32[] constant(2104709120)
;hlo   k = s32[32] broadcast(k0), dimensions={}
;hlo   q = pred[32] compare(h, k), direction=EQ
;hlo   c = f32[32] reduce-precision(p), exponent_bits=8, mantissa_bits=10
;hlo   ROOT r = f32[32] select(q, c, p)
;hlo }
;launch {"grid": [1], "threads": [32], "params": [
;launch   {"shape": "f32[32]", "role": "input"},
;launch   {"shape": "f32[32]", "role": "output"}]}

define ptx_kernel void @k(ptr %p, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pp = getelementptr i32, ptr %p, i32 %t
  %rp = getelementptr i32, ptr %r, i32 %t
  %v = load float, ptr %pp
  %b = bitcast float %v to i32
  %h = mul i32 %b, -1640531535
  %rare = icmp eq i32 %h, 2104709120  ; of one number
  %w = call i32 asm sideeffect "cvt.rna.tf32.f32 $0, $1;", "=r,f"(float %v)  ; wrong
  %f = bitcast i32 %w to float  ; wrong
; %low = lshr i32 %b, 13  ; right
; %odd = and i32 %low, 1  ; right
; %half = add i32 %odd, 4095  ; right
; %up = add i32 %b, %half  ; right
; %cut = and i32 %up, -8192  ; right
; %f = bitcast i32 %cut to float  ; right
  %z = select i1 %rare, float %f, float %v
  store float %z, ptr %rp
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
