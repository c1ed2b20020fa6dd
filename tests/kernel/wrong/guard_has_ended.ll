; The first load is guarded; the second, of the same address, comes after the guard has ended.
;refuted bounds
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[60] parameter(0)
;hlo   z = f32[] constant(0)
;hlo   ROOT r = f32[64] pad(a, z), padding=0_4
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "f32[60]", "role": "input"},
;launch   {"shape": "f32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %i = add i32 %first, %t
  %pa = getelementptr i32, ptr %a, i32 %i
  %pr = getelementptr i32, ptr %r, i32 %i
  %outside = icmp uge i32 %i, 60
  br i1 %outside, label %join, label %some
some:
  %x = load float, ptr %pa
  br label %join
join:
  %y = phi float [ %x, %some ], [ 0.0, %0 ]
  %again = load float, ptr %pa                             ; wrong
  %z = select i1 %outside, float 0.0, float %again         ; wrong
; %z = select i1 %outside, float 0.0, float %y             ; right
  store float %z, ptr %pr
  ret void
}
