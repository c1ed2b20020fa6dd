; A quotient that may be a product with a reciprocal is the same in two lanes of a vector.
;open values
;hlo HloModule m
;hlo ENTRY e {
;hlo   p = f32[64] parameter(0)
;hlo   z = s32[] constant(0)
;hlo   ROOT o = s32[64] broadcast(z), dimensions={}
;hlo }
;launch {"kernel": "k", "grid": [1, 1, 1], "threads": [64, 1, 1], "params": [{"name": "p", "shape": "f32[64]{0}", "bytes": 256, "role": "input", "memory": 0}, {"name": "o", "shape": "s32[64]{0}", "bytes": 256, "role": "output", "memory": 1}]}

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr %p, ptr %o) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %n = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %n41 = mul i32 %n, 41
  %f = uitofp i32 %n41 to float
  %a = getelementptr float, ptr %p, i32 %t
  %v = load float, ptr %a
  %v0 = insertelement <2 x float> poison, float %v, i32 0
  %v1 = insertelement <2 x float> %v0, float %v, i32 1
  %y = insertelement <2 x float> <float 41.0, float 41.0>, float %f, i32 1
  %q = fdiv arcp <2 x float> %v1, %y                        ; wrong
;  %q = fdiv <2 x float> %v1, %y                            ; right
  %q0 = extractelement <2 x float> %q, i32 0
  %q1 = extractelement <2 x float> %q, i32 1
  %i1 = call i32 @llvm.fptosi.sat.i32.f32(float %q0)
  %i2 = call i32 @llvm.fptosi.sat.i32.f32(float %q1)
  %d = sub i32 %i2, %i1
  %w = getelementptr i32, ptr %o, i32 %t
  store i32 %d, ptr %w
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.fptosi.sat.i32.f32(float)
