; Even lanes come to the barrier in the first iteration, odd ones in the second.
;open barriers
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[64] parameter(0)
;hlo   ROOT r = s32[64] reverse(a), dimensions={0}
;hlo }
;launch {"grid": [1], "threads": [64], "params": [
;launch   {"shape": "s32[64]", "role": "input"},
;launch   {"shape": "s32[64]", "role": "output"}]}

target triple = "nvptx64-nvidia-cuda"
@s = internal addrspace(3) global [64 x i32] poison, align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)  ; wrong
;declare void @llvm.nvvm.barrier.cta.sync.all(i32)  ; right
define ptx_kernel void @k(ptr %a, ptr %o) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pa = getelementptr i32, ptr %a, i32 %t
  %x = load i32, ptr %pa, align 4
  %ps = getelementptr i32, ptr addrspace(3) @s, i32 %t
  store i32 %x, ptr addrspace(3) %ps, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %i.next, %next ]
  %sum = add i32 %i, %t
  %bit = and i32 %sum, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %take, label %next
take:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)  ; wrong
;  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)  ; right
  br label %next
next:
  %i.next = add i32 %i, 1
  %again = icmp ult i32 %i.next, 2
  br i1 %again, label %loop, label %done
done:
  %from = sub i32 63, %t
  %qs = getelementptr i32, ptr addrspace(3) @s, i32 %from
  %y = load i32, ptr addrspace(3) %qs, align 4
  %po = getelementptr i32, ptr %o, i32 %t
  store i32 %y, ptr %po, align 4
  ret void
}
