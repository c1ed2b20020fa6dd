; The last thread that the guard lets through, of the first block, is one too many.
;refuted bounds
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[10] parameter(0)
;hlo   ROOT r = s32[10] negate(a)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "s32[10]", "role": "input"},
;launch   {"shape": "s32[10]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %begin = mul i32 %b, 32
  %i = add i32 %begin, %t
  %inside = icmp ule i32 %i, 10                            ; wrong
; %inside = icmp ule i32 %i, 9                             ; right
  br i1 %inside, label %do, label %done
do:
  %pa = getelementptr i32, ptr %a, i32 %t
  %pr = getelementptr i32, ptr %r, i32 %t
  %x = load i32, ptr %pa
  %y = sub i32 0, %x
  store i32 %y, ptr %pr
  br label %done
done:
  ret void
}
