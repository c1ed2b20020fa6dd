; A product adds to the running sums of products of another shape.
;open races
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f16[64,32] parameter(0)
;hlo   b = f16[16,32] parameter(1)
;hlo   ROOT r = f32[64,16] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={1}
;hlo }
;launch {"grid": [1], "threads": [128], "params": [
;launch   {"shape": "f16[64,32]", "role": "input"},
;launch   {"shape": "f16[16,32]", "role": "input"},
;launch   {"shape": "f32[64,16]", "role": "output"}]}

target triple = "nvptx64-nvidia-cuda"
@tile = internal addrspace(3) global [8192 x i8] undef, align 1024
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.fence.proxy.async.shared_cta()
declare void @llvm.nvvm.barrier0()
declare void @llvm.nvvm.wgmma.fence.sync.aligned()
declare void @llvm.nvvm.wgmma.commit_group.sync.aligned()

define ptx_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %r) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t2 = add i32 %t, 128
  %rowa = lshr i32 %t, 2
  %qa = and i32 %t, 3
  %stepa = lshr i32 %qa, 1
  %halfa = and i32 %qa, 1
  %atoma = lshr i32 %rowa, 3
  %ina = and i32 %rowa, 7
  %s1a = mul i32 %stepa, 2048
  %s2a = mul i32 %atoma, 256
  %s3a = mul i32 %halfa, 128
  %s4a = mul i32 %ina, 16
  %s5a = add i32 %s1a, %s2a
  %s6a = add i32 %s3a, %s4a
  %s7a = add i32 %s5a, %s6a
  %s8a = add i32 %s7a, 0
  %ea = shl i32 %t, 3
  %pa = getelementptr half, ptr addrspace(1) %a, i32 %ea
  %va = load <8 x half>, ptr addrspace(1) %pa, align 16
  %da = getelementptr i8, ptr addrspace(3) @tile, i32 %s8a
  store <8 x half> %va, ptr addrspace(3) %da, align 16
  %rowaa = lshr i32 %t2, 2
  %qaa = and i32 %t2, 3
  %stepaa = lshr i32 %qaa, 1
  %halfaa = and i32 %qaa, 1
  %atomaa = lshr i32 %rowaa, 3
  %inaa = and i32 %rowaa, 7
  %s1aa = mul i32 %stepaa, 2048
  %s2aa = mul i32 %atomaa, 256
  %s3aa = mul i32 %halfaa, 128
  %s4aa = mul i32 %inaa, 16
  %s5aa = add i32 %s1aa, %s2aa
  %s6aa = add i32 %s3aa, %s4aa
  %s7aa = add i32 %s5aa, %s6aa
  %s8aa = add i32 %s7aa, 0
  %eaa = shl i32 %t2, 3
  %paa = getelementptr half, ptr addrspace(1) %a, i32 %eaa
  %vaa = load <8 x half>, ptr addrspace(1) %paa, align 16
  %daa = getelementptr i8, ptr addrspace(3) @tile, i32 %s8aa
  store <8 x half> %vaa, ptr addrspace(3) %daa, align 16
  %of_b = icmp ult i32 %t, 64
  br i1 %of_b, label %right, label %all

right:
  %rowb = lshr i32 %t, 2
  %qb = and i32 %t, 3
  %stepb = lshr i32 %qb, 1
  %halfb = and i32 %qb, 1
  %atomb = lshr i32 %rowb, 3
  %inb = and i32 %rowb, 7
  %s1b = mul i32 %stepb, 512
  %s2b = mul i32 %atomb, 256
  %s3b = mul i32 %halfb, 128
  %s4b = mul i32 %inb, 16
  %s5b = add i32 %s1b, %s2b
  %s6b = add i32 %s3b, %s4b
  %s7b = add i32 %s5b, %s6b
  %s8b = add i32 %s7b, 4096
  %eb = shl i32 %t, 3
  %pb = getelementptr half, ptr addrspace(1) %b, i32 %eb
  %vb = load <8 x half>, ptr addrspace(1) %pb, align 16
  %db = getelementptr i8, ptr addrspace(3) @tile, i32 %s8b
  store <8 x half> %vb, ptr addrspace(3) %db, align 16
  br label %all

all:
  call void @llvm.nvvm.fence.proxy.async.shared_cta()
  call void @llvm.nvvm.barrier0()
  %start = lshr i32 ptrtoint (ptr addrspace(3) @tile to i32), 4
  %lA0 = add i32 %start, 524288
  %wA0 = zext i32 %lA0 to i64
  %A0 = add i64 %wA0, 68719476736
  %lA1 = add i32 %start, 524416
  %wA1 = zext i32 %lA1 to i64
  %A1 = add i64 %wA1, 68719476736
  %lB00 = add i32 %start, 524544
  %wB00 = zext i32 %lB00 to i64
  %B00 = add i64 %wB00, 68719476736
  %lB01 = add i32 %start, 524560
  %wB01 = zext i32 %lB01 to i64
  %B01 = add i64 %wB01, 68719476736
  %lB10 = add i32 %start, 524576
  %wB10 = zext i32 %lB10 to i64
  %B10 = add i64 %wB10, 68719476736
  %lB11 = add i32 %start, 524592
  %wB11 = zext i32 %lB11 to i64
  %B11 = add i64 %wB11, 68719476736
  call void @llvm.nvvm.wgmma.fence.sync.aligned()
  %x = call { float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0,$1,$2,$3}, $4, $5, 0, 1, 1, 0, 0;", "=f,=f,=f,=f,l,l"(i64 %A0, i64 %B00)
  %y = call { float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0,$1,$2,$3}, $4, $5, 0, 1, 1, 0, 0;", "=f,=f,=f,=f,l,l"(i64 %A0, i64 %B01)
  %x0 = extractvalue { float, float, float, float } %x, 0
  %x1 = extractvalue { float, float, float, float } %x, 1
  %x2 = extractvalue { float, float, float, float } %x, 2
  %x3 = extractvalue { float, float, float, float } %x, 3
  %y0 = extractvalue { float, float, float, float } %y, 0
  %y1 = extractvalue { float, float, float, float } %y, 1
  %y2 = extractvalue { float, float, float, float } %y, 2
  %y3 = extractvalue { float, float, float, float } %y, 3
; call void @llvm.nvvm.wgmma.fence.sync.aligned()  ; right
  %z = call { float, float, float, float, float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {$0,$1,$2,$3,$4,$5,$6,$7}, $16, $17, 1, 1, 1, 0, 0;", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,l,l"(float %x0, float %x1, float %x2, float %x3, float %y0, float %y1, float %y2, float %y3, i64 %A1, i64 %B10)
  call void @llvm.nvvm.wgmma.commit_group.sync.aligned()
  %z0 = extractvalue { float, float, float, float, float, float, float, float } %z, 0
  %z1 = extractvalue { float, float, float, float, float, float, float, float } %z, 1
  %z2 = extractvalue { float, float, float, float, float, float, float, float } %z, 2
  %z3 = extractvalue { float, float, float, float, float, float, float, float } %z, 3
  %z4 = extractvalue { float, float, float, float, float, float, float, float } %z, 4
  %z5 = extractvalue { float, float, float, float, float, float, float, float } %z, 5
  %z6 = extractvalue { float, float, float, float, float, float, float, float } %z, 6
  %z7 = extractvalue { float, float, float, float, float, float, float, float } %z, 7
  %e = call { float, float, float, float, float, float, float, float } asm sideeffect "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7"(float %z0, float %z1, float %z2, float %z3, float %z4, float %z5, float %z6, float %z7)
  %warp = lshr i32 %t, 5
  %of_warp = mul i32 %warp, 256
  %lane = and i32 %t, 31
  %quad = lshr i32 %lane, 2
  %of_quad = mul i32 %quad, 16
  %in_quad = and i32 %lane, 3
  %pair = mul i32 %in_quad, 2
  %first0 = add i32 %of_warp, %of_quad
  %first = add i32 %first0, %pair
  %e0 = extractvalue { float, float, float, float, float, float, float, float } %e, 0
  %i0 = add i32 %first, 0
  %g0 = getelementptr float, ptr addrspace(1) %r, i32 %i0
  store float %e0, ptr addrspace(1) %g0
  %e1 = extractvalue { float, float, float, float, float, float, float, float } %e, 1
  %i1 = add i32 %first, 1
  %g1 = getelementptr float, ptr addrspace(1) %r, i32 %i1
  store float %e1, ptr addrspace(1) %g1
  %e2 = extractvalue { float, float, float, float, float, float, float, float } %e, 2
  %i2 = add i32 %first, 128
  %g2 = getelementptr float, ptr addrspace(1) %r, i32 %i2
  store float %e2, ptr addrspace(1) %g2
  %e3 = extractvalue { float, float, float, float, float, float, float, float } %e, 3
  %i3 = add i32 %first, 129
  %g3 = getelementptr float, ptr addrspace(1) %r, i32 %i3
  store float %e3, ptr addrspace(1) %g3
  %e4 = extractvalue { float, float, float, float, float, float, float, float } %e, 4
  %i4 = add i32 %first, 8
  %g4 = getelementptr float, ptr addrspace(1) %r, i32 %i4
  store float %e4, ptr addrspace(1) %g4
  %e5 = extractvalue { float, float, float, float, float, float, float, float } %e, 5
  %i5 = add i32 %first, 9
  %g5 = getelementptr float, ptr addrspace(1) %r, i32 %i5
  store float %e5, ptr addrspace(1) %g5
  %e6 = extractvalue { float, float, float, float, float, float, float, float } %e, 6
  %i6 = add i32 %first, 136
  %g6 = getelementptr float, ptr addrspace(1) %r, i32 %i6
  store float %e6, ptr addrspace(1) %g6
  %e7 = extractvalue { float, float, float, float, float, float, float, float } %e, 7
  %i7 = add i32 %first, 137
  %g7 = getelementptr float, ptr addrspace(1) %r, i32 %i7
  store float %e7, ptr addrspace(1) %g7
  ret void
}
