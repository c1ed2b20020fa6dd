; A load of shared memory takes a generic address.
;open bounds
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[64] parameter(0)
;hlo   ROOT r = f32[64] reverse(a), dimensions={0}
;hlo }
;launch {"kernel": "k", "grid": [1, 1, 1], "threads": [64, 1, 1], "shared": 0, "params": [{"shape": "f32[64]{0}", "bytes": 256, "role": "input", "memory": 0}, {"shape": "f32[64]{0}", "bytes": 256, "role": "output", "memory": 1}]}

target datalayout = "e-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@s = internal addrspace(3) global [64 x float] undef, align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0()
define ptx_kernel void @k(ptr %a, ptr %o) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pa = getelementptr float, ptr %a, i32 %t
  %x = load float, ptr %pa, align 4
  %g = addrspacecast ptr addrspace(3) @s to ptr
  %ps = getelementptr float, ptr %g, i32 %t
  store float %x, ptr %ps, align 4
  call void @llvm.nvvm.barrier0()
  %u = sub i32 63, %t
  %qs = getelementptr float, ptr %g, i32 %u                 ; wrong
;  %qs = getelementptr float, ptr addrspace(3) @s, i32 %u   ; right
  %y = call float asm sideeffect "ld.shared.b32 $0, [$1];", "=f,l"(ptr %qs); wrong
;  %y = call float asm sideeffect "ld.shared.b32 $0, [$1];", "=f,r"(ptr addrspace(3) %qs); right
  %po = getelementptr float, ptr %o, i32 %t
  store float %y, ptr %po, align 4
  ret void
}
