; The elements of a vector of parts of bytes are stored the other way round.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s8[64] parameter(0)
;hlo   ROOT r = s4[64] convert(a)
;hlo }
;launch {"grid": [1], "threads": [32], "params": [
;launch   {"shape": "s8[64]", "role": "input"},
;launch   {"shape": "s4[64]{0:E(4)}", "bytes": 32, "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = mul i32 %t, 2
  %pa = getelementptr i8, ptr %a, i32 %i
  %both = load <2 x i8>, ptr %pa, align 2
  %narrow = trunc <2 x i8> %both to <2 x i4>
  %stored = shufflevector <2 x i4> %narrow, <2 x i4> poison, <2 x i32> <i32 1, i32 0> ; wrong
; %stored = shufflevector <2 x i4> %narrow, <2 x i4> poison, <2 x i32> <i32 0, i32 1> ; right
  %pr = getelementptr i8, ptr %r, i32 %t
  store <2 x i4> %stored, ptr %pr, align 1
  ret void
}
