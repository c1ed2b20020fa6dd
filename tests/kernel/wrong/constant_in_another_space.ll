; A table of global memory is read as one of constant memory.
;open bounds
;hlo HloModule m
;hlo ENTRY e {
;hlo   p = f32[4] parameter(0)
;hlo   t = f32[4] constant({1, 2, 3, 5})
;hlo   ROOT r = f32[4] add(p, t)
;hlo }
;launch {"grid": [1], "threads": [4], "params": [
;launch   {"shape": "f32[4]", "role": "input"},
;launch   {"shape": "f32[4]", "role": "output"}]}

@t = internal addrspace(1) constant [4 x float] [float 1.0, float 2.0, float 3.0, float 5.0], align 16

define ptx_kernel void @k(ptr %p, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pp = getelementptr i32, ptr %p, i32 %t
  %rp = getelementptr i32, ptr %r, i32 %t
  %x = load float, ptr %pp
  %all = addrspacecast ptr addrspace(1) @t to ptr
  %c = addrspacecast ptr %all to ptr addrspace(4)  ; wrong
; %c = addrspacecast ptr %all to ptr addrspace(1)  ; right
  %c1 = getelementptr float, ptr addrspace(4) %c, i32 %t  ; wrong
; %c1 = getelementptr float, ptr addrspace(1) %c, i32 %t  ; right
  %q = load float, ptr addrspace(4) %c1  ; wrong
; %q = load float, ptr addrspace(1) %c1  ; right
  %y = fadd float %x, %q
  store float %y, ptr %rp
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
