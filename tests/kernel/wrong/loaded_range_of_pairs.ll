; The elements of a vector are said to lie in a range, and may be anything.
;refuted integers
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[64] parameter(0)
;hlo   ROOT r = s32[64] negate(a)
;hlo }
;launch {"grid": [1], "threads": [32], "params": [
;launch   {"shape": "s32[64]", "role": "input"},
;launch   {"shape": "s32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pa = getelementptr <2 x i32>, ptr %a, i32 %t
  %pr = getelementptr <2 x i32>, ptr %r, i32 %t
  %x = load <2 x i32>, ptr %pa, !range !0                  ; wrong
; %x = load <2 x i32>, ptr %pa                             ; right
  %z = sub <2 x i32> zeroinitializer, %x
  store <2 x i32> %z, ptr %pr
  ret void
}

!0 = !{i32 0, i32 5}
