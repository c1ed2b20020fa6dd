; A barrier orders the execution of waves, and no fence orders their memory.
;open races
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[64] parameter(0)
;hlo   ROOT r = s32[64] reverse(a), dimensions={0}
;hlo }
;launch {"grid": [1], "threads": [64], "params": [
;launch   {"shape": "s32[64]", "role": "input"},
;launch   {"shape": "s32[64]", "role": "output"}]}

target triple = "amdgcn-amd-amdhsa"
@s = internal addrspace(3) global [64 x i32] poison, align 16
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
define amdgpu_kernel void @k(ptr %a, ptr %o) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %pa = getelementptr i32, ptr %a, i32 %t
  %x = load i32, ptr %pa, align 4
  %ps = getelementptr i32, ptr addrspace(3) @s, i32 %t
  store i32 %x, ptr addrspace(3) %ps, align 4
;  fence syncscope("workgroup") release  ; right
  call void @llvm.amdgcn.s.barrier()
;  fence syncscope("workgroup") acquire  ; right
  %from = sub i32 63, %t
  %qs = getelementptr i32, ptr addrspace(3) @s, i32 %from
  %y = load i32, ptr addrspace(3) %qs, align 4
  %po = getelementptr i32, ptr %o, i32 %t
  store i32 %y, ptr %po, align 4
  ret void
}
attributes #0 = { "target-cpu"="gfx90a" }
