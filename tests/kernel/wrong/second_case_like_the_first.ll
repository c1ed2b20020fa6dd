; Where the operands differ, the second is taken for the first.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[64] parameter(0)
;hlo   b = s32[64] parameter(1)
;hlo   c = pred[64] compare(a, b), direction=EQ
;hlo   one = f32[] constant(1)
;hlo   ones = f32[64] broadcast(one), dimensions={}
;hlo   two = f32[] constant(2)
;hlo   twos = f32[64] broadcast(two), dimensions={}
;hlo   s = f32[64] select(c, ones, twos)
;hlo   f = f32[64] convert(a)
;hlo   ROOT r = f32[64] add(s, f)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "s32[64]", "role": "input"},
;launch   {"shape": "s32[64]", "role": "input"},
;launch   {"shape": "f32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %b, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %c, 32
  %i = add i32 %first, %t
  %pa = getelementptr i32, ptr %a, i32 %i
  %pb = getelementptr i32, ptr %b, i32 %i
  %pr = getelementptr i32, ptr %r, i32 %i
  %x = load i32, ptr %pa
  %y = load i32, ptr %pb
  %p = icmp eq i32 %x, %y
  %s = select i1 %p, float 1.0, float 2.0
  %f = sitofp i32 %y to float                              ; wrong
; %f = sitofp i32 %x to float                              ; right
  %z = fadd float %s, %f
  store float %z, ptr %pr
  ret void
}
