; An argument is no alias of a pointer that the function loads from memory, either.
;open races
;hlo HloModule m
;hlo ENTRY e {
;hlo   x = f32[64] parameter(0)
;hlo   n = f32[64] negate(x)
;hlo   ROOT t = (f32[64], f32[64]) tuple(n, n)
;hlo }
;launch {"grid": [1], "threads": [64], "params": [{"shape": "f32[64]", "role": "input", "memory": 0}, {"shape": "f32[64]", "role": "output", "memory": 1}, {"shape": "f32[64]", "role": "output", "memory": 2}]}
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define internal float @f(ptr noalias %p, ptr %box, float %n) noinline {  ; wrong
;define internal float @f(ptr %p, ptr %box, float %n) noinline {  ; right
  %q = load ptr, ptr %box
  store float %n, ptr %q
  %v = load float, ptr %p
  ret float %v
}
define ptx_kernel void @k(ptr %a0, ptr %r, ptr %s) {
  %box = alloca ptr
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p0 = getelementptr float, ptr %a0, i32 %t
  %x = load float, ptr %p0
  %n = fneg float %x
  %pr = getelementptr float, ptr %r, i32 %t
  store ptr %pr, ptr %box
  %v = call float @f(ptr %pr, ptr %box, float %n)
  %ps = getelementptr float, ptr %s, i32 %t
  store float %v, ptr %ps
  ret void
}
