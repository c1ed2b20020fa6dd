; Lanes at the end of a wave read from lanes that the block does not have.
;open values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[48] parameter(0)
;hlo   z = s32[] constant(0)
;hlo   ROOT r = s32[48] pad(a, z), padding=-16_16
;hlo }
;launch {"grid": [1], "threads": [48], "params": [
;launch   {"shape": "s32[48]", "role": "input"},
;launch   {"shape": "s32[48]", "role": "output"}]}

target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
define amdgpu_kernel void @k(ptr %a, ptr %o) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %pa = getelementptr i32, ptr %a, i32 %t
  %x = load i32, ptr %pa, align 4
  %from = add i32 %t, 16
  %byte = shl i32 %from, 2
  %got = call i32 @llvm.amdgcn.ds.bpermute(i32 %byte, i32 %x)
  %c = icmp ult i32 %t, 48  ; wrong
;  %c = icmp ult i32 %t, 32  ; right
  %y = select i1 %c, i32 %got, i32 0
  %po = getelementptr i32, ptr %o, i32 %t
  store i32 %y, ptr %po, align 4
  ret void
}
attributes #0 = { "target-cpu"="gfx90a" }
