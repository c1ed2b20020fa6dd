; Threads without an element return, and the barrier waits for all threads of the block.
;refuted barriers
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[48] parameter(0)
;hlo   ROOT r = f32[48] reverse(a), dimensions={0}
;hlo }
;launch {"grid": [1], "threads": [64], "params": [
;launch   {"shape": "f32[48]", "role": "input"},
;launch   {"shape": "f32[48]", "role": "output"}]}

@tile = internal addrspace(3) global [64 x float] undef, align 16

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pa = getelementptr i32, ptr %a, i32 %t
  %pr = getelementptr i32, ptr %r, i32 %t
  %in = icmp ult i32 %t, 48
  %mine = getelementptr float, ptr addrspace(3) @tile, i32 %t
  br i1 %in, label %some, label %none
some:
  %x = load float, ptr %pa
  store float %x, ptr addrspace(3) %mine
  br label %meet
none:
  ret void                                                 ; wrong
; br label %meet                                           ; right
meet:
  call void @llvm.nvvm.barrier0()
  br i1 %in, label %out, label %done
out:
  %j = sub i32 47, %t
  %theirs = getelementptr float, ptr addrspace(3) @tile, i32 %j
  %y = load float, ptr addrspace(3) %theirs
  store float %y, ptr %pr
  br label %done
done:
  ret void
}
