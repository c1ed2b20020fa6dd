; A sum may use a product unrounded (contract), also one whose factors the launch gives.
;open values
;hlo HloModule m
;hlo ENTRY e {
;hlo   x = f32[64] parameter(0)
;hlo   i = s32[64] iota(), iota_dimension=0
;hlo   f = f32[64] convert(i)
;hlo   b = f32[] constant(0.3)
;hlo   c = f32[64] broadcast(b), dimensions={}
;hlo   p = f32[64] multiply(f, c)
;hlo   ROOT r = f32[64] add(p, x)
;hlo }
;launch {"grid": [1], "threads": [64], "params": [{"shape": "f32[64]", "role": "input", "memory": 0}, {"shape": "f32[64]", "role": "output", "memory": 1}]}
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
define ptx_kernel void @k(ptr addrspace(1) %a0, ptr addrspace(1) %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p0 = getelementptr float, ptr addrspace(1) %a0, i32 %t
  %x = load float, ptr addrspace(1) %p0
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %f = sitofp i32 %t to float
  %p = fmul contract float %f, 0x3FD3333340000000  ; wrong
;  %p = fmul float %f, 0x3FD3333340000000  ; right
  %y = fadd contract float %p, %x
  %pr = getelementptr float, ptr addrspace(1) %r, i32 %t
  store float %y, ptr addrspace(1) %pr
  ret void
}
