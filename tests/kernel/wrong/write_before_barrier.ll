; The tile is filled again before everybody has read it: no barrier stands between the reads and the
; second writes.
;refuted races
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[64] parameter(0)
;hlo   b = f32[64] parameter(1)
;hlo   s = f32[32] slice(a), slice={[32:64]}
;hlo   c = f32[64] concatenate(s, s), dimensions={0}
;hlo   u = f32[32] slice(b), slice={[32:64]}
;hlo   d = f32[64] concatenate(u, u), dimensions={0}
;hlo   ROOT r = f32[64] add(c, d)
;hlo }
;launch {"grid": [1], "threads": [64], "params": [
;launch   {"shape": "f32[64]", "role": "input"},
;launch   {"shape": "f32[64]", "role": "input"},
;launch   {"shape": "f32[64]", "role": "output"}]}

@tile = internal addrspace(3) global [64 x float] undef, align 16

define ptx_kernel void @k(ptr %a, ptr %b, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pa = getelementptr i32, ptr %a, i32 %t
  %pb = getelementptr i32, ptr %b, i32 %t
  %pr = getelementptr i32, ptr %r, i32 %t
  %x = load float, ptr %pa
  %y = load float, ptr %pb
  %j = or i32 %t, 32
  %mine = getelementptr float, ptr addrspace(3) @tile, i32 %t
  %theirs = getelementptr float, ptr addrspace(3) @tile, i32 %j
  store float %x, ptr addrspace(3) %mine
  call void @llvm.nvvm.barrier0()
  %u = load float, ptr addrspace(3) %theirs
; call void @llvm.nvvm.barrier0()                          ; right
  store float %y, ptr addrspace(3) %mine
  call void @llvm.nvvm.barrier0()
  %v = load float, ptr addrspace(3) %theirs
  %z = fadd float %u, %v
  store float %z, ptr %pr
  ret void
}
