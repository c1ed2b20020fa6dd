; Lanes of one warp read what other lanes have stored: a warp runs in no order of its own either.
;refuted races
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[32] parameter(0)
;hlo   s = f32[16] slice(a), slice={[0:16]}
;hlo   ROOT r = f32[32] concatenate(s, s), dimensions={0}
;hlo }
;launch {"grid": [1], "threads": [32], "params": [
;launch   {"shape": "f32[32]", "role": "input"},
;launch   {"shape": "f32[32]", "role": "output"}]}

@tile = internal addrspace(3) global [64 x float] undef, align 16

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pa = getelementptr i32, ptr %a, i32 %t
  %pr = getelementptr i32, ptr %r, i32 %t
  %x = load float, ptr %pa
  %mine = getelementptr float, ptr addrspace(3) @tile, i32 %t
  store float %x, ptr addrspace(3) %mine
; call void @llvm.nvvm.bar.warp.sync(i32 -1)               ; right
  %j = and i32 %t, 15
  %theirs = getelementptr float, ptr addrspace(3) @tile, i32 %j
  %y = load float, ptr addrspace(3) %theirs
  store float %y, ptr %pr
  ret void
}
