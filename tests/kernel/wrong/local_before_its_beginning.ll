; A local variable is used before its lifetime.
;open bounds
;hlo HloModule m
;hlo ENTRY e {
;hlo   p = s32[32] parameter(0)
;hlo   ROOT c = s32[32] copy(p)
;hlo }
;launch {"grid": [1], "threads": [32], "params": [
;launch   {"shape": "s32[32]", "role": "input"},
;launch   {"shape": "s32[32]", "role": "output"}]}

define ptx_kernel void @k(ptr %p, ptr %r) {
  %a = alloca i32
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pp = getelementptr i32, ptr %p, i32 %t
  %rp = getelementptr i32, ptr %r, i32 %t
  %v = load i32, ptr %pp
; call void @llvm.lifetime.start.p0(ptr %a)  ; right
  store i32 %v, ptr %a
  %w = load i32, ptr %a
  call void @llvm.lifetime.start.p0(ptr %a)  ; wrong
  call void @llvm.lifetime.end.p0(ptr %a)
  store i32 %w, ptr %rp
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
