; A sum over two waves takes the value of the lane beside the last one, which has the whole sum.
;refuted values
;hlo HloModule m
;hlo add { x = f32[] parameter(0)
;hlo  y = f32[] parameter(1)
;hlo  ROOT s = f32[] add(x, y) }
;hlo ENTRY e {
;hlo   a = f32[4,128] parameter(0)
;hlo   c = f32[] constant(0)
;hlo   ROOT r = f32[4] reduce(a, c), dimensions={1}, to_apply=add
;hlo }
;launch {"grid": [4], "threads": [128], "params": [
;launch   {"shape": "f32[4,128]", "role": "input"},
;launch   {"shape": "f32[4]", "role": "output"}]}

target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"
@s = internal unnamed_addr addrspace(3) global [2 x float] undef, align 16
define amdgpu_kernel void @k(ptr addrspace(1) inreg readonly captures(none) %a, ptr addrspace(1) inreg writeonly captures(none) %o) local_unnamed_addr #0 {
  %t = tail call range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x()
  %b = tail call i32 @llvm.amdgcn.workgroup.id.x()
  %row = shl nuw nsw i32 %b, 7
  %e = add nuw nsw i32 %row, %t
  %ez = zext nneg i32 %e to i64
  %pa = getelementptr inbounds float, ptr addrspace(1) %a, i64 %ez
  %x = load float, ptr addrspace(1) %pa, align 4
  %x0 = bitcast float %x to i32
  %d1 = tail call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %x0, i32 280, i32 15, i32 15, i1 true)
  %f1 = bitcast i32 %d1 to float
  %s1 = fadd float %x, %f1
  %b1 = bitcast float %s1 to i32
  %d2 = tail call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %b1, i32 276, i32 15, i32 15, i1 true)
  %f2 = bitcast i32 %d2 to float
  %s2 = fadd float %s1, %f2
  %b2 = bitcast float %s2 to i32
  %d3 = tail call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %b2, i32 274, i32 15, i32 15, i1 true)
  %f3 = bitcast i32 %d3 to float
  %s3 = fadd float %s2, %f3
  %b3 = bitcast float %s3 to i32
  %d4 = tail call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %b3, i32 273, i32 15, i32 15, i1 true)
  %f4 = bitcast i32 %d4 to float
  %s4 = fadd float %s3, %f4
  %b4 = bitcast float %s4 to i32
  %d5 = tail call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %b4, i32 322, i32 10, i32 15, i1 true)
  %f5 = bitcast i32 %d5 to float
  %s5 = fadd float %s4, %f5
  %b5 = bitcast float %s5 to i32
  %d6 = tail call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %b5, i32 323, i32 12, i32 15, i1 true)
  %f6 = bitcast i32 %d6 to float
  %s6 = fadd float %s5, %f6
  %b6 = bitcast float %s6 to i32
  %r = tail call i32 @llvm.amdgcn.readlane.i32(i32 %b6, i32 62)  ; wrong
;  %r = tail call i32 @llvm.amdgcn.readlane.i32(i32 %b6, i32 63)  ; right
  %w = lshr i32 %t, 6
  %lane = and i32 %t, 63
  %z = icmp eq i32 %lane, 0
  br i1 %z, label %st, label %join
st:
  %ps = getelementptr inbounds float, ptr addrspace(3) @s, i32 %w
  store i32 %r, ptr addrspace(3) %ps, align 4
  br label %join
join:
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %y0 = load float, ptr addrspace(3) @s, align 16
  %y1 = load float, ptr addrspace(3) getelementptr inbounds (i8, ptr addrspace(3) @s, i32 4), align 4
  %y = fadd float %y0, %y1
  %first = icmp eq i32 %t, 0
  br i1 %first, label %out, label %end
out:
  %bz = zext nneg i32 %b to i64
  %po = getelementptr inbounds float, ptr addrspace(1) %o, i64 %bz
  store float %y, ptr addrspace(1) %po, align 4
  br label %end
end:
  ret void
}
declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #1
declare noundef i32 @llvm.amdgcn.workgroup.id.x() #1
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32 immarg, i32 immarg, i32 immarg, i1 immarg)
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
declare void @llvm.amdgcn.s.barrier()
attributes #0 = { mustprogress nofree norecurse nounwind willreturn "amdgpu-agpr-alloc"="0" "amdgpu-flat-work-group-size"="1,128" "amdgpu-no-cluster-id-x" "amdgpu-no-completion-action" "amdgpu-no-default-queue" "amdgpu-no-dispatch-id" "amdgpu-no-dispatch-ptr" "amdgpu-no-flat-scratch-init" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-implicitarg-ptr" "amdgpu-no-lds-kernel-id" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-queue-ptr" "amdgpu-no-workgroup-id-y" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-waves-per-eu"="0, 0" "denormal-fp-math-f32"="ieee" "target-cpu"="gfx942" "uniform-work-group-size"="true" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
