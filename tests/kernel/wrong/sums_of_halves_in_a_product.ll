; Sums of f16 in a matrix product may be rounded at each addition.
;open values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f16[16,16] parameter(0)
;hlo   b = f16[8,16] parameter(1)
;hlo   ROOT r = f16[16,8] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={1}
;hlo }
;launch {"grid": [1], "threads": [32], "params": [{"shape": "f16[16,16]", "role": "input"}, {"shape": "f16[8,16]", "role": "input"}, {"shape": "f16[16,8]", "role": "output"}]}
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = lshr i32 %t, 2
  %q = and i32 %t, 3
  %g16 = mul i32 %g, 16
  %q2 = mul i32 %q, 2
  %base = add i32 %g16, %q2
  %oa0_0 = add i32 %base, 0
  %pa0_0 = getelementptr half, ptr addrspace(1) %a, i32 %oa0_0
  %a0_0 = load i32, ptr addrspace(1) %pa0_0
  %oa0_1 = add i32 %base, 128
  %pa0_1 = getelementptr half, ptr addrspace(1) %a, i32 %oa0_1
  %a0_1 = load i32, ptr addrspace(1) %pa0_1
  %oa0_2 = add i32 %base, 8
  %pa0_2 = getelementptr half, ptr addrspace(1) %a, i32 %oa0_2
  %a0_2 = load i32, ptr addrspace(1) %pa0_2
  %oa0_3 = add i32 %base, 136
  %pa0_3 = getelementptr half, ptr addrspace(1) %a, i32 %oa0_3
  %a0_3 = load i32, ptr addrspace(1) %pa0_3
  %ob0_0 = add i32 %base, 0
  %pb0_0 = getelementptr half, ptr addrspace(1) %b, i32 %ob0_0
  %b0_0 = load i32, ptr addrspace(1) %pb0_0
  %ob0_1 = add i32 %base, 8
  %pb0_1 = getelementptr half, ptr addrspace(1) %b, i32 %ob0_1
  %b0_1 = load i32, ptr addrspace(1) %pb0_1
  %d0 = call { i32, i32 } asm sideeffect "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {$0,$1}, {$2,$3,$4,$5}, {$6,$7}, {$8,$9};", "=r,=r,r,r,r,r,r,r,r,r"(i32 %a0_0, i32 %a0_1, i32 %a0_2, i32 %a0_3, i32 %b0_0, i32 %b0_1, i32 0, i32 0)  ; wrong
  %d0_0 = extractvalue { i32, i32 } %d0, 0  ; wrong
  %d0_1 = extractvalue { i32, i32 } %d0, 1  ; wrong
;  %d0 = call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0,$1,$2,$3}, {$4,$5,$6,$7}, {$8,$9}, {$10,$11,$12,$13};", "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f"(i32 %a0_0, i32 %a0_1, i32 %a0_2, i32 %a0_3, i32 %b0_0, i32 %b0_1, float 0.0, float 0.0, float 0.0, float 0.0)  ; right
;  %e0 = extractvalue { float, float, float, float } %d0, 0  ; right
;  %h0 = fptrunc float %e0 to half  ; right
;  %e1 = extractvalue { float, float, float, float } %d0, 1  ; right
;  %h1 = fptrunc float %e1 to half  ; right
;  %e2 = extractvalue { float, float, float, float } %d0, 2  ; right
;  %h2 = fptrunc float %e2 to half  ; right
;  %e3 = extractvalue { float, float, float, float } %d0, 3  ; right
;  %h3 = fptrunc float %e3 to half  ; right
  %g8 = mul i32 %g, 8
  %o0 = add i32 %g8, %q2
  %o1 = add i32 %o0, 64
  %p0 = getelementptr half, ptr addrspace(1) %r, i32 %o0
  %p1 = getelementptr half, ptr addrspace(1) %r, i32 %o1
  store i32 %d0_0, ptr addrspace(1) %p0  ; wrong
  store i32 %d0_1, ptr addrspace(1) %p1  ; wrong
;  store half %h0, ptr addrspace(1) %p0  ; right
;  %p0b = getelementptr half, ptr addrspace(1) %p0, i32 1  ; right
;  store half %h1, ptr addrspace(1) %p0b  ; right
;  store half %h2, ptr addrspace(1) %p1  ; right
;  %p1b = getelementptr half, ptr addrspace(1) %p1, i32 1  ; right
;  store half %h3, ptr addrspace(1) %p1b  ; right
  ret void
}
