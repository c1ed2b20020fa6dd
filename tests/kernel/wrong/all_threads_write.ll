; All threads of a block store the element of the block.
;refuted races
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[2] parameter(0)
;hlo   ROOT r = f32[2] negate(a)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "f32[2]", "role": "input"},
;launch   {"shape": "f32[2]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %pa = getelementptr float, ptr %a, i32 %b
  %pr = getelementptr float, ptr %r, i32 %b
  %x = load float, ptr %pa
  %n = fneg float %x
  %one = icmp ult i32 %t, 32                               ; wrong
; %one = icmp ult i32 %t, 1                                ; right
  br i1 %one, label %do, label %done
do:
  store float %n, ptr %pr
  br label %done
done:
  ret void
}
