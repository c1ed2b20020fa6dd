; The result is stored column-major, and the kernel copies the bytes of a row-major operand.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[4,16] parameter(0)
;hlo   ROOT r = s32[4,16] copy(a)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "s32[4,16]{1,0}", "role": "input"},
;launch   {"shape": "s32[4,16]{0,1}", "role": "output"}]}  ; wrong
;;launch   {"shape": "s32[4,16]{1,0}", "role": "output"}]}  ; right

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %i = add i32 %first, %t
  %pa = getelementptr i32, ptr %a, i32 %i
  %pr = getelementptr i32, ptr %r, i32 %i
  %x = load i32, ptr %pa
  store i32 %x, ptr %pr
  ret void
}
