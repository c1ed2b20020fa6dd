; A matrix is loaded through a generic address of global memory.
;refuted bounds, values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = u16[8,8] parameter(0)
;hlo   ROOT r = u16[8,8] copy(a)
;hlo }
;launch {"grid": [1], "threads": [32], "params": [
;launch   {"shape": "u16[8,8]", "role": "input"},
;launch   {"shape": "u16[8,8]", "role": "output"}]}

target triple = "nvptx64-nvidia-cuda"
;@s = internal addrspace(3) global [64 x i16] undef, align 16  ; right
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
;declare void @llvm.nvvm.barrier0()  ; right
declare i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p0(ptr)
define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
;  %pa = getelementptr <2 x i16>, ptr %a, i32 %t  ; right
;  %v = load <2 x i16>, ptr %pa, align 4  ; right
;  %ps = getelementptr <2 x i16>, ptr addrspace(3) @s, i32 %t  ; right
;  store <2 x i16> %v, ptr addrspace(3) %ps, align 4  ; right
;  call void @llvm.nvvm.barrier0()  ; right
  %row = and i32 %t, 7
  %at = shl i32 %row, 4
  %p = getelementptr i8, ptr %a, i32 %at  ; wrong
;  %g = addrspacecast ptr addrspace(3) @s to ptr  ; right
;  %p = getelementptr i8, ptr %g, i32 %at  ; right
  %x = call i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p0(ptr %p)
  %pr = getelementptr i32, ptr %r, i32 %t
  store i32 %x, ptr %pr, align 4
  ret void
}
