; Each half of the warp is reduced by itself, and only the first half counts.
;refuted values
;hlo HloModule m
;hlo xor {
;hlo   x = s32[] parameter(0)
;hlo   y = s32[] parameter(1)
;hlo   ROOT s = s32[] xor(x, y)
;hlo }
;hlo ENTRY e {
;hlo   a = s32[4,32] parameter(0)
;hlo   c = s32[] constant(0)
;hlo   ROOT r = s32[4] reduce(a, c), dimensions={1}, to_apply=xor
;hlo }
;launch {"grid": [4], "threads": [32], "params": [
;launch   {"shape": "s32[4,32]", "role": "input", "memory": 0},
;launch   {"shape": "s32[4]", "role": "output", "memory": 1}]}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.redux.sync.xor(i32, i32)
define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %row = mul i32 %b, 32
  %e = add i32 %row, %t
  %p = getelementptr i32, ptr %a, i32 %e
  %x = load i32, ptr %p
  %low = icmp ult i32 %t, 16
  %half = select i1 %low, i32 65535, i32 -65536  ; wrong
  %all = call i32 @llvm.nvvm.redux.sync.xor(i32 %x, i32 %half)  ; wrong
;  %all = call i32 @llvm.nvvm.redux.sync.xor(i32 %x, i32 -1)  ; right
  %zero = icmp eq i32 %t, 0
  br i1 %zero, label %write, label %end
write:
  %q = getelementptr i32, ptr %r, i32 %b
  store i32 %all, ptr %q
  br label %end
end:
  ret void
}
