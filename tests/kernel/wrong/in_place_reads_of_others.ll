; In place, each thread reads the element that another thread overwrites.
;refuted races, values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[64] parameter(0)
;hlo   ROOT r = f32[64] reverse(a), dimensions={0}
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "f32[64]", "role": "input", "memory": 0},
;launch   {"shape": "f32[64]", "role": "output", "memory": 0}]}  ; wrong
;;launch   {"shape": "f32[64]", "role": "output", "memory": 1}]}  ; right

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %i = add i32 %first, %t
  %j = sub i32 63, %i
  %pa = getelementptr i32, ptr %a, i32 %j
  %pr = getelementptr i32, ptr %r, i32 %i
  %x = load float, ptr %pa
  store float %x, ptr %pr
  ret void
}
