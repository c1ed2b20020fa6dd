; The smallest of the lanes' magnitudes is not the smallest of their floats.
;refuted values
;hlo HloModule m
;hlo min {
;hlo   x = f32[] parameter(0)
;hlo   y = f32[] parameter(1)
;hlo   ROOT s = f32[] minimum(x, y)
;hlo }
;hlo ENTRY e {
;hlo   a = f32[4,32] parameter(0)
;hlo   c = f32[] constant(inf)
;hlo   m = f32[4,32] abs(a)
;hlo   ROOT r = f32[4] reduce(m, c), dimensions={1}, to_apply=min
;hlo }
;launch {"grid": [4], "threads": [32], "params": [
;launch   {"shape": "f32[4,32]", "role": "input", "memory": 0},
;launch   {"shape": "f32[4]", "role": "output", "memory": 1}]}

target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare float @llvm.nvvm.redux.sync.fmin.NaN(float, i32)
declare float @llvm.nvvm.redux.sync.fmin.abs.NaN(float, i32)
define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %row = mul i32 %b, 32
  %e = add i32 %row, %t
  %p = getelementptr float, ptr %a, i32 %e
  %x = load float, ptr %p
  %largest = call float @llvm.nvvm.redux.sync.fmin.NaN(float %x, i32 -1)  ; wrong
;  %largest = call float @llvm.nvvm.redux.sync.fmin.abs.NaN(float %x, i32 -1)  ; right
  %zero = icmp eq i32 %t, 0
  br i1 %zero, label %write, label %end
write:
  %q = getelementptr float, ptr %r, i32 %b
  store float %largest, ptr %q
  br label %end
end:
  ret void
}
