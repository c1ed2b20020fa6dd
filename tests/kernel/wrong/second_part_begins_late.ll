; Each thread stores two elements, and the second part begins after the first has ended.
;refuted writes, values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[64] parameter(0)
;hlo   ROOT r = f32[64] negate(a)
;hlo }
;launch {"grid": [1], "threads": [40], "params": [
;launch   {"shape": "f32[64]", "role": "input"},
;launch   {"shape": "f32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pa = getelementptr float, ptr %a, i32 %t
  %pr = getelementptr float, ptr %r, i32 %t
  %x = load float, ptr %pa
  %n = fneg float %x
  store float %n, ptr %pr
  %j = add i32 %t, 24
  %pb = getelementptr float, ptr %a, i32 %j
  %pu = getelementptr float, ptr %r, i32 %j
  %y = load float, ptr %pb
  %m = fneg float %y
  %more = icmp ugt i32 %t, 16                              ; wrong
; %more = icmp ugt i32 %t, 15                              ; right
  br i1 %more, label %do, label %done
do:
  store float %m, ptr %pu
  br label %done
done:
  ret void
}
