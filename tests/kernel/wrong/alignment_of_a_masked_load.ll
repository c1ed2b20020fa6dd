; The alignment of a masked access is that of the whole, also where its first elements are not accessed.
;open bounds
;hlo HloModule m
;hlo ENTRY e {
;hlo   x = f32[8]{0} parameter(0)
;hlo   i = s32[8]{0} iota(), iota_dimension=0
;hlo   first = s32[] constant(1)
;hlo   firsts = s32[8]{0} broadcast(first), dimensions={}
;hlo   p = pred[8]{0} compare(i, firsts), direction=LT
;hlo   one = f32[] constant(1)
;hlo   ones = f32[8]{0} broadcast(one), dimensions={}
;hlo   ROOT r = f32[8]{0} select(p, x, ones)
;hlo }
;launch {"grid": [1], "threads": [1], "params": [{"shape": "f32[8]", "role": "input"}, {"shape": "f32[8]", "role": "output"}]}
target triple = "nvptx64-nvidia-cuda"
declare <8 x float> @llvm.masked.load.v8f32.p1(ptr addrspace(1), <8 x i1>, <8 x float>)
define ptx_kernel void @k(ptr addrspace(1) %a0, ptr addrspace(1) %r) {
entry:
  %p = getelementptr float, ptr addrspace(1) %a0, i64 -1
  %x = call <8 x float> @llvm.masked.load.v8f32.p1(ptr addrspace(1) align 32 %p, <8 x i1> <i1 false, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>, <8 x float> splat (float 1.0))  ; wrong
;  %x = call <8 x float> @llvm.masked.load.v8f32.p1(ptr addrspace(1) align 4 %p, <8 x i1> <i1 false, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>, <8 x float> splat (float 1.0))  ; right
  %s = shufflevector <8 x float> %x, <8 x float> poison, <8 x i32> <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 7>
  store <8 x float> %s, ptr addrspace(1) %r, align 4
  ret void
}
