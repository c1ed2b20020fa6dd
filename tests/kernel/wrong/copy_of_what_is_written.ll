; A thread overwrites the source of its own copy before the copy has ended.
;refuted races, values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[64] parameter(0)
;hlo   b = f32[64] parameter(1)
;hlo   c = f32[64] negate(b)
;hlo   d = f32[64] reverse(a), dimensions={0}
;hlo   ROOT r = (f32[64], f32[64]) tuple(c, d)
;hlo }
;launch {"grid": [1], "threads": [64], "params": [
;launch   {"shape": "f32[64]", "role": "input", "memory": 0},
;launch   {"shape": "f32[64]", "role": "input", "memory": 1},
;launch   {"shape": "f32[64]", "role": "output", "memory": 0}, ; wrong
;;launch   {"shape": "f32[64]", "role": "output", "memory": 2}, ; right
;launch   {"shape": "f32[64]", "role": "output", "memory": 3}]}

@tile = internal addrspace(3) global [64 x float] undef, align 16

define ptx_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, ptr addrspace(1) %d) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr float, ptr addrspace(1) %a, i32 %t
  %to = getelementptr float, ptr addrspace(3) @tile, i32 %t
  call void asm sideeffect "cp.async.ca.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x4, 0x4;", "r,l"(ptr addrspace(3) %to, ptr addrspace(1) %from)
  call void @llvm.nvvm.cp.async.commit.group()
  %pb = getelementptr float, ptr addrspace(1) %b, i32 %t
  %x = load float, ptr addrspace(1) %pb
  %y = fneg float %x
  %pc = getelementptr float, ptr addrspace(1) %c, i32 %t
  store float %y, ptr addrspace(1) %pc
  call void @llvm.nvvm.cp.async.wait.group(i32 0)
  call void @llvm.nvvm.barrier0()
  %last = sub i32 63, %t
  %theirs = getelementptr float, ptr addrspace(3) @tile, i32 %last
  %z = load float, ptr addrspace(3) %theirs
  %pd = getelementptr float, ptr addrspace(1) %d, i32 %t
  store float %z, ptr addrspace(1) %pd
  ret void
}
