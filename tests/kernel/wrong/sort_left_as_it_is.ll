; A row that the computation knows is left as it is, though it is not in order.
;refuted values
;hlo HloModule m
;hlo less {
;hlo   a = s32[] parameter(0)
;hlo   b = s32[] parameter(1)
;hlo   ROOT r = pred[] compare(a, b), direction=LT
;hlo }
;hlo ENTRY e {
;hlo   k = s32[3] constant({1, 3, 2})                       ; wrong
;;hlo   k = s32[3] constant({1, 2, 3})                      ; right
;hlo   ROOT r = s32[3] sort(k), dimensions={0}, to_apply=less
;hlo }
;launch {"grid": [1], "threads": [1], "params": [
;launch   {"shape": "s32[3]", "role": "output"}]}

define ptx_kernel void @k(ptr %r) {
  %p1 = getelementptr i32, ptr %r, i32 1
  %p2 = getelementptr i32, ptr %r, i32 2
  store i32 1, ptr %r
  store i32 3, ptr %p1                                     ; wrong
  store i32 2, ptr %p2                                     ; wrong
; store i32 2, ptr %p1                                     ; right
; store i32 3, ptr %p2                                     ; right
  ret void
}
