; The slice takes each second element, and the kernel each.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[128] parameter(0)
;hlo   ROOT r = f32[64] slice(a), slice={[0:128:2]}
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "f32[128]", "role": "input"},
;launch   {"shape": "f32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %i = add i32 %first, %t
  %j = mul i32 %i, 1                                       ; wrong
; %j = mul i32 %i, 2                                       ; right
  %pa = getelementptr float, ptr %a, i32 %j
  %pr = getelementptr float, ptr %r, i32 %i
  %x = load float, ptr %pa
  store float %x, ptr %pr
  ret void
}
