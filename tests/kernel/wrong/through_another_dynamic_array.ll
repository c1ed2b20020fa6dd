; A value is stored in one array of dynamic shared memory and read from another one.
;open values
;hlo HloModule m
;hlo ENTRY e {
;hlo   p = s32[32] parameter(0)
;hlo   ROOT c = s32[32] copy(p)
;hlo }
;launch {"grid": [1], "threads": [32], "shared": 128, "params": [
;launch   {"shape": "s32[32]", "role": "input"},
;launch   {"shape": "s32[32]", "role": "output"}]}

@x = external addrspace(3) global [0 x i32], align 16
@y = external addrspace(3) global [0 x i32], align 16  ; wrong

define ptx_kernel void @k(ptr %p, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pp = getelementptr i32, ptr %p, i32 %t
  %rp = getelementptr i32, ptr %r, i32 %t
  %v = load i32, ptr %pp
  %sx = getelementptr i32, ptr addrspace(3) @x, i32 %t
  %sy = getelementptr i32, ptr addrspace(3) @y, i32 %t  ; wrong
; %sy = getelementptr i32, ptr addrspace(3) @x, i32 %t  ; right
  store i32 0, ptr addrspace(3) %sy
  store i32 %v, ptr addrspace(3) %sx
  %w = load i32, ptr addrspace(3) %sy
  store i32 %w, ptr %rp
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
