; Values move from row to row of 16 lanes, by a shift of the whole wave.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[4,16] parameter(0)
;hlo   z = s32[] constant(0)
;hlo   ROOT r = s32[4,16] pad(a, z), padding=0_0x1_-1
;hlo }
;launch {"grid": [1], "threads": [64], "params": [
;launch   {"shape": "s32[4,16]", "role": "input"},
;launch   {"shape": "s32[4,16]", "role": "output"}]}

target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)
define amdgpu_kernel void @k(ptr %a, ptr %o) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %pa = getelementptr i32, ptr %a, i32 %t
  %x = load i32, ptr %pa, align 4
  %y = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %x, i32 312, i32 15, i32 15, i1 true)  ; wrong
;  %y = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %x, i32 273, i32 15, i32 15, i1 true)  ; right
  %po = getelementptr i32, ptr %o, i32 %t
  store i32 %y, ptr %po, align 4
  ret void
}
attributes #0 = { "target-cpu"="gfx90a" }
