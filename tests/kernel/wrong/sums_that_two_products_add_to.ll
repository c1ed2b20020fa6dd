; Two products add to the running sums of one.
;open races
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f16[64,32] parameter(0)
;hlo   b = f16[8,48] parameter(1)
;hlo   b01 = f16[8,32] slice(b), slice={[0:8],[0:32]}
;hlo   b0 = f16[8,16] slice(b), slice={[0:8],[0:16]}
;hlo   b2 = f16[8,16] slice(b), slice={[0:8],[32:48]}
;hlo   b02 = f16[8,32] concatenate(b0, b2), dimensions={1}
;hlo   r = f32[64,8] dot(a, b01), lhs_contracting_dims={1}, rhs_contracting_dims={1}
;hlo   s = f32[64,8] dot(a, b02), lhs_contracting_dims={1}, rhs_contracting_dims={1}
;hlo   ROOT t = (f32[64,8], f32[64,8]) tuple(r, s)
;hlo }
;launch {"grid": [1], "threads": [128], "params": [
;launch   {"shape": "f16[64,32]", "role": "input"},
;launch   {"shape": "f16[8,48]", "role": "input"},
;launch   {"shape": "f32[64,8]", "role": "output"},
;launch   {"shape": "f32[64,8]", "role": "output"}]}

target triple = "nvptx64-nvidia-cuda"
@tile = internal addrspace(3) global [8192 x i8] undef, align 1024
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.fence.proxy.async.shared_cta()
declare void @llvm.nvvm.barrier0()
declare void @llvm.nvvm.wgmma.fence.sync.aligned()
declare void @llvm.nvvm.wgmma.commit_group.sync.aligned()

define ptx_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %r, ptr addrspace(1) %s) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t2 = add i32 %t, 128
  %rowa = udiv i32 %t, 4
  %qa = urem i32 %t, 4
  %halfa = and i32 %qa, 1
  %stepa = lshr i32 %qa, 1
  %s1a = mul i32 %stepa, 2048
  %atoma = lshr i32 %rowa, 3
  %ina = and i32 %rowa, 7
  %s2a = mul i32 %atoma, 256
  %s3a = mul i32 %halfa, 128
  %s4a = mul i32 %ina, 16
  %s6a = add i32 %s3a, %s4a
  %s7a = add i32 %s2a, %s6a
  %s9a = add i32 %s7a, %s1a
  %s8a = add i32 %s9a, 0
  %ea = shl i32 %t, 3
  %pa = getelementptr half, ptr addrspace(1) %a, i32 %ea
  %va = load <8 x half>, ptr addrspace(1) %pa, align 16
  %da = getelementptr i8, ptr addrspace(3) @tile, i32 %s8a
  store <8 x half> %va, ptr addrspace(3) %da, align 16
  %rowaa = udiv i32 %t2, 4
  %qaa = urem i32 %t2, 4
  %halfaa = and i32 %qaa, 1
  %stepaa = lshr i32 %qaa, 1
  %s1aa = mul i32 %stepaa, 2048
  %atomaa = lshr i32 %rowaa, 3
  %inaa = and i32 %rowaa, 7
  %s2aa = mul i32 %atomaa, 256
  %s3aa = mul i32 %halfaa, 128
  %s4aa = mul i32 %inaa, 16
  %s6aa = add i32 %s3aa, %s4aa
  %s7aa = add i32 %s2aa, %s6aa
  %s9aa = add i32 %s7aa, %s1aa
  %s8aa = add i32 %s9aa, 0
  %eaa = shl i32 %t2, 3
  %paa = getelementptr half, ptr addrspace(1) %a, i32 %eaa
  %vaa = load <8 x half>, ptr addrspace(1) %paa, align 16
  %daa = getelementptr i8, ptr addrspace(3) @tile, i32 %s8aa
  store <8 x half> %vaa, ptr addrspace(3) %daa, align 16
  %of_b = icmp ult i32 %t, 48
  br i1 %of_b, label %right, label %all

right:
  %rowb = udiv i32 %t, 6
  %qb = urem i32 %t, 6
  %halfb = and i32 %qb, 1
  %stepb = lshr i32 %qb, 1
  %s1b = mul i32 %stepb, 256
  %atomb = lshr i32 %rowb, 3
  %inb = and i32 %rowb, 7
  %s2b = mul i32 %atomb, 256
  %s3b = mul i32 %halfb, 128
  %s4b = mul i32 %inb, 16
  %s6b = add i32 %s3b, %s4b
  %s7b = add i32 %s2b, %s6b
  %s9b = add i32 %s7b, %s1b
  %s8b = add i32 %s9b, 4096
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
  %lB0 = add i32 %start, 524544
  %wB0 = zext i32 %lB0 to i64
  %B0 = add i64 %wB0, 68719476736
  %lB1 = add i32 %start, 524560
  %wB1 = zext i32 %lB1 to i64
  %B1 = add i64 %wB1, 68719476736
  %lB2 = add i32 %start, 524576
  %wB2 = zext i32 %lB2 to i64
  %B2 = add i64 %wB2, 68719476736
  call void @llvm.nvvm.wgmma.fence.sync.aligned()
  %x = call { float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0,$1,$2,$3}, $4, $5, 0, 1, 1, 0, 0;", "=f,=f,=f,=f,l,l"(i64 %A0, i64 %B0)
  %x0 = extractvalue { float, float, float, float } %x, 0
  %x1 = extractvalue { float, float, float, float } %x, 1
  %x2 = extractvalue { float, float, float, float } %x, 2
  %x3 = extractvalue { float, float, float, float } %x, 3
; %y = call { float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0,$1,$2,$3}, $4, $5, 0, 1, 1, 0, 0;", "=f,=f,=f,=f,l,l"(i64 %A0, i64 %B0)  ; right
; %y0 = extractvalue { float, float, float, float } %y, 0  ; right
; %y1 = extractvalue { float, float, float, float } %y, 1  ; right
; %y2 = extractvalue { float, float, float, float } %y, 2  ; right
; %y3 = extractvalue { float, float, float, float } %y, 3  ; right
  %z = call { float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0,$1,$2,$3}, $8, $9, 1, 1, 1, 0, 0;", "=f,=f,=f,=f,0,1,2,3,l,l"(float %x0, float %x1, float %x2, float %x3, i64 %A1, i64 %B1)
  %z0 = extractvalue { float, float, float, float } %z, 0
  %z1 = extractvalue { float, float, float, float } %z, 1
  %z2 = extractvalue { float, float, float, float } %z, 2
  %z3 = extractvalue { float, float, float, float } %z, 3
  %w = call { float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0,$1,$2,$3}, $8, $9, 1, 1, 1, 0, 0;", "=f,=f,=f,=f,0,1,2,3,l,l"(float %x0, float %x1, float %x2, float %x3, i64 %A1, i64 %B2)  ; wrong
; %w = call { float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0,$1,$2,$3}, $8, $9, 1, 1, 1, 0, 0;", "=f,=f,=f,=f,0,1,2,3,l,l"(float %y0, float %y1, float %y2, float %y3, i64 %A1, i64 %B2)  ; right
  %w0 = extractvalue { float, float, float, float } %w, 0
  %w1 = extractvalue { float, float, float, float } %w, 1
  %w2 = extractvalue { float, float, float, float } %w, 2
  %w3 = extractvalue { float, float, float, float } %w, 3
  call void @llvm.nvvm.wgmma.commit_group.sync.aligned()
  %e = call { float, float, float, float, float, float, float, float } asm sideeffect "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7"(float %z0, float %z1, float %z2, float %z3, float %w0, float %w1, float %w2, float %w3)
  %warp = lshr i32 %t, 5
  %of_warp = mul i32 %warp, 128
  %lane = and i32 %t, 31
  %pair = mul i32 %lane, 2
  %first = add i32 %of_warp, %pair
  %e0 = extractvalue { float, float, float, float, float, float, float, float } %e, 0
  %i0 = add i32 %first, 0
  %g0 = getelementptr float, ptr addrspace(1) %r, i32 %i0
  store float %e0, ptr addrspace(1) %g0
  %e1 = extractvalue { float, float, float, float, float, float, float, float } %e, 1
  %i1 = add i32 %first, 1
  %g1 = getelementptr float, ptr addrspace(1) %r, i32 %i1
  store float %e1, ptr addrspace(1) %g1
  %e2 = extractvalue { float, float, float, float, float, float, float, float } %e, 2
  %i2 = add i32 %first, 64
  %g2 = getelementptr float, ptr addrspace(1) %r, i32 %i2
  store float %e2, ptr addrspace(1) %g2
  %e3 = extractvalue { float, float, float, float, float, float, float, float } %e, 3
  %i3 = add i32 %first, 65
  %g3 = getelementptr float, ptr addrspace(1) %r, i32 %i3
  store float %e3, ptr addrspace(1) %g3
  %e4 = extractvalue { float, float, float, float, float, float, float, float } %e, 4
  %i4 = add i32 %first, 0
  %g4 = getelementptr float, ptr addrspace(1) %s, i32 %i4
  store float %e4, ptr addrspace(1) %g4
  %e5 = extractvalue { float, float, float, float, float, float, float, float } %e, 5
  %i5 = add i32 %first, 1
  %g5 = getelementptr float, ptr addrspace(1) %s, i32 %i5
  store float %e5, ptr addrspace(1) %g5
  %e6 = extractvalue { float, float, float, float, float, float, float, float } %e, 6
  %i6 = add i32 %first, 64
  %g6 = getelementptr float, ptr addrspace(1) %s, i32 %i6
  store float %e6, ptr addrspace(1) %g6
  %e7 = extractvalue { float, float, float, float, float, float, float, float } %e, 7
  %i7 = add i32 %first, 65
  %g7 = getelementptr float, ptr addrspace(1) %s, i32 %i7
  store float %e7, ptr addrspace(1) %g7
  ret void
}
