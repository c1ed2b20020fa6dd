; The bits of x * 1 are stored: of a NaN any NaN.
;open values
;hlo HloModule m
;hlo ENTRY e {
;hlo   p = f32[32]{0} parameter(0)
;hlo   ROOT r = u32[32]{0} bitcast-convert(p)
;hlo }
;launch {"grid": [1], "threads": [32], "params": [
;launch   {"shape": "f32[32]", "role": "input"},
;launch   {"shape": "u32[32]", "role": "output"}]}

target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %a, i32 %t
  %x = load float, ptr addrspace(1) %p, align 4
  %y = fmul float %x, 1.0  ; wrong
;  %y = select i1 true, float %x, float %x  ; right
  %b = bitcast float %y to i32
  %pr = getelementptr i32, ptr addrspace(1) %r, i32 %t
  store i32 %b, ptr addrspace(1) %pr, align 4
  ret void
}
