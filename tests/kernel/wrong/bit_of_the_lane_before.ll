; The bit of the fifth lane is set, and should be that of the sixth.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[64] parameter(0)
;hlo   c = s32[] constant(1)
;hlo   b = s32[64] broadcast(c), dimensions={}
;hlo   ROOT r = s32[64] add(a, b)
;hlo }
;launch {"grid": [1], "threads": [64], "params": [
;launch   {"shape": "s32[64]", "role": "input"},
;launch   {"shape": "s32[64]", "role": "output"}]}

target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i64 @llvm.amdgcn.ballot.i64(i1)
define amdgpu_kernel void @k(ptr %a, ptr %o) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %pa = getelementptr i32, ptr %a, i32 %t
  %x = load i32, ptr %pa, align 4
  %is = icmp eq i32 %t, 4  ; wrong
;  %is = icmp eq i32 %t, 5  ; right
  %ballot = call i64 @llvm.amdgcn.ballot.i64(i1 %is)
  %low = trunc i64 %ballot to i32
  %at = lshr i32 %low, 5
  %bit = and i32 %at, 1
  %y = add i32 %x, %bit
  %po = getelementptr i32, ptr %o, i32 %t
  store i32 %y, ptr %po, align 4
  ret void
}
attributes #0 = { "target-cpu"="gfx90a" }
