; The updates of two blocks meet in one element, and a store is atomic within its block alone.
;refuted races
;hlo HloModule m
;hlo set { x = s32[] parameter(0) ROOT y = s32[] parameter(1) }
;hlo ENTRY e {
;hlo   p = s32[4] parameter(0)
;hlo   i = s32[64,1] parameter(1)
;hlo   u = s32[64] parameter(2)
;hlo   ROOT r = s32[4] scatter(p, i, u), update_window_dims={}, inserted_window_dims={0},
;hlo     scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=set
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "s32[4]", "role": "input", "memory": 0},
;launch   {"shape": "s32[64,1]", "role": "input", "memory": 1},
;launch   {"shape": "s32[64]", "role": "input", "memory": 2},
;launch   {"shape": "s32[4]", "role": "output", "memory": 0}]}

define ptx_kernel void @k(ptr %p, ptr %i, ptr %u, ptr %r) {
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
  store atomic i32 %x, ptr %pr syncscope("block") unordered, align 4 ; wrong
; store atomic i32 %x, ptr %pr unordered, align 4                    ; right
  br label %end
end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
