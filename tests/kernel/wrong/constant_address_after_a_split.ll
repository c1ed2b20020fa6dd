; An address far outside of its variable, which is poison, is a constant.
;open integers
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[64] parameter(0)
;hlo   ROOT r = f32[64] negate(a)
;hlo }
;launch {"kernel": "k", "grid": [2, 1, 1], "threads": [32, 1, 1], "shared": 0, "params": [{"shape": "f32[64]{0}", "role": "input", "memory": 0}, {"shape": "f32[64]{0}", "role": "output", "memory": 1}]}

target datalayout = "e-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@s = internal addrspace(3) global [32 x float] undef, align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier0()
define ptx_kernel void @k(ptr %a, ptr %o) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %b32 = mul i32 %b, 32
  %g = add i32 %b32, %t
  %t4 = mul i32 %t, 4
  %back = sub i32 %t4, 4096
  %ps = getelementptr i8, ptr addrspace(3) getelementptr inbounds (i8, ptr addrspace(3) @s, i32 4096), i32 %back; wrong
;  %ps = getelementptr i8, ptr addrspace(3) @s, i32 %t4     ; right
  %c = icmp eq i32 %b, 0
  br i1 %c, label %one, label %two
one:
  %pa1 = getelementptr float, ptr %a, i32 %g
  %x1 = load float, ptr %pa1, align 4
  br label %join
two:
  %pa2 = getelementptr float, ptr %a, i32 %g
  %x2 = load float, ptr %pa2, align 4
  br label %join
join:
  %x = phi float [ %x1, %one ], [ %x2, %two ]
  store float %x, ptr addrspace(3) %ps, align 4
  call void @llvm.nvvm.barrier0()
  %y = load float, ptr addrspace(3) %ps, align 4
  %n = fneg float %y
  %po = getelementptr float, ptr %o, i32 %g
  store float %n, ptr %po, align 4
  ret void
}
