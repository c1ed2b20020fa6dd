; An address adds the bits of one NaN and takes away those of another.
;open bounds, values
;hlo HloModule m
;hlo ENTRY e {
;hlo   x = f32[32] parameter(0)
;hlo   y = f32[32] parameter(1)
;hlo   c = s32[32] parameter(2)
;hlo   ROOT r = s32[32] negate(c)
;hlo }
;launch {"grid": [1], "threads": [32], "params": [
;launch   {"shape": "f32[32]", "role": "input"},
;launch   {"shape": "f32[32]", "role": "input"},
;launch   {"shape": "s32[32]", "role": "input"},
;launch   {"shape": "s32[32]", "role": "output"}]}

target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr %a, ptr %b, ptr %c, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pa = getelementptr float, ptr %a, i32 %t
  %pb = getelementptr float, ptr %b, i32 %t
  %pc = getelementptr i32, ptr %c, i32 %t
  %pr = getelementptr i32, ptr %r, i32 %t
  %x = load float, ptr %pa
  %y = load float, ptr %pb
  %s1 = fadd float %x, %y
  %s2 = fadd float %y, %x  ; wrong
  %b1 = bitcast float %s1 to i32
  %b2 = bitcast float %s2 to i32  ; wrong
; %b2 = bitcast float %s1 to i32  ; right
  %z1 = zext i32 %b1 to i64
  %z2 = zext i32 %b2 to i64
  %n2 = sub i64 0, %z2
  %p1 = getelementptr i32, ptr %pc, i64 %z1
  %p2 = getelementptr i32, ptr %p1, i64 %n2
  %v = load i32, ptr %p2
  %w = sub i32 0, %v
  store i32 %w, ptr %pr
  ret void
}
