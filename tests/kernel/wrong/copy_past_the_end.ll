; The size of a copy lets one thread more read than there are elements.
;refuted bounds, values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[60] parameter(0)
;hlo   z = f32[] constant(0)
;hlo   ROOT r = f32[64] pad(a, z), padding=0_4
;hlo }
;launch {"grid": [1], "threads": [16], "params": [
;launch   {"shape": "f32[60]", "role": "input"},
;launch   {"shape": "f32[64]", "role": "output"}]}

@tile = internal addrspace(3) global [64 x float] undef, align 16

define ptx_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = shl i32 %t, 2
  %from = getelementptr float, ptr addrspace(1) %a, i32 %first
  %to = getelementptr float, ptr addrspace(3) @tile, i32 %first
  %inside = icmp ule i32 %t, 15                            ; wrong
; %inside = icmp ult i32 %t, 15                            ; right
  %bytes = select i1 %inside, i32 16, i32 0
  call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %to, ptr addrspace(1) %from, i32 %bytes)
  call void @llvm.nvvm.cp.async.wait.all()
  %v = load <4 x float>, ptr addrspace(3) %to, align 16
  %pr = getelementptr float, ptr addrspace(1) %r, i32 %first
  store <4 x float> %v, ptr addrspace(1) %pr, align 16
  ret void
}
