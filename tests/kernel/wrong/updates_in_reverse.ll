; Updates of one element are taken from the last to the first, and the last one stays.
;open values
;hlo HloModule m
;hlo second {
;hlo   x = s32[] parameter(0)
;hlo   ROOT y = s32[] parameter(1)
;hlo }
;hlo ENTRY e {
;hlo   a = s32[2] parameter(0)
;hlo   at = s32[2,1] parameter(1)
;hlo   u = s32[2] parameter(2)
;hlo   ROOT r = s32[2] scatter(a, at, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=second
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
  br label %second                                         ; wrong
; br label %first                                          ; right
first:
  br i1 %in0, label %do0, label %after0
do0:
  %p0 = getelementptr i32, ptr %r, i32 %i0
  store i32 %y0, ptr %p0
  br label %after0
after0:
  br label %done                                           ; wrong
; br label %second                                         ; right
second:
  br i1 %in1, label %do1, label %after1
do1:
  %p1 = getelementptr i32, ptr %r, i32 %i1
  store i32 %y1, ptr %p1
  br label %after1
after1:
  br label %first                                          ; wrong
; br label %done                                           ; right
done:
  ret void
}
