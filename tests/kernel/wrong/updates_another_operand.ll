; The result is in the memory of the second operand, whose elements stand where the window leaves
; those of the first.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[64] parameter(0)
;hlo   b = f32[64] parameter(1)
;hlo   u = f32[32] parameter(2)
;hlo   start = s32[] constant(16)
;hlo   ROOT r = f32[64] dynamic-update-slice(a, u, start)
;hlo }
;launch {"grid": [1], "threads": [32], "params": [
;launch   {"shape": "f32[64]", "role": "input", "memory": 0},
;launch   {"shape": "f32[64]", "role": "input", "memory": 1},
;launch   {"shape": "f32[32]", "role": "input", "memory": 2},
;launch   {"shape": "f32[64]", "role": "output", "memory": 1}]}  ; wrong
;;launch   {"shape": "f32[64]", "role": "output", "memory": 0}]}  ; right

define ptx_kernel void @k(ptr %a, ptr %b, ptr %u, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pu = getelementptr float, ptr %u, i32 %t
  %x = load float, ptr %pu
  %j = add i32 %t, 16
  %pr = getelementptr float, ptr %r, i32 %j
  store float %x, ptr %pr
  ret void
}
