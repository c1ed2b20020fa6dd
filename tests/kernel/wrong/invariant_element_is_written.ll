; In place, a thread overwrites an element whose load promises that no thread writes it.
;refuted races
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[64] parameter(0)
;hlo   ROOT r = f32[64] negate(a)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "f32[64]", "role": "input", "memory": 0},
;launch   {"shape": "f32[64]", "role": "output", "memory": 0}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %i = add i32 %first, %t
  %pa = getelementptr i32, ptr %a, i32 %i
  %pr = getelementptr i32, ptr %r, i32 %i
  %x = load float, ptr %pa, !invariant.load !0             ; wrong
; %x = load float, ptr %pa                                  ; right
  %y = fneg float %x
  store float %y, ptr %pr
  ret void
}

!0 = !{}
