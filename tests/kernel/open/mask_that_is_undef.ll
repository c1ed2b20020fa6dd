; A bit of a mask that is undef: whether the element is accessed is open, and nothing uses it.
;hlo HloModule m
;hlo ENTRY e {
;hlo   x = f32[8]{0} parameter(0)
;hlo   s = f32[7]{0} slice(x), slice={[0:7]}
;hlo   ROOT r = f32[7]{0} negate(s)
;hlo }
;launch {"grid": [1], "threads": [1], "params": [{"shape": "f32[8]", "role": "input"}, {"shape": "f32[7]", "role": "output"}]}
target triple = "nvptx64-nvidia-cuda"
declare <8 x float> @llvm.masked.load.v8f32.p1(ptr addrspace(1), <8 x i1>, <8 x float>)
declare void @llvm.masked.store.v8f32.p1(<8 x float>, ptr addrspace(1), <8 x i1>)
define ptx_kernel void @k(ptr addrspace(1) %a0, ptr addrspace(1) %r) {
entry:
  %x = call <8 x float> @llvm.masked.load.v8f32.p1(ptr addrspace(1) align 4 %a0, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 undef>, <8 x float> zeroinitializer)
  %n = fneg <8 x float> %x
  call void @llvm.masked.store.v8f32.p1(<8 x float> %n, ptr addrspace(1) align 4 %r, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>)
  ret void
}
