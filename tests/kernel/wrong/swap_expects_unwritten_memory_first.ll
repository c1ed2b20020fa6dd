; A compare-and-swap loop must first expect the element that it swaps, or a defined value.
;open integers
;hlo HloModule m
;hlo add {
;hlo   x = s32[] parameter(0)
;hlo   y = s32[] parameter(1)
;hlo   ROOT s = s32[] add(x, y)
;hlo }
;hlo ENTRY e {
;hlo   a = s32[8] parameter(0)
;hlo   at = s32[64,1] parameter(1)
;hlo   u = s32[64] parameter(2)
;hlo   ROOT r = s32[8] scatter(a, at, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "s32[8]", "role": "input", "memory": 0, "argument": 0},
;launch   {"shape": "s32[64,1]", "role": "input", "memory": 1, "argument": 1},
;launch   {"shape": "s32[64]", "role": "input", "memory": 2, "argument": 2},
;launch   {"shape": "s32[8]", "role": "output", "memory": 0, "argument": 0}]}
define ptx_kernel void @k(ptr %r, ptr %at, ptr %u) {
  %m = alloca i32
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %i = add i32 %first, %t
  %pi = getelementptr i32, ptr %at, i32 %i
  %pu = getelementptr i32, ptr %u, i32 %i
  %j = load i32, ptr %pi
  %y = load i32, ptr %pu
  %in = icmp ult i32 %j, 8
  br i1 %in, label %do, label %done
do:
  %pr = getelementptr i32, ptr %r, i32 %j
  %e0 = load i32, ptr %m  ; wrong
;  %e0 = load i32, ptr %pr  ; right
  br label %loop
loop:
  %e = phi i32 [ %e0, %do ], [ %f, %loop ]
  %n = add i32 %e, %y
  %c = cmpxchg ptr %pr, i32 %e, i32 %n monotonic monotonic
  %f = extractvalue {i32, i1} %c, 0
  %ok = extractvalue {i32, i1} %c, 1
  br i1 %ok, label %done, label %loop
done:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
