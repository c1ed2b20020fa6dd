; A quotient that may be a product with a reciprocal is the same in two iterations, which a compiler unrolls.
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
  br label %h
h:
  %j = phi i32 [ 0, %entry ], [ %j2, %h ]
  %y = phi float [ 41.0, %entry ], [ %f, %h ]
  %acc = phi i32 [ 0, %entry ], [ %acc2, %h ]
  %q = fdiv arcp float %v, %y                               ; wrong
;  %q = fdiv float %v, %y                                   ; right
  %i = call i32 @llvm.fptosi.sat.i32.f32(float %q)
  %acc2 = sub i32 %i, %acc
  %j2 = add i32 %j, 1
  %c = icmp ult i32 %j2, 2
  br i1 %c, label %h, label %x
x:
  %w = getelementptr i32, ptr %o, i32 %t
  store i32 %acc2, ptr %w
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.fptosi.sat.i32.f32(float)
