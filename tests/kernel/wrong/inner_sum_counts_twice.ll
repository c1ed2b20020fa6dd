; The sum that is subtracted from each element counts the first element of the row twice.
;refuted values
;hlo HloModule m
;hlo add {
;hlo   x = f32[] parameter(0)
;hlo   y = f32[] parameter(1)
;hlo   ROOT s = f32[] add(x, y)
;hlo }
;hlo ENTRY e {
;hlo   a = f32[2,32] parameter(0)
;hlo   i = f32[] constant(0)
;hlo   s = f32[2] reduce(a, i), dimensions={1}, to_apply=add
;hlo   b = f32[2,32] broadcast(s), dimensions={0}
;hlo   d = f32[2,32] subtract(a, b)
;hlo   q = f32[2,32] multiply(d, d)
;hlo   ROOT r = f32[2] reduce(q, i), dimensions={1}, to_apply=add
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "f32[2,32]", "role": "input"},
;launch   {"shape": "f32[2]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %i = add i32 %first, %t
  %pa = getelementptr float, ptr %a, i32 %i
  %x = load float, ptr %pa
  %head = getelementptr float, ptr %a, i32 %first
  %h = load float, ptr %head
  %to16 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %x, i32 16, i32 31)
  %ts16 = fadd float %x, %to16
  %to8 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %ts16, i32 8, i32 31)
  %ts8 = fadd float %ts16, %to8
  %to4 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %ts8, i32 4, i32 31)
  %ts4 = fadd float %ts8, %to4
  %to2 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %ts4, i32 2, i32 31)
  %ts2 = fadd float %ts4, %to2
  %to1 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %ts2, i32 1, i32 31)
  %ts1 = fadd float %ts2, %to1
  %sum = fadd float %ts1, %h                               ; wrong
; %sum = fadd float %ts1, 0.0                              ; right
  %d = fsub float %x, %sum
  %q = fmul float %d, %d
  %qo16 = call float @llvm.nvvm.shfl.sync.down.f32(i32 -1, float %q, i32 16, i32 31)
  %qs16 = fadd float %q, %qo16
  %qo8 = call float @llvm.nvvm.shfl.sync.down.f32(i32 -1, float %qs16, i32 8, i32 31)
  %qs8 = fadd float %qs16, %qo8
  %qo4 = call float @llvm.nvvm.shfl.sync.down.f32(i32 -1, float %qs8, i32 4, i32 31)
  %qs4 = fadd float %qs8, %qo4
  %qo2 = call float @llvm.nvvm.shfl.sync.down.f32(i32 -1, float %qs4, i32 2, i32 31)
  %qs2 = fadd float %qs4, %qo2
  %qo1 = call float @llvm.nvvm.shfl.sync.down.f32(i32 -1, float %qs2, i32 1, i32 31)
  %qs1 = fadd float %qs2, %qo1
  %leads = icmp eq i32 %t, 0
  br i1 %leads, label %do, label %done
do:
  %pr = getelementptr float, ptr %r, i32 %b
  store float %qs1, ptr %pr
  br label %done
done:
  ret void
}
