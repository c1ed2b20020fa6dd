; The second update is added to what the element held at first.
;refuted values
;hlo HloModule m
;hlo sum {
;hlo   x = s32[] parameter(0)
;hlo   y = s32[] parameter(1)
;hlo   ROOT s = s32[] add(x, y)
;hlo }
;hlo ENTRY e {
;hlo   a = s32[] parameter(0)
;hlo   at = s32[2,0] parameter(1)
;hlo   u = s32[2] parameter(2)
;hlo   ROOT r = s32[] scatter(a, at, u), update_window_dims={}, inserted_window_dims={}, scatter_dims_to_operand_dims={}, index_vector_dim=1, to_apply=sum
;hlo }
;launch {"grid": [1], "threads": [1], "params": [
;launch   {"shape": "s32[]", "role": "input", "memory": 0, "argument": 0},
;launch   {"shape": "s32[2,0]", "role": "input", "memory": 1, "argument": 1},
;launch   {"shape": "s32[2]", "role": "input", "memory": 2, "argument": 2},
;launch   {"shape": "s32[]", "role": "output", "memory": 0, "argument": 0}]}

define ptx_kernel void @k(ptr %r, ptr %at, ptr %u) {
  %u1 = getelementptr i32, ptr %u, i32 1
  %y0 = load i32, ptr %u
  %y1 = load i32, ptr %u1
  %x0 = load i32, ptr %r
  %s0 = add i32 %x0, %y0
  store i32 %s0, ptr %r
  %s1 = add i32 %x0, %y1                                   ; wrong
; %s1 = add i32 %s0, %y1                                   ; right
  store i32 %s1, ptr %r
  ret void
}
