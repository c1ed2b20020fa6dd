; Updates of one element are computed from it in place: the second one of what the first has left.
;open values
;hlo HloModule m
;hlo c { x = f32[] parameter(0)
;hlo ROOT y = f32[] parameter(1) }
;hlo ENTRY e {
;hlo   a = f32[8] parameter(0)
;hlo   i = s32[4,1] parameter(1)
;hlo   g = f32[4] gather(a, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}
;hlo   u = f32[4] add(g, g)
;hlo   ROOT r = f32[8] scatter(a, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=c
;hlo }
;launch {"grid": [1], "threads": [4], "params": [
;launch   {"shape": "f32[8]", "role": "input", "memory": 0, "argument": 0},
;launch   {"shape": "s32[4,1]", "role": "input", "memory": 1, "argument": 1},
;launch   {"shape": "f32[8]", "role": "output", "memory": 0, "argument": 0}]}
define ptx_kernel void @k(ptr %r, ptr %i) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pi = getelementptr i32, ptr %i, i32 %t
  %n = load i32, ptr %pi
  %in = icmp ult i32 %n, 8
  br i1 %in, label %do, label %end
do:
  %pr = getelementptr float, ptr %r, i32 %n
  %x = load atomic float, ptr %pr monotonic, align 4
  %y = fadd float %x, %x
  store atomic float %y, ptr %pr monotonic, align 4
  br label %end
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
