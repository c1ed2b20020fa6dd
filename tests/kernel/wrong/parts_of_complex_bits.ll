; The bits of a complex number as parts: the imaginary one before the real one.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = c64[8] parameter(0)
;hlo   ROOT r = f32[8,2] bitcast-convert(a)
;hlo }
;launch {"grid": [1], "threads": [16], "params": [
;launch   {"shape": "c64[8]", "role": "input", "memory": 0},
;launch   {"shape": "f32[8,2]", "role": "output", "memory": 1}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %number = lshr i32 %t, 1
  %part = and i32 %t, 1
  %other = xor i32 %part, 1  ; wrong
;  %other = add i32 %part, 0  ; right
  %from = getelementptr i64, ptr %a, i32 %number
  %bits = load i64, ptr %from
  %shift = mul i32 %other, 32
  %far = zext i32 %shift to i64
  %shifted = lshr i64 %bits, %far
  %low = trunc i64 %shifted to i32
  %value = bitcast i32 %low to float
  %to = getelementptr float, ptr %r, i32 %t
  store float %value, ptr %to
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
