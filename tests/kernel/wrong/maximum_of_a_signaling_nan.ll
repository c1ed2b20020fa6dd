; The maximum of a NaN that signals and a number may be a NaN: llvm.maxnum leaves it open.
;open values
;hlo HloModule m
;hlo ENTRY e {
;hlo   x = f16[32]{0} parameter(0)
;hlo   c = f16[] constant(1)
;hlo   y = f16[32]{0} broadcast(c), dimensions={}
;hlo   nx = pred[32]{0} compare(x, x), direction=NE
;hlo   m = f16[32]{0} maximum(x, y)
;hlo   ROOT r = f16[32]{0} select(nx, y, m)
;hlo }
;launch {"grid": [1], "threads": [32], "params": [{"shape": "f16[32]", "role": "input"}, {"shape": "f16[32]", "role": "output"}]}
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare half @llvm.maxnum.f16(half, half)
define ptx_kernel void @k(ptr addrspace(1) %a0, ptr addrspace(1) %r) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p0 = getelementptr half, ptr addrspace(1) %a0, i32 %t
  %x = load half, ptr addrspace(1) %p0, align 2
  %g = call half @llvm.maxnum.f16(half %x, half 1.0)
  %n = fcmp uno half %x, %x
  %m = select i1 false, half 1.0, half %g  ; wrong
;  %m = select i1 %n, half 1.0, half %g  ; right
  %pr = getelementptr half, ptr addrspace(1) %r, i32 %t
  store half %m, ptr addrspace(1) %pr, align 2
  ret void
}
