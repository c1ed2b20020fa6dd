; A thread adds one to two elements of a row, of updates that it need not read; the first takes both.
;refuted values
;hlo HloModule m
;hlo add {
;hlo   x = s32[] parameter(0)
;hlo   y = s32[] parameter(1)
;hlo   ROOT s = s32[] add(x, y)
;hlo }
;hlo ENTRY e {
;hlo   a = s32[8,64] parameter(0)
;hlo   at = s32[4,1] parameter(1)
;hlo   one = s32[] constant(1)
;hlo   u = s32[4,64] broadcast(one), dimensions={}
;hlo   ROOT r = s32[8,64] scatter(a, at, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
;hlo }
;launch {"grid": [4], "threads": [32], "params": [
;launch   {"shape": "s32[8,64]", "role": "input", "memory": 0, "argument": 0},
;launch   {"shape": "s32[4,1]", "role": "input", "memory": 1, "argument": 1},
;launch   {"shape": "s32[8,64]", "role": "output", "memory": 0, "argument": 0}]}

define ptx_kernel void @k(ptr %r, ptr %at) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %pi = getelementptr i32, ptr %at, i32 %b
  %j = load i32, ptr %pi
  %in = icmp ult i32 %j, 8
  br i1 %in, label %do, label %done
do:
  %row = mul i32 %j, 64
  %column = mul i32 %t, 2
  %first = add i32 %row, %column
  %second = add i32 %first, 0                              ; wrong
; %second = add i32 %first, 1                              ; right
  %p0 = getelementptr i32, ptr %r, i32 %first
  %p1 = getelementptr i32, ptr %r, i32 %second
  %old0 = atomicrmw add ptr %p0, i32 1 monotonic
  %old1 = atomicrmw add ptr %p1, i32 1 monotonic
  br label %done
done:
  ret void
}
