; Lanes of the upper half take the value of the first lane of the wave.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[64] parameter(0)
;hlo   l = s32[32] slice(a), slice={[0:32]}
;hlo   s = s32[1] slice(a), slice={[32:33]}
;hlo   c = s32[] reshape(s)
;hlo   b = s32[32] broadcast(c), dimensions={}
;hlo   ROOT r = s32[64] concatenate(l, b), dimensions={0}
;hlo }
;launch {"grid": [1], "threads": [64], "params": [
;launch   {"shape": "s32[64]", "role": "input"},
;launch   {"shape": "s32[64]", "role": "output"}]}

target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
define amdgpu_kernel void @k(ptr %a, ptr %o) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %pa = getelementptr i32, ptr %a, i32 %t
  %x = load i32, ptr %pa, align 4
  %upper = icmp ugt i32 %t, 31
  %all = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x)
  br i1 %upper, label %yes, label %done
yes:
  %some = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x)
  br label %done
done:
  %y = phi i32 [ %x, %0 ], [ %all, %yes ]  ; wrong
;  %y = phi i32 [ %x, %0 ], [ %some, %yes ]  ; right
  %po = getelementptr i32, ptr %o, i32 %t
  store i32 %y, ptr %po, align 4
  ret void
}
attributes #0 = { "target-cpu"="gfx90a" }
