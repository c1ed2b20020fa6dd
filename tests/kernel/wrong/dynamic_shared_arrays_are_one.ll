; Two arrays of dynamic shared memory begin at one address.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[64] parameter(0)
;hlo   b = f32[2,32] reshape(a)
;hlo   c = f32[2,32] reverse(b), dimensions={1}
;hlo   ROOT r = f32[64] reshape(c)
;hlo }
;launch {"grid": [2], "threads": [32], "shared": 256, "params": [
;launch   {"shape": "f32[64]", "role": "input"},
;launch   {"shape": "f32[64]", "role": "output"}]}

@one = external addrspace(3) global [0 x float], align 16
@two = external addrspace(3) global [0 x float], align 16  ; wrong

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %i = add i32 %first, %t
  %pa = getelementptr i32, ptr %a, i32 %i
  %pr = getelementptr i32, ptr %r, i32 %i
  %x = load float, ptr %pa
  %mine = getelementptr float, ptr addrspace(3) @one, i32 %t
  store float %x, ptr addrspace(3) %mine
  %other = getelementptr float, ptr addrspace(3) @two, i32 %t  ; wrong
; %u = add i32 %t, 32                                      ; right
; %other = getelementptr float, ptr addrspace(3) @one, i32 %u  ; right
  store float 0.0, ptr addrspace(3) %other
  call void @llvm.nvvm.barrier0()
  %j = sub i32 31, %t
  %theirs = getelementptr float, ptr addrspace(3) @one, i32 %j
  %y = load float, ptr addrspace(3) %theirs
  store float %y, ptr %pr
  ret void
}
