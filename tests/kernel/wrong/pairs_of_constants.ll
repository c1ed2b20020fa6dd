; Two elements of a constant array are loaded as one, where the array is aligned to one element.
;refuted bounds, values
;hlo HloModule m
;hlo ENTRY e {
;hlo   ROOT r = s32[4] constant({3, 1, 4, 1})
;hlo }
;launch {"grid": [1], "threads": [2], "params": [
;launch   {"shape": "s32[4]", "role": "output"}]}

@array = internal addrspace(1) constant [4 x i32] [i32 3, i32 1, i32 4, i32 1], align 4 ; wrong
;@array = internal addrspace(1) constant [4 x i32] [i32 3, i32 1, i32 4, i32 1], align 8 ; right

define ptx_kernel void @k(ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = mul i32 %t, 2
  %pa = getelementptr i32, ptr addrspacecast (ptr addrspace(1) @array to ptr), i32 %i
  %pr = getelementptr i32, ptr %r, i32 %i
  %x = load <2 x i32>, ptr %pa, align 8
  store <2 x i32> %x, ptr %pr, align 8
  ret void
}
