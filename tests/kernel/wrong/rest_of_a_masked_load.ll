; Where the bit of the mask is 0, a masked load has the element of its last operand.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   x = f32[8]{0} parameter(0)
;hlo   i = s32[8]{0} iota(), iota_dimension=0
;hlo   five = s32[] constant(5)
;hlo   fives = s32[8]{0} broadcast(five), dimensions={}
;hlo   p = pred[8]{0} compare(i, fives), direction=LT
;hlo   zero = f32[] constant(0)
;hlo   zeros = f32[8]{0} broadcast(zero), dimensions={}
;hlo   ROOT r = f32[8]{0} select(p, x, zeros)
;hlo }
;launch {"grid": [1], "threads": [1], "params": [{"shape": "f32[8]", "role": "input"}, {"shape": "f32[8]", "role": "output"}]}
target triple = "nvptx64-nvidia-cuda"
declare <8 x float> @llvm.masked.load.v8f32.p1(ptr addrspace(1), <8 x i1>, <8 x float>)
define ptx_kernel void @k(ptr addrspace(1) %a0, ptr addrspace(1) %r) {
entry:
  %x = call <8 x float> @llvm.masked.load.v8f32.p1(ptr addrspace(1) align 4 %a0, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false>, <8 x float> splat (float 1.0))  ; wrong
;  %x = call <8 x float> @llvm.masked.load.v8f32.p1(ptr addrspace(1) align 4 %a0, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false>, <8 x float> <float 2.0, float 2.0, float 2.0, float 2.0, float 2.0, float 0.0, float 0.0, float 0.0>)  ; right
  store <8 x float> %x, ptr addrspace(1) %r, align 4
  ret void
}
