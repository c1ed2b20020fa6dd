; Two waves come to two barriers, and only one of these has fences.
;open races
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[128] parameter(0)
;hlo   ROOT r = s32[128] reverse(a), dimensions={0}
;hlo }
;launch {"grid": [1], "threads": [128], "params": [
;launch   {"shape": "s32[128]", "role": "input"},
;launch   {"shape": "s32[128]", "role": "output"}]}

target triple = "amdgcn-amd-amdhsa"
@s = internal addrspace(3) global [128 x i32] poison, align 16
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
define amdgpu_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %o) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %pa = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %x = load i32, ptr addrspace(1) %pa, align 4
  %ps = getelementptr i32, ptr addrspace(3) @s, i32 %t
  %c = icmp ult i32 %t, 64
  br i1 %c, label %one, label %two
one:
  store i32 %x, ptr addrspace(3) %ps, align 4
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  br label %join
two:
  store i32 %x, ptr addrspace(3) %ps, align 4
;  fence syncscope("workgroup") release  ; right
  call void @llvm.amdgcn.s.barrier()
;  fence syncscope("workgroup") acquire  ; right
  br label %join
join:
  %u = sub i32 127, %t
  %qs = getelementptr i32, ptr addrspace(3) @s, i32 %u
  %y = load i32, ptr addrspace(3) %qs, align 4
  %po = getelementptr i32, ptr addrspace(1) %o, i32 %t
  store i32 %y, ptr addrspace(1) %po, align 4
  ret void
}
attributes #0 = { "target-cpu"="gfx90a" "amdgpu-flat-work-group-size"="128,128" }
