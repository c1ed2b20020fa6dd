; A number in the place of a saturated one has all the bits that the choice has.
;open values
;hlo HloModule m
;hlo ENTRY e {
;hlo   y = s32[64] parameter(0)
;hlo   k = s32[] constant(3)
;hlo   kk = s32[64] broadcast(k), dimensions={}
;hlo   m = s32[64] multiply(y, kk)
;hlo   n = s32[] constant(370370367)
;hlo   nn = s32[64] broadcast(n), dimensions={}
;hlo   d = s32[64] subtract(m, nn)
;hlo   f = f32[64] convert(d)
;hlo   o = f32[] constant(0)
;hlo   oo = f32[64] broadcast(o), dimensions={}
;hlo   x = f32[64] divide(oo, f)
;hlo   c = s8[64] convert(x)
;hlo   ROOT r = s32[64] convert(c)
;hlo }
;launch {"grid": [1], "threads": [64], "params": [{"shape": "s32[64]", "role": "input", "memory": 0}, {"shape": "s32[64]", "role": "output", "memory": 1}]}
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i8 @llvm.fptosi.sat.i8.f32(float)
define ptx_kernel void @k(ptr addrspace(1) %a0, ptr addrspace(1) %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p0 = getelementptr i32, ptr addrspace(1) %a0, i32 %t
  %y = load i32, ptr addrspace(1) %p0
  %m = mul i32 %y, 3
  %d = sub i32 %m, 370370367
  %f = sitofp i32 %d to float
  %x = fdiv float 0.0, %f
  %i = call i8 @llvm.fptosi.sat.i8.f32(float %x)
  %w = sext i8 %i to i32
  %nan = fcmp uno float %x, 0.0
  %v = select i1 %nan, i32 256, i32 %w  ; wrong
;  %v = select i1 %nan, i32 0, i32 %w  ; right
  %pr = getelementptr i32, ptr addrspace(1) %r, i32 %t
  store i32 %v, ptr addrspace(1) %pr
  ret void
}
