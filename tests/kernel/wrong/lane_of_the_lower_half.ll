; Lanes of the upper half take themselves for the lane 32.
;refuted races, values, writes
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[64] parameter(0)
;hlo   ROOT r = s32[64] reverse(a), dimensions={0}
;hlo }
;launch {"grid": [1], "threads": [64], "params": [
;launch   {"shape": "s32[64]", "role": "input"},
;launch   {"shape": "s32[64]", "role": "output"}]}

target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare i32 @llvm.amdgcn.mbcnt.hi(i32, i32)
define amdgpu_kernel void @k(ptr %a, ptr %o) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %low = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = add i32 %low, 0  ; wrong
;  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %low)  ; right
  %from = sub i32 63, %lane
  %pa = getelementptr i32, ptr %a, i32 %from
  %y = load i32, ptr %pa, align 4
  %po = getelementptr i32, ptr %o, i32 %lane
  store i32 %y, ptr %po, align 4
  ret void
}
attributes #0 = { "target-cpu"="gfx90a" }
