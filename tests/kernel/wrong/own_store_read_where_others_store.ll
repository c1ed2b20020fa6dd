; Where several threads store to an element, a thread need not read its own store back.
;open races
;hlo HloModule m
;hlo set { x = s32[] parameter(0) ROOT y = s32[] parameter(1) }
;hlo ENTRY e {
;hlo   p = s32[4] parameter(0)
;hlo   i = s32[64,1] parameter(1)
;hlo   u = s32[64] parameter(2)
;hlo   r = s32[4] scatter(p, i, u), update_window_dims={}, inserted_window_dims={0},
;hlo     scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=set
;hlo   f = s32[64] bitcast(i)
;hlo   z = s32[] constant(0)
;hlo   zz = s32[64] broadcast(z), dimensions={}
;hlo   n = s32[] constant(4)
;hlo   nn = s32[64] broadcast(n), dimensions={}
;hlo   lo = pred[64] compare(f, zz), direction=GE
;hlo   hi = pred[64] compare(f, nn), direction=LT
;hlo   in = pred[64] and(lo, hi)
;hlo   q = s32[64] select(in, u, zz)
;hlo   ROOT t = (s32[4], s32[64]) tuple(r, q)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "s32[4]", "role": "input", "memory": 0},
;launch   {"shape": "s32[64,1]", "role": "input", "memory": 1},
;launch   {"shape": "s32[64]", "role": "input", "memory": 2},
;launch   {"shape": "s32[4]", "role": "output", "memory": 0},
;launch   {"shape": "s32[64]", "role": "output", "memory": 3}]}

define ptx_kernel void @k(ptr %p, ptr %i, ptr %u, ptr %r, ptr %q) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %n = add i32 %first, %t
  %pi = getelementptr i32, ptr %i, i32 %n
  %at = load i32, ptr %pi
  %inside = icmp ult i32 %at, 4
  br i1 %inside, label %update, label %end
update:
  %pu = getelementptr i32, ptr %u, i32 %n
  %x = load i32, ptr %pu
  %pr = getelementptr i32, ptr %r, i32 %at
  store atomic i32 %x, ptr %pr monotonic, align 4
  %y = load atomic i32, ptr %pr monotonic, align 4  ; wrong
  br label %end
end:
  %v = phi i32 [ 0, %entry ], [ %y, %update ]  ; wrong
;  %v = phi i32 [ 0, %entry ], [ %x, %update ]  ; right
  %pq = getelementptr i32, ptr %q, i32 %n
  store i32 %v, ptr %pq
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
