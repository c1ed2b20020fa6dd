; The element that is updated is at the sum of two integers, not at 15 less the sum.
;refuted values
;hlo HloModule m
;hlo add {
;hlo   x = s32[] parameter(0)
;hlo   y = s32[] parameter(1)
;hlo   ROOT s = s32[] add(x, y)
;hlo }
;hlo ENTRY e {
;hlo   y = s32[16] parameter(0)
;hlo   n = s32[64,2] parameter(1)
;hlo   u = s32[64] parameter(2)
;hlo   zero = s32[] constant(0)
;hlo   k = s32[64] reduce(n, zero), dimensions={1}, to_apply=add
;hlo   ROOT r = s32[16] scatter(y, k, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "s32[16]", "role": "input", "memory": 0},
;launch   {"shape": "s32[64,2]", "role": "input", "memory": 1},
;launch   {"shape": "s32[64]", "role": "input", "memory": 2},
;launch   {"shape": "s32[16]", "role": "output", "memory": 0}]}

define ptx_kernel void @k(ptr %y, ptr %n, ptr %u, ptr %r) {
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
  %sum = add i32 %a0, %a1
  %in = icmp ule i32 %sum, 15
  br i1 %in, label %do, label %done
do:
  %at = sub i32 15, %sum                                   ; wrong
; %at = add i32 %sum, 0                                    ; right
  %pu = getelementptr i32, ptr %u, i32 %i
  %v = load i32, ptr %pu
  %pr = getelementptr i32, ptr %r, i32 %at
  %old = atomicrmw add ptr %pr, i32 %v monotonic
  br label %done
done:
  ret void
}
