; The exponential of one is not three.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   one = f32[] constant(1)
;hlo   e = f32[] exponential(one)
;hlo   ROOT r = f32[64] broadcast(e), dimensions={}
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "f32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %begin = mul i32 %b, 32
  %i = add i32 %begin, %t
  %pr = getelementptr float, ptr %r, i32 %i
  store float 3.0, ptr %pr                                 ; wrong
; store float 0x4005BF0A80000000, ptr %pr                  ; right
  ret void
}
