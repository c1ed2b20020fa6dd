; The result is written through an address of shared memory.
;open bounds
;hlo HloModule m
;hlo ENTRY e {
;hlo   p = s32[4] parameter(0)
;hlo   ROOT c = s32[4] copy(p)
;hlo }
;launch {"grid": [1], "threads": [1], "params": [
;launch   {"shape": "s32[4]", "role": "input"},
;launch   {"shape": "s32[4]", "role": "output"}]}

define ptx_kernel void @k(ptr %p, ptr %r) {
  %s = addrspacecast ptr %r to ptr addrspace(3)  ; wrong
; %s = addrspacecast ptr %r to ptr addrspace(1)  ; right
  call void @llvm.memcpy.p3.p0.i64(ptr addrspace(3) align 4 %s, ptr align 4 %p, i64 16, i1 false)  ; wrong
; call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) align 4 %s, ptr align 4 %p, i64 16, i1 false)  ; right
  ret void
}
declare void @llvm.memcpy.p3.p0.i64(ptr addrspace(3), ptr, i64, i1)
declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)
