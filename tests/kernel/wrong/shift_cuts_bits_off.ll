; An unsigned shift to the right is said to cut no ones off.
;refuted integers
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = u32[64] parameter(0)
;hlo   two = u32[] constant(2)
;hlo   s = u32[64] broadcast(two), dimensions={}
;hlo   ROOT r = u32[64] shift-right-logical(a, s)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "u32[64]", "role": "input"},
;launch   {"shape": "u32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %i = add i32 %first, %t
  %pa = getelementptr i32, ptr %a, i32 %i
  %pr = getelementptr i32, ptr %r, i32 %i
  %x = load i32, ptr %pa
  %z = lshr exact i32 %x, 2                                ; wrong
; %z = lshr i32 %x, 2                                      ; right
  store i32 %z, ptr %pr
  ret void
}
