; A table is read outside of the range that its address promises, below a cast.
;open values
;hlo HloModule m
;hlo ENTRY e {
;hlo   i = s32[8] constant({1,2,3,4,5,6,7,8})
;hlo   a = s32[8] parameter(0)
;hlo   ROOT r = s32[8] add(a, i)
;hlo }
;launch {"grid": [1], "threads": [8], "params": [{"shape": "s32[8]", "role": "input"}, {"shape": "s32[8]", "role": "output"}]}

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@c = internal addrspace(1) constant [8 x i32] [i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8], align 4
define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pa = getelementptr i32, ptr %a, i32 %t
  %x = load i32, ptr %pa
  %pc = getelementptr i32, ptr addrspacecast (ptr addrspace(1) getelementptr inbounds inrange(0, 4) ([8 x i32], ptr addrspace(1) @c, i64 0, i64 0) to ptr), i32 %t; wrong
;  %pc = getelementptr i32, ptr addrspacecast (ptr addrspace(1) getelementptr inbounds ([8 x i32], ptr addrspace(1) @c, i64 0, i64 0) to ptr), i32 %t; right
  %v = load i32, ptr %pc
  %y = add i32 %x, %v
  %pr = getelementptr i32, ptr %r, i32 %t
  store i32 %y, ptr %pr
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
