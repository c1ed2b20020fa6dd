; Unsigned integers are compared as signed ones: the choice is no maximum of theirs.
;refuted values
;hlo HloModule m
;hlo max {
;hlo   x = u32[] parameter(0)
;hlo   y = u32[] parameter(1)
;hlo   ROOT s = u32[] maximum(x, y)
;hlo }
;hlo ENTRY e {
;hlo   a = u32[32,3] parameter(0)
;hlo   i = u32[] constant(7)
;hlo   ROOT r = u32[32] reduce(a, i), dimensions={1}, to_apply=max
;hlo }
;launch {"grid": [1], "threads": [32], "params": [
;launch   {"shape": "u32[32,3]", "role": "input"},
;launch   {"shape": "u32[32]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i0 = mul i32 %t, 3
  %i1 = add i32 %i0, 1
  %i2 = add i32 %i0, 2
  %p0 = getelementptr i32, ptr %a, i32 %i0
  %p1 = getelementptr i32, ptr %a, i32 %i1
  %p2 = getelementptr i32, ptr %a, i32 %i2
  %pr = getelementptr i32, ptr %r, i32 %t
  %x0 = load i32, ptr %p0
  %x1 = load i32, ptr %p1
  %x2 = load i32, ptr %p2
  %c0 = icmp ugt i32 %x0, 7
  %m0 = select i1 %c0, i32 %x0, i32 7
  %c1 = icmp sgt i32 %x1, %m0                              ; wrong
; %c1 = icmp ugt i32 %x1, %m0                              ; right
  %m1 = select i1 %c1, i32 %x1, i32 %m0
  %c2 = icmp ugt i32 %x2, %m1
  %m2 = select i1 %c2, i32 %x2, i32 %m1
  store i32 %m2, ptr %pr
  ret void
}
