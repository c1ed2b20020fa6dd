; The loop of each thread begins with the initial value.
;open values
;hlo HloModule m
;hlo add {
;hlo   x = f32[] parameter(0)
;hlo   y = f32[] parameter(1)
;hlo   ROOT s = f32[] add(x, y)
;hlo }
;hlo ENTRY e {
;hlo   a = f32[4,2048] parameter(0)
;hlo   c = f32[] constant(3)
;hlo   ROOT r = f32[4] reduce(a, c), dimensions={1}, to_apply=add
;hlo }
;launch {"grid": [4], "threads": [32], "params": [
;launch   {"shape": "f32[4,2048]", "role": "input", "memory": 0},
;launch   {"shape": "f32[4]", "role": "output", "memory": 1}]}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32)
define ptx_kernel void @k(ptr %a, ptr %r) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %row = mul i32 %b, 2048
  %first = add i32 %row, %t
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %body ]
  %sum = phi float [ 3.0, %entry ], [ %next, %body ]  ; wrong
;  %sum = phi float [ 0.0, %entry ], [ %next, %body ]  ; right
  %i.in = icmp slt i32 %i, 2048
  br i1 %i.in, label %body, label %done
body:
  %e = add i32 %first, %i
  %p = getelementptr float, ptr %a, i32 %e
  %x = load float, ptr %p
  %next = fadd float %sum, %x
  %i.next = add i32 %i, 32
  br label %loop
done:
  %n16 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %sum, i32 16, i32 31)
  %s16 = fadd float %sum, %n16
  %n8 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %s16, i32 8, i32 31)
  %s8 = fadd float %s16, %n8
  %n4 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %s8, i32 4, i32 31)
  %s4 = fadd float %s8, %n4
  %n2 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %s4, i32 2, i32 31)
  %s2 = fadd float %s4, %n2
  %n1 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %s2, i32 1, i32 31)
  %s1 = fadd float %s2, %n1
  %total = fadd float %s1, 0.0  ; wrong
;  %total = fadd float %s1, 3.0  ; right
  %zero = icmp eq i32 %t, 0
  br i1 %zero, label %write, label %end
write:
  %q = getelementptr float, ptr %r, i32 %b
  store float %total, ptr %q
  br label %end
end:
  ret void
}
