; The lanes of one wave of AMDGPU wait at two barriers.
;open barriers
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[128] parameter(0)
;hlo   ROOT r = f32[128] reverse(a), dimensions={0}
;hlo }
;launch {"grid": [1, 1, 1], "threads": [128, 1, 1], "params": [{"shape": "f32[128]", "role": "input"}, {"shape": "f32[128]", "role": "output"}]}

target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"
@s = internal addrspace(3) global [128 x float] poison, align 16
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
define amdgpu_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %o) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %pa = getelementptr float, ptr addrspace(1) %a, i32 %t
  %x = load float, ptr addrspace(1) %pa, align 4
  %ps = getelementptr float, ptr addrspace(3) @s, i32 %t
  %c = icmp ult i32 %t, 32                                  ; wrong
;  %c = icmp ult i32 %t, 64                                 ; right
  br i1 %c, label %one, label %two
one:
  store float %x, ptr addrspace(3) %ps, align 4
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  br label %join
two:
  store float %x, ptr addrspace(3) %ps, align 4
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  br label %join
join:
  %u = sub i32 127, %t
  %qs = getelementptr float, ptr addrspace(3) @s, i32 %u
  %y = load float, ptr addrspace(3) %qs, align 4
  %po = getelementptr float, ptr addrspace(1) %o, i32 %t
  store float %y, ptr addrspace(1) %po, align 4
  ret void
}
attributes #0 = { "target-cpu"="gfx90a" "amdgpu-flat-work-group-size"="128,128" }
