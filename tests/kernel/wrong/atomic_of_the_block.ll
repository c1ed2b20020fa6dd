; The updates of two blocks meet in one element, and each is atomic within its block alone.
;refuted races
;hlo HloModule m
;hlo sum { x = s32[] parameter(0) y = s32[] parameter(1) ROOT s = s32[] add(x, y) }
;hlo ENTRY e {
;hlo   p = s32[1] parameter(0)
;hlo   i = s32[64,1] parameter(1)
;hlo   u = s32[64] parameter(2)
;hlo   ROOT r = s32[1] scatter(p, i, u), update_window_dims={}, inserted_window_dims={0},
;hlo     scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "s32[1]", "role": "input", "memory": 0},
;launch   {"shape": "s32[64,1]", "role": "input", "memory": 1},
;launch   {"shape": "s32[64]", "role": "input", "memory": 2},
;launch   {"shape": "s32[1]", "role": "output", "memory": 0}]}

define ptx_kernel void @k(ptr %p, ptr %i, ptr %u, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %n = add i32 %first, %t
  %pi = getelementptr i32, ptr %i, i32 %n
  %at = load i32, ptr %pi
  %inside = icmp eq i32 %at, 0
  br i1 %inside, label %update, label %end
update:
  %pu = getelementptr i32, ptr %u, i32 %n
  %x = load i32, ptr %pu
  %old = atomicrmw add ptr %r, i32 %x syncscope("block") monotonic ; wrong
; %old = atomicrmw add ptr %r, i32 %x monotonic                    ; right
  br label %end
end:
  ret void
}
