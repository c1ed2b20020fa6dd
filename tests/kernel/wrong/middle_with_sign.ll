; A binary search takes half of a difference with its sign, which counts without.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[40] parameter(0)
;hlo   low = u32[16] parameter(1)
;hlo   high = u32[16] parameter(2)
;hlo   apart = u32[16] subtract(high, low)
;hlo   one = u32[] constant(1)
;hlo   ones = u32[16] broadcast(one), dimensions={}
;hlo   half = u32[16] shift-right-logical(apart, ones)
;hlo   middle = u32[16] add(low, half)
;hlo   places = u32[16,1] bitcast(middle)
;hlo   ROOT g = f32[16,1] gather(a, places), offset_dims={1}, collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}
;hlo }
;launch {"grid": [1], "threads": [16], "params": [
;launch   {"shape": "f32[40]", "role": "input"},
;launch   {"shape": "u32[16]", "role": "input"},
;launch   {"shape": "u32[16]", "role": "input"},
;launch   {"shape": "f32[16,1]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %low, ptr %high, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %plow = getelementptr i32, ptr %low, i32 %t
  %phigh = getelementptr i32, ptr %high, i32 %t
  %l = load i32, ptr %plow
  %h = load i32, ptr %phigh
  %apart = sub i32 %h, %l
  %half = ashr i32 %apart, 1    ; wrong
; %half = lshr i32 %apart, 1    ; right
  %middle = add i32 %l, %half
  %wide = zext i32 %middle to i64
  %place = call i64 @llvm.umin.i64(i64 %wide, i64 39)
  %pa = getelementptr float, ptr %a, i64 %place
  %pr = getelementptr float, ptr %r, i32 %t
  %x = load float, ptr %pa
  store float %x, ptr %pr
  ret void
}
