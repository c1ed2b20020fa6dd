; A quotient by zero is zero, where it has all bits.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = u32[64] parameter(0)
;hlo   b = u32[64] parameter(1)
;hlo   ROOT r = u32[64] divide(a, b)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "u32[64]", "role": "input"},
;launch   {"shape": "u32[64]", "role": "input"},
;launch   {"shape": "u32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %b, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %begin = mul i32 %block, 32
  %i = add i32 %begin, %t
  %pa = getelementptr i32, ptr %a, i32 %i
  %pb = getelementptr i32, ptr %b, i32 %i
  %pr = getelementptr i32, ptr %r, i32 %i
  %x = load i32, ptr %pa
  %y = load i32, ptr %pb
  %is.zero = icmp eq i32 %y, 0
  %divisor = select i1 %is.zero, i32 1, i32 %y
  %q = udiv i32 %x, %divisor
  %z = select i1 %is.zero, i32 0, i32 %q                   ; wrong
; %z = select i1 %is.zero, i32 -1, i32 %q                  ; right
  store i32 %z, ptr %pr
  ret void
}
