; A thread stores to where its own copy goes, and never waits for the copy.
;refuted races
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[256] parameter(0)
;hlo   b = f32[256] parameter(1)
;hlo   ROOT r = f32[256] copy(b)
;hlo }
;launch {"grid": [1], "threads": [64], "params": [
;launch   {"shape": "f32[256]", "role": "input"},
;launch   {"shape": "f32[256]", "role": "input"},
;launch   {"shape": "f32[256]", "role": "output"}]}

target triple = "nvptx64-nvidia-cuda"
@tile = internal addrspace(3) global [256 x float] undef, align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.cp.async.commit.group()
;declare void @llvm.nvvm.cp.async.wait.all()  ; right
define ptx_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = shl i32 %t, 2
  %from = getelementptr float, ptr addrspace(1) %a, i32 %first
  %to = getelementptr float, ptr addrspace(3) @tile, i32 %first
  call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, 0x10;", "r,l"(ptr addrspace(3) %to, ptr addrspace(1) %from)
  call void @llvm.nvvm.cp.async.commit.group()
;  call void @llvm.nvvm.cp.async.wait.all()  ; right
  %pb = getelementptr float, ptr addrspace(1) %b, i32 %first
  %y = load <4 x float>, ptr addrspace(1) %pb, align 16
  store <4 x float> %y, ptr addrspace(3) %to, align 16
  %x = load <4 x float>, ptr addrspace(3) %to, align 16
  %pr = getelementptr float, ptr addrspace(1) %r, i32 %first
  store <4 x float> %x, ptr addrspace(1) %pr, align 16
  ret void
}
