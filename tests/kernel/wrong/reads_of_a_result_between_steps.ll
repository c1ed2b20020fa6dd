; Two loads of an element of a result, before and after a store to it, are not one value.
;open values
;hlo HloModule m
;hlo add {
;hlo   x = s32[] parameter(0)
;hlo   y = s32[] parameter(1)
;hlo   ROOT s = s32[] add(x, y)
;hlo }
;hlo ENTRY e {
;hlo   a = s32[2] parameter(0)
;hlo   at = s32[2,1] parameter(1)
;hlo   u = s32[2] parameter(2)
;hlo   ROOT r = s32[2] scatter(a, at, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
;hlo }
;launch {"grid": [1], "threads": [1], "params": [
;launch   {"shape": "s32[2]", "role": "input", "memory": 0, "argument": 0},
;launch   {"shape": "s32[2,1]", "role": "input", "memory": 1, "argument": 1},
;launch   {"shape": "s32[2]", "role": "input", "memory": 2, "argument": 2},
;launch   {"shape": "s32[2]", "role": "output", "memory": 0, "argument": 0}]}

define ptx_kernel void @k(ptr %r, ptr %at, ptr %u) {
  %at1 = getelementptr i32, ptr %at, i32 1
  %u1 = getelementptr i32, ptr %u, i32 1
  %i0 = load i32, ptr %at
  %i1 = load i32, ptr %at1
  %y0 = load i32, ptr %u
  %y1 = load i32, ptr %u1
  %in0 = icmp ult i32 %i0, 2
  %in1 = icmp ult i32 %i1, 2
  %before = load i32, ptr %r
  br i1 %in0, label %do0, label %then
do0:
  %p0 = getelementptr i32, ptr %r, i32 %i0
  %x0 = load i32, ptr %p0
  %s0 = add i32 %x0, %y0
  store i32 %s0, ptr %p0
  br label %then
then:
  br i1 %in1, label %do1, label %done
do1:
  %after = load i32, ptr %r  ; wrong
;  %after = add i32 %before, 0  ; right
  %d = sub i32 %after, %before
  %is = icmp eq i32 %d, 123456789
  %one = zext i1 %is to i32
  %q1 = getelementptr i32, ptr %r, i32 %i1
  %x1 = load i32, ptr %q1
  %s1 = add i32 %x1, %y1
  %v1 = add i32 %s1, %one
  store i32 %v1, ptr %q1
  br label %done
done:
  ret void
}
