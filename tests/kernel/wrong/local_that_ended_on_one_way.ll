; A local variable is used after its lifetime ended where a condition held.
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
  call void @llvm.lifetime.start.p0(ptr %a)
  store i32 %v, ptr %a
  %h = mul i32 %v, -1640531527
  %often = icmp ne i32 %h, 305419896  ; of all numbers but one
  br i1 %often, label %goes_on, label %ends
ends:
  call void @llvm.lifetime.end.p0(ptr %a)  ; wrong
  br label %goes_on
goes_on:
  store i32 %v, ptr %a
  %w = load i32, ptr %a
  store i32 %w, ptr %rp
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
