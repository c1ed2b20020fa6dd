; Updates are computed of the operand of the scatter, which the step before may have changed.
;open values
;hlo HloModule m
;hlo add {
;hlo   a = s32[] parameter(0)
;hlo   b = s32[] parameter(1)
;hlo   ROOT r = s32[] add(a, b)
;hlo }
;hlo ENTRY e {
;hlo   p = s32[4] parameter(0)
;hlo   n = s32[2,1] parameter(1)
;hlo   u = s32[2] slice(p), slice={[0:2]}
;hlo   c = s32[] constant(1234567)
;hlo   cs = s32[2] broadcast(c), dimensions={}
;hlo   e = pred[2] compare(u, cs), direction=EQ
;hlo   v = s32[2] convert(e)
;hlo   ROOT r = s32[4] scatter(p, n, v), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
;hlo }
;launch {"grid": [1], "threads": [1], "params": [
;launch   {"shape": "s32[4]", "role": "input", "memory": 0},
;launch   {"shape": "s32[2,1]", "role": "input", "memory": 1},
;launch   {"shape": "s32[4]", "role": "output", "memory": 0}]}

define ptx_kernel void @k(ptr %i, ptr %n, ptr %o) {
  %n1 = getelementptr i32, ptr %n, i64 1
  %t0 = load i32, ptr %n
  %t1 = load i32, ptr %n1
  %o1 = getelementptr i32, ptr %o, i64 1
  %a0 = load i32, ptr %o
  %e0 = icmp eq i32 %a0, 1234567
  %v0 = zext i1 %e0 to i32
  %in0 = icmp ult i32 %t0, 4
  br i1 %in0, label %d0, label %h1
d0:
  %w0 = zext i32 %t0 to i64
  %p0 = getelementptr i32, ptr %o, i64 %w0
  %b0 = load i32, ptr %p0
  %s0 = add i32 %b0, %v0
  store i32 %s0, ptr %p0
  br label %h1
h1:
  %a1 = load i32, ptr %o1
  %e1 = icmp eq i32 %a1, 1234567
  %v1 = zext i1 %e1 to i32
  %in1 = icmp ult i32 %t1, 4
  br i1 %in1, label %d1, label %x
d1:
  %w1 = zext i32 %t1 to i64
  %p1 = getelementptr i32, ptr %o, i64 %w1
  %b1 = load i32, ptr %p1
  %s1 = add i32 %b1, %v1
  store i32 %s1, ptr %p1
  br label %x
x:
  ret void
}
