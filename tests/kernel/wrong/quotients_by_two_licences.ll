; Two quotients, of which each may be approximated in its own way, do not cancel.
;open values
;hlo HloModule m
;hlo ENTRY e {
;hlo   p = f32[64] parameter(0)
;hlo   q = f32[64] parameter(1)
;hlo   z = s32[] constant(0)
;hlo   ROOT d = s32[64] broadcast(z), dimensions={}
;hlo }
;launch {"grid": [1], "threads": [64], "params": [
;launch   {"shape": "f32[64]", "role": "input"},
;launch   {"shape": "f32[64]", "role": "input"},
;launch   {"shape": "s32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %b, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pa = getelementptr float, ptr %a, i32 %t
  %pb = getelementptr float, ptr %b, i32 %t
  %pr = getelementptr i32, ptr %r, i32 %t
  %x = load float, ptr %pa
  %y = load float, ptr %pb
  %one = fdiv arcp float %x, %y
  %two = fdiv afn float %x, %y
  %i = call i32 @llvm.fptosi.sat.i32.f32(float %one)
  %j = call i32 @llvm.fptosi.sat.i32.f32(float %two)       ; wrong
; %j = call i32 @llvm.fptosi.sat.i32.f32(float %one)       ; right
  %d = sub i32 %i, %j
  store i32 %d, ptr %pr
  ret void
}
