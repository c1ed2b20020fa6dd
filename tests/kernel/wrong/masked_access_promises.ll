; A flag of a masked load is a promise about its elements.
;open integers
;hlo HloModule m
;hlo ENTRY e {
;hlo   x = f32[12]{0} parameter(0)
;hlo   ROOT r = f32[12]{0} negate(x)
;hlo }
;launch {"grid": [1], "threads": [3], "params": [{"shape": "f32[12]", "role": "input"}, {"shape": "f32[12]", "role": "output"}]}
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare <4 x float> @llvm.masked.load.v4f32.p1(ptr addrspace(1), <4 x i1>, <4 x float>)
declare void @llvm.masked.store.v4f32.p1(<4 x float>, ptr addrspace(1), <4 x i1>)
define ptx_kernel void @k(ptr addrspace(1) %a0, ptr addrspace(1) %r) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %t, 4
  %one = insertelement <4 x i32> poison, i32 %first, i32 0
  %all = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %i = add <4 x i32> %all, <i32 0, i32 1, i32 2, i32 3>
  %mask = icmp slt <4 x i32> %i, splat (i32 12)
  %p0 = getelementptr float, ptr addrspace(1) %a0, i32 %first
  %x = call nnan <4 x float> @llvm.masked.load.v4f32.p1(ptr addrspace(1) align 4 %p0, <4 x i1> %mask, <4 x float> zeroinitializer)  ; wrong
;  %x = call <4 x float> @llvm.masked.load.v4f32.p1(ptr addrspace(1) align 4 %p0, <4 x i1> %mask, <4 x float> zeroinitializer)  ; right
  %n = fneg <4 x float> %x
  %pr = getelementptr float, ptr addrspace(1) %r, i32 %first
  call void @llvm.masked.store.v4f32.p1(<4 x float> %n, ptr addrspace(1) align 4 %pr, <4 x i1> %mask)
  ret void
}
