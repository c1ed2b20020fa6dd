; Some threads read their operand again after its memory has the result.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[64] parameter(0)
;hlo   n = f32[64] negate(a)
;hlo   ROOT t = (f32[64], f32[64]) tuple(n, a)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "f32[64]", "role": "input", "memory": 0},
;launch   {"shape": "f32[64]", "role": "output", "memory": 0, "argument": 0},
;launch   {"shape": "f32[64]", "role": "output", "memory": 1, "argument": 1}]}

define ptx_kernel void @k(ptr %a, ptr %u) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %i = add i32 %first, %t
  %pa = getelementptr i32, ptr %a, i32 %i
  %pu = getelementptr i32, ptr %u, i32 %i
  %x = load float, ptr %pa
  %n = fneg float %x
  store float %n, ptr %pa                                  ; wrong
  %low = icmp ult i32 %t, 16
  br i1 %low, label %some, label %done
some:
  %again = load float, ptr %pa
  br label %done
done:
  %y = phi float [ %again, %some ], [ %x, %0 ]
  store float %y, ptr %pu
; store float %n, ptr %pa                                  ; right
  ret void
}
