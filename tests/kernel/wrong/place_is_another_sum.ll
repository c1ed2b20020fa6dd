; The place of the element that is gathered is a sum of two integers, not twice the first.
;refuted values
;hlo HloModule m
;hlo add {
;hlo   x = s32[] parameter(0)
;hlo   y = s32[] parameter(1)
;hlo   ROOT s = s32[] add(x, y)
;hlo }
;hlo ENTRY e {
;hlo   n = s32[64,2] parameter(0)
;hlo   x = s32[16] parameter(1)
;hlo   zero = s32[] constant(0)
;hlo   k = s32[64] reduce(n, zero), dimensions={1}, to_apply=add
;hlo   ROOT r = s32[64] gather(x, k), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "s32[64,2]", "role": "input"},
;launch   {"shape": "s32[16]", "role": "input"},
;launch   {"shape": "s32[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %n, ptr %x, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %begin = mul i32 %b, 32
  %i = add i32 %begin, %t
  %i0 = mul i32 %i, 2
  %i1 = add i32 %i0, 1
  %p0 = getelementptr i32, ptr %n, i32 %i0
  %p1 = getelementptr i32, ptr %n, i32 %i1
  %a0 = load i32, ptr %p0
  %a1 = load i32, ptr %p1
  %s = add i32 %a0, %a0                                    ; wrong
; %s = add i32 %a0, %a1                                    ; right
  %above = call i32 @llvm.smax.i32(i32 %s, i32 0)
  %inside = call i32 @llvm.smin.i32(i32 %above, i32 15)
  %px = getelementptr i32, ptr %x, i32 %inside
  %v = load i32, ptr %px
  %pr = getelementptr i32, ptr %r, i32 %i
  store i32 %v, ptr %pr
  ret void
}
