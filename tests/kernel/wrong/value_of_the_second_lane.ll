; All lanes take the value of the second lane for that of the first.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[64] parameter(0)
;hlo   s = s32[1] slice(a), slice={[0:1]}
;hlo   b = s32[] reshape(s)
;hlo   ROOT r = s32[64] broadcast(b), dimensions={}
;hlo }
;launch {"grid": [1], "threads": [64], "params": [
;launch   {"shape": "s32[64]", "role": "input"},
;launch   {"shape": "s32[64]", "role": "output"}]}

target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
define amdgpu_kernel void @k(ptr %a, ptr %o) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %pa = getelementptr i32, ptr %a, i32 %t
  %x = load i32, ptr %pa, align 4
  %y = call i32 @llvm.amdgcn.readlane.i32(i32 %x, i32 1)  ; wrong
;  %y = call i32 @llvm.amdgcn.readlane.i32(i32 %x, i32 0)  ; right
  %po = getelementptr i32, ptr %o, i32 %t
  store i32 %y, ptr %po, align 4
  ret void
}
attributes #0 = { "target-cpu"="gfx90a" }
