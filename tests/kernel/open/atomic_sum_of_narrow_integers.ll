; A sum of bytes leaves the range of the s4 that they hold.
;open values
;hlo HloModule m
;hlo add {
;hlo   x = s4[] parameter(0)
;hlo   y = s4[] parameter(1)
;hlo   ROOT s = s4[] add(x, y)
;hlo }
;hlo ENTRY e {
;hlo   a = s4[8] parameter(0)
;hlo   at = s32[64,1] parameter(1)
;hlo   u = s4[64] parameter(2)
;hlo   ROOT r = s4[8] scatter(a, at, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "s4[8]", "role": "input", "memory": 0, "argument": 0},
;launch   {"shape": "s32[64,1]", "role": "input", "memory": 1, "argument": 1},
;launch   {"shape": "s4[64]", "role": "input", "memory": 2, "argument": 2},
;launch   {"shape": "s4[8]", "role": "output", "memory": 0, "argument": 0}]}
define ptx_kernel void @k(ptr %r, ptr %at, ptr %u) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %i = add i32 %first, %t
  %pi = getelementptr i32, ptr %at, i32 %i
  %pu = getelementptr i8, ptr %u, i32 %i
  %j = load i32, ptr %pi
  %y = load i8, ptr %pu
  %in = icmp ult i32 %j, 8
  br i1 %in, label %do, label %done
do:
  %pr = getelementptr i8, ptr %r, i32 %j
  %old = atomicrmw add ptr %pr, i8 %y monotonic
  br label %done
done:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
