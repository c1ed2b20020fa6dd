; Each lane begins with the initial value, which is 5 and counts once.
;open values
;hlo HloModule m
;hlo add {
;hlo   x = f32[] parameter(0)
;hlo   y = f32[] parameter(1)
;hlo   ROOT s = f32[] add(x, y)
;hlo }
;hlo ENTRY e {
;hlo   a = f32[2,32] parameter(0)
;hlo   i = f32[] constant(5)
;hlo   ROOT r = f32[2] reduce(a, i), dimensions={1}, to_apply=add
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "f32[2,32]", "role": "input"},
;launch   {"shape": "f32[2]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %i = add i32 %first, %t
  %pa = getelementptr i32, ptr %a, i32 %i
  %y = load float, ptr %pa
  %leader = icmp eq i32 %t, 0
  %begin = select i1 %leader, float 5.0, float 5.0         ; wrong
; %begin = select i1 %leader, float 5.0, float 0.0         ; right
  %x = fadd float %y, %begin
  %o16 = call float @llvm.nvvm.shfl.sync.down.f32(i32 -1, float %x, i32 16, i32 31)
  %s16 = fadd float %x, %o16
  %o8 = call float @llvm.nvvm.shfl.sync.down.f32(i32 -1, float %s16, i32 8, i32 31)
  %s8 = fadd float %s16, %o8
  %o4 = call float @llvm.nvvm.shfl.sync.down.f32(i32 -1, float %s8, i32 4, i32 31)
  %s4 = fadd float %s8, %o4
  %o2 = call float @llvm.nvvm.shfl.sync.down.f32(i32 -1, float %s4, i32 2, i32 31)
  %s2 = fadd float %s4, %o2
  %o1 = call float @llvm.nvvm.shfl.sync.down.f32(i32 -1, float %s2, i32 1, i32 31)
  %s1 = fadd float %s2, %o1
  %leads = icmp eq i32 %t, 0
  br i1 %leads, label %do, label %done
do:
  %pr = getelementptr float, ptr %r, i32 %b
  store float %s1, ptr %pr
  br label %done
done:
  ret void
}
