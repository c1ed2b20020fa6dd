; Integers become floats in their own memory, each from the integer beside it.
;refuted races, values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[64] parameter(0)
;hlo   ROOT r = f32[64] convert(a)
;hlo }
;launch {"grid": [1], "threads": [64], "params": [
;launch   {"shape": "s32[64]", "role": "input", "memory": 0, "argument": 0},
;launch   {"shape": "f32[64]", "role": "output", "memory": 0, "argument": 0}]}

define ptx_kernel void @k(ptr %a) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %beside = xor i32 %t, 1                            ; wrong
  %from = getelementptr i32, ptr %a, i32 %beside     ; wrong
; %from = getelementptr i32, ptr %a, i32 %t          ; right
  %to = getelementptr float, ptr %a, i32 %t
  %x = load i32, ptr %from
  %y = sitofp i32 %x to float
  store float %y, ptr %to
  ret void
}
