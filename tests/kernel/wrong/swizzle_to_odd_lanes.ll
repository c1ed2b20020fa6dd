; Both lanes of a pair read from the odd one.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[32,2] parameter(0)
;hlo   ROOT r = s32[32,2] reverse(a), dimensions={1}
;hlo }
;launch {"grid": [1], "threads": [64], "params": [
;launch   {"shape": "s32[32,2]", "role": "input"},
;launch   {"shape": "s32[32,2]", "role": "output"}]}

target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.ds.swizzle(i32, i32)
define amdgpu_kernel void @k(ptr %a, ptr %o) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %pa = getelementptr i32, ptr %a, i32 %t
  %x = load i32, ptr %pa, align 4
  %y = call i32 @llvm.amdgcn.ds.swizzle(i32 %x, i32 63)  ; wrong
;  %y = call i32 @llvm.amdgcn.ds.swizzle(i32 %x, i32 1055)  ; right
  %po = getelementptr i32, ptr %o, i32 %t
  store i32 %y, ptr %po, align 4
  ret void
}
attributes #0 = { "target-cpu"="gfx90a" }
