; Two products of the same matrices: one cuts its operands to TF32, and the other one rounds them.
;open values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[16,4] parameter(0)
;hlo   b = f32[8,4] parameter(1)
;hlo   d = f32[16,8] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={1}
;hlo   ROOT r = f32[16,8] subtract(d, d)
;hlo }
;launch {"grid": [1], "threads": [32], "params": [
;launch   {"shape": "f32[16,4]", "role": "input"},
;launch   {"shape": "f32[8,4]", "role": "input"},
;launch   {"shape": "f32[16,8]", "role": "output"}]}

define ptx_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %r) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = lshr i32 %t, 2
  %in = and i32 %t, 3
  %i1 = add i32 %t, 32
  %pa0 = getelementptr float, ptr addrspace(1) %a, i32 %t
  %pa1 = getelementptr float, ptr addrspace(1) %a, i32 %i1
  %pb0 = getelementptr float, ptr addrspace(1) %b, i32 %t
  %a0 = load i32, ptr addrspace(1) %pa0, align 4
  %a1 = load i32, ptr addrspace(1) %pa1, align 4
  %b0 = load i32, ptr addrspace(1) %pb0, align 4
  %fa0 = bitcast i32 %a0 to float
  %fa1 = bitcast i32 %a1 to float
  %fb0 = bitcast i32 %b0 to float
  %ra0 = call i32 asm "cvt.rna.tf32.f32 $0, $1;", "=r,f"(float %fa0)
  %ra1 = call i32 asm "cvt.rna.tf32.f32 $0, $1;", "=r,f"(float %fa1)
  %rb0 = call i32 asm "cvt.rna.tf32.f32 $0, $1;", "=r,f"(float %fb0)
  %d = call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 { $0, $1, $2, $3 }, { $4, $5 }, { $6 }, { $7, $8, $9, $10 };", "=f,=f,=f,=f,r,r,r,f,f,f,f"(i32 %a0, i32 %a1, i32 %b0, float 0.0, float 0.0, float 0.0, float 0.0)
  %e = call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 { $0, $1, $2, $3 }, { $4, $5 }, { $6 }, { $7, $8, $9, $10 };", "=f,=f,=f,=f,r,r,r,f,f,f,f"(i32 %ra0, i32 %ra1, i32 %rb0, float 0.0, float 0.0, float 0.0, float 0.0)
  %row0 = shl i32 %g, 3
  %row1 = add i32 %row0, 64
  %two = shl i32 %in, 1
  %x0 = extractvalue { float, float, float, float } %d, 0
  %y0 = extractvalue { float, float, float, float } %e, 0
  %o0 = fsub float %x0, %y0                                ; wrong
; %o0 = fsub float %y0, %y0                                ; right
  %c0 = add i32 %two, 0
  %io0 = add i32 %row0, %c0
  %po0 = getelementptr float, ptr addrspace(1) %r, i32 %io0
  store float %o0, ptr addrspace(1) %po0
  %x1 = extractvalue { float, float, float, float } %d, 1
  %y1 = extractvalue { float, float, float, float } %e, 1
  %o1 = fsub float %x1, %y1                                ; wrong
; %o1 = fsub float %y1, %y1                                ; right
  %c1 = add i32 %two, 1
  %io1 = add i32 %row0, %c1
  %po1 = getelementptr float, ptr addrspace(1) %r, i32 %io1
  store float %o1, ptr addrspace(1) %po1
  %x2 = extractvalue { float, float, float, float } %d, 2
  %y2 = extractvalue { float, float, float, float } %e, 2
  %o2 = fsub float %x2, %y2                                ; wrong
; %o2 = fsub float %y2, %y2                                ; right
  %c2 = add i32 %two, 0
  %io2 = add i32 %row1, %c2
  %po2 = getelementptr float, ptr addrspace(1) %r, i32 %io2
  store float %o2, ptr addrspace(1) %po2
  %x3 = extractvalue { float, float, float, float } %d, 3
  %y3 = extractvalue { float, float, float, float } %e, 3
  %o3 = fsub float %x3, %y3                                ; wrong
; %o3 = fsub float %y3, %y3                                ; right
  %c3 = add i32 %two, 1
  %io3 = add i32 %row1, %c3
  %po3 = getelementptr float, ptr addrspace(1) %r, i32 %io3
  store float %o3, ptr addrspace(1) %po3
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
