; Lanes without an element hold zero, which is above maxima that are negative.
;refuted values
;hlo HloModule m
;hlo max {
;hlo   x = f32[] parameter(0)
;hlo   y = f32[] parameter(1)
;hlo   ROOT s = f32[] maximum(x, y)
;hlo }
;hlo ENTRY e {
;hlo   a = f32[2,20] parameter(0)
;hlo   i = f32[] constant(-inf)
;hlo   p = f32[2,20] abs(a)
;hlo   n = f32[2,20] negate(p)
;hlo   ROOT r = f32[2] reduce(n, i), dimensions={1}, to_apply=max
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "f32[2,20]", "role": "input"},
;launch   {"shape": "f32[2]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 20
  %i = add i32 %first, %t
  %pa = getelementptr i32, ptr %a, i32 %i
  %in = icmp ult i32 %t, 20
  br i1 %in, label %some, label %all
some:
  %u = load float, ptr %pa
  %p = call float @llvm.fabs.f32(float %u)
  %y = fneg float %p
  br label %all
all:
  %x = phi float [ %y, %some ], [ 0.0, %0 ]                ; wrong
; %x = phi float [ %y, %some ], [ 0xFFF0000000000000, %0 ]  ; right
  %o16 = call float @llvm.nvvm.shfl.sync.down.f32(i32 -1, float %x, i32 16, i32 31)
  %s16 = call float @llvm.maximum.f32(float %x, float %o16)
  %o8 = call float @llvm.nvvm.shfl.sync.down.f32(i32 -1, float %s16, i32 8, i32 31)
  %s8 = call float @llvm.maximum.f32(float %s16, float %o8)
  %o4 = call float @llvm.nvvm.shfl.sync.down.f32(i32 -1, float %s8, i32 4, i32 31)
  %s4 = call float @llvm.maximum.f32(float %s8, float %o4)
  %o2 = call float @llvm.nvvm.shfl.sync.down.f32(i32 -1, float %s4, i32 2, i32 31)
  %s2 = call float @llvm.maximum.f32(float %s4, float %o2)
  %o1 = call float @llvm.nvvm.shfl.sync.down.f32(i32 -1, float %s2, i32 1, i32 31)
  %s1 = call float @llvm.maximum.f32(float %s2, float %o1)
  %leads = icmp eq i32 %t, 0
  br i1 %leads, label %do, label %done
do:
  %pr = getelementptr float, ptr %r, i32 %b
  store float %s1, ptr %pr
  br label %done
done:
  ret void
}
