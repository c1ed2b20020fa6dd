; A second copy goes to where others still read what the first one has brought.
;refuted races, values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[256] parameter(0)
;hlo   b = f32[256] parameter(1)
;hlo   c = f32[256] add(a, b)
;hlo   s = f32[64] slice(c), slice={[0:64]}
;hlo   ROOT r = f32[64] reverse(s), dimensions={0}
;hlo }
;launch {"grid": [1], "threads": [64], "params": [
;launch   {"shape": "f32[256]", "role": "input"},
;launch   {"shape": "f32[256]", "role": "input"},
;launch   {"shape": "f32[64]", "role": "output"}]}

@tile = internal addrspace(3) global [256 x float] undef, align 16

define ptx_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = shl i32 %t, 2
  %pa = getelementptr float, ptr addrspace(1) %a, i32 %first
  %pb = getelementptr float, ptr addrspace(1) %b, i32 %first
  %to = getelementptr float, ptr addrspace(3) @tile, i32 %first
  %last = sub i32 63, %t
  %theirs = getelementptr float, ptr addrspace(3) @tile, i32 %last
  call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, 0x10;", "r,l"(ptr addrspace(3) %to, ptr addrspace(1) %pa)
  call void @llvm.nvvm.cp.async.commit.group()
  call void @llvm.nvvm.cp.async.wait.group(i32 0)
  call void @llvm.nvvm.barrier0()
  %x = load float, ptr addrspace(3) %theirs
; call void @llvm.nvvm.barrier0()                          ; right
  call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, 0x10;", "r,l"(ptr addrspace(3) %to, ptr addrspace(1) %pb)
  call void @llvm.nvvm.cp.async.commit.group()
  call void @llvm.nvvm.barrier0()
  call void @llvm.nvvm.cp.async.wait.group(i32 0)
  call void @llvm.nvvm.barrier0()
  %y = load float, ptr addrspace(3) %theirs
  %s = fadd float %x, %y
  %pr = getelementptr float, ptr addrspace(1) %r, i32 %t
  store float %s, ptr addrspace(1) %pr
  ret void
}
