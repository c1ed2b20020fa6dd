; A load of a signed integer fills a register of 64 bits with the sign.
;open values
;hlo HloModule m
;hlo ENTRY e {
;hlo   p = u32[32] parameter(0)
;hlo   ROOT c = u64[32] convert(p)
;hlo }
;launch {"grid": [1], "threads": [32], "params": [
;launch   {"shape": "u32[32]", "role": "input"},
;launch   {"shape": "u64[32]", "role": "output"}]}

define ptx_kernel void @k(ptr %p, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pp = getelementptr i32, ptr %p, i32 %t
  %rp = getelementptr i64, ptr %r, i32 %t
  %pg = addrspacecast ptr %pp to ptr addrspace(1)
  %x = call i64 asm sideeffect "ld.global.s32 $0, [$1];", "=l,l"(ptr addrspace(1) %pg)  ; wrong
; %x = call i64 asm sideeffect "ld.global.u32 $0, [$1];", "=l,l"(ptr addrspace(1) %pg)  ; right
  store i64 %x, ptr %rp
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
