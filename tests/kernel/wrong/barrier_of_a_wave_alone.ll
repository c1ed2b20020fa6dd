; Lanes of a wave read what others have stored, and a barrier of the wave orders no memory.
;refuted races
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[32] parameter(0)
;hlo   s = s32[16] slice(a), slice={[0:16]}
;hlo   ROOT r = s32[32] concatenate(s, s), dimensions={0}
;hlo }
;launch {"grid": [1], "threads": [32], "params": [
;launch   {"shape": "s32[32]", "role": "input"},
;launch   {"shape": "s32[32]", "role": "output"}]}

target triple = "amdgcn-amd-amdhsa"
@s = internal addrspace(3) global [32 x i32] poison, align 16
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.wave.barrier()
declare void @llvm.amdgcn.s.barrier()
define amdgpu_kernel void @k(ptr %a, ptr %o) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %pa = getelementptr i32, ptr %a, i32 %t
  %x = load i32, ptr %pa, align 4
  %ps = getelementptr i32, ptr addrspace(3) @s, i32 %t
  store i32 %x, ptr addrspace(3) %ps, align 4
  call void @llvm.amdgcn.wave.barrier()  ; wrong
;  fence syncscope("workgroup") release  ; right
;  call void @llvm.amdgcn.s.barrier()  ; right
;  fence syncscope("workgroup") acquire  ; right
  %from = and i32 %t, 15
  %qs = getelementptr i32, ptr addrspace(3) @s, i32 %from
  %y = load i32, ptr addrspace(3) %qs, align 4
  %po = getelementptr i32, ptr %o, i32 %t
  store i32 %y, ptr %po, align 4
  ret void
}
attributes #0 = { "target-cpu"="gfx90a" }
