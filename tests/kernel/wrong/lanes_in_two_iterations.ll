; Even lanes exchange values in the first iteration, odd ones in the second.
;open barriers
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
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
define amdgpu_kernel void @k(ptr %a, ptr %o) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %pa = getelementptr i32, ptr %a, i32 %t
  %x = load i32, ptr %pa, align 4
  %from = xor i32 %t, 1
  %byte = shl i32 %from, 2
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %i.next, %next ]
  %v = phi i32 [ 0, %0 ], [ %y, %next ]
  %sum = add i32 %i, %t
  %bit = and i32 %sum, 1
  %c = icmp eq i32 %bit, 0  ; wrong
;  %c = icmp ult i32 %i, 2  ; right
  br i1 %c, label %take, label %next
take:
  %got = call i32 @llvm.amdgcn.ds.bpermute(i32 %byte, i32 %x)
  br label %next
next:
  %y = phi i32 [ %v, %loop ], [ %got, %take ]
  %i.next = add i32 %i, 1
  %again = icmp ult i32 %i.next, 2
  br i1 %again, label %loop, label %done
done:
  %po = getelementptr i32, ptr %o, i32 %t
  store i32 %y, ptr %po, align 4
  ret void
}
attributes #0 = { "target-cpu"="gfx90a" }
