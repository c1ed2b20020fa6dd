; Where both are zero, the angle is half a turn for a positive x, and zero for a negative one.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   y = f32[64] parameter(0)
;hlo   x = f32[64] parameter(1)
;hlo   z = f32[] constant(0)
;hlo   zs = f32[64] broadcast(z), dimensions={}
;hlo   yz = f32[64] multiply(y, zs)
;hlo   xz = f32[64] multiply(x, zs)
;hlo   ROOT r = f32[64] atan2(yz, xz)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "f32[64]", "role": "input"},
;launch   {"shape": "f32[64]", "role": "input"},
;launch   {"shape": "f32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %y, ptr %x, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %i = add i32 %first, %t
  %py = getelementptr float, ptr %y, i32 %i
  %px = getelementptr float, ptr %x, i32 %i
  %pr = getelementptr float, ptr %r, i32 %i
  %ly = load float, ptr %py
  %lx = load float, ptr %px
  %vy = fmul float %ly, 0.0
  %vx = fmul float %lx, 0.0
  %x0 = fcmp oeq float %vx, 0.0
  %y0 = fcmp oeq float %vy, 0.0
  %zeros = and i1 %x0, %y0
  %sign = call float @llvm.copysign.f32(float 1.0, float %vx)
  %back = fcmp olt float 0.0, %sign                        ; wrong
; %back = fcmp olt float %sign, 0.0                        ; right
  %turn = select i1 %back, float 0x400921FB60000000, float 0.0
  %end = call float @llvm.copysign.f32(float %turn, float %vy)
  %angle = call float @__nv_atan2f(float %vy, float %vx)
  %z = select i1 %zeros, float %end, float %angle
  store float %z, ptr %pr
  ret void
}

declare float @__nv_atan2f(float, float)
