; The address of the only array in shared memory is taken to be 0.
;open values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[64] parameter(0)
;hlo   ROOT r = s32[64] negate(a)
;hlo }
;launch {"kernel": "k", "grid": [1, 1, 1], "threads": [64, 1, 1], "params": [{"shape": "s32[64]{0}", "role": "input"}, {"shape": "s32[64]{0}", "role": "output"}]}

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@s = internal addrspace(3) global [64 x i32] undef, align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr %a, ptr %o) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pa = getelementptr i32, ptr %a, i32 %t
  %x = load i32, ptr %pa, align 4
  %z = ptrtoint ptr addrspace(3) @s to i32                  ; wrong
;  %z = add i32 0, 0                                        ; right
  %y = sub i32 %z, %x
  %po = getelementptr i32, ptr %o, i32 %t
  store i32 %y, ptr %po, align 4
  ret void
}
