; Blocks but the first begin one element later, so that the last one loads what follows the operand,
; and drops it.
;refuted bounds
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[64] parameter(0)
;hlo   b = f32[2,32] reshape(a)
;hlo   c = f32[2,32] reverse(b), dimensions={1}
;hlo   ROOT r = f32[64] reshape(c)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "f32[64]", "role": "input"},
;launch   {"shape": "f32[64]", "role": "output"}]}

@tile = internal addrspace(3) global [64 x float] undef, align 16

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %i = add i32 %first, %t
  %pr = getelementptr float, ptr %r, i32 %i
  %zero = icmp eq i32 %b, 0
  br i1 %zero, label %go, label %later
later:
  br label %go
go:
  %more = phi i32 [ 0, %0 ], [ 1, %later ]                 ; wrong
; %more = phi i32 [ 0, %0 ], [ 0, %later ]                 ; right
  %j = add i32 %i, %more
  %pj = getelementptr i32, ptr %a, i32 %j
  %dropped = load float, ptr %pj
  %pa = getelementptr i32, ptr %a, i32 %i
  %x = load float, ptr %pa
  %mine = getelementptr float, ptr addrspace(3) @tile, i32 %t
  store float %x, ptr addrspace(3) %mine
  call void @llvm.nvvm.barrier0()
  %k = sub i32 31, %t
  %theirs = getelementptr float, ptr addrspace(3) @tile, i32 %k
  %y = load float, ptr addrspace(3) %theirs
  store float %y, ptr %pr
  ret void
}
