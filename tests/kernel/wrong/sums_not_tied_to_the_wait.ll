; The sums of a product are used behind a wait that has other registers.
;open races
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f16[64,16] parameter(0)
;hlo   b = f16[8,16] parameter(1)
;hlo   d = f32[64,8] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={1}
;hlo   ROOT r = f32[64,8] negate(d)
;hlo }
;launch {"grid": [1], "threads": [128], "params": [
;launch   {"shape": "f16[64,16]", "role": "input"},
;launch   {"shape": "f16[8,16]", "role": "input"},
;launch   {"shape": "f32[64,8]", "role": "output"}]}

target triple = "nvptx64-nvidia-cuda"
@tile = internal addrspace(3) global [4096 x i8] undef, align 1024

define ptx_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %r) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %piece = shl i32 %t, 3
  %half = and i32 %t, 1
  %row = lshr i32 %t, 1
  %atom = lshr i32 %row, 3
  %in_atom = and i32 %row, 7
  %x = mul i32 %atom, 256
  %y = mul i32 %half, 128
  %z = mul i32 %in_atom, 16
  %xy = add i32 %x, %y
  %place = add i32 %xy, %z
  %pa = getelementptr half, ptr addrspace(1) %a, i32 %piece
  %va = load <8 x half>, ptr addrspace(1) %pa, align 16
  %sa = getelementptr i8, ptr addrspace(3) @tile, i32 %place
  store <8 x half> %va, ptr addrspace(3) %sa, align 16
  %of_b = icmp ult i32 %t, 16
  br i1 %of_b, label %right, label %all

right:
  %pb = getelementptr half, ptr addrspace(1) %b, i32 %piece
  %vb = load <8 x half>, ptr addrspace(1) %pb, align 16
  %behind = add i32 %place, 2048
  %sb = getelementptr i8, ptr addrspace(3) @tile, i32 %behind
  store <8 x half> %vb, ptr addrspace(3) %sb, align 16
  br label %all

all:
  call void @llvm.nvvm.fence.proxy.async.shared_cta()
  call void @llvm.nvvm.barrier0()
  %start = lshr i32 ptrtoint (ptr addrspace(3) @tile to i32), 4
  %low = add i32 %start, 524288
  %wide = zext i32 %low to i64
  %lowb = add i32 %start, 524416
  %wideb = zext i32 %lowb to i64
  %db = add i64 %wideb, 34359738368
  %da = add i64 %wide, 68719476736
 call void @llvm.nvvm.wgmma.fence.sync.aligned()
  %d = call { float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0,$1,$2,$3}, $4, $5, 0, 1, 1, 0, 0;", "=f,=f,=f,=f,l,l"(i64 %da, i64 %db)
  call void @llvm.nvvm.wgmma.commit_group.sync.aligned()
  %d0 = extractvalue { float, float, float, float } %d, 0
  %d1 = extractvalue { float, float, float, float } %d, 1
  %d2 = extractvalue { float, float, float, float } %d, 2
  %d3 = extractvalue { float, float, float, float } %d, 3
  call void asm sideeffect "wgmma.wait_group.sync.aligned 0;", ""()  ; wrong
; %e = call { float, float, float, float } asm sideeffect "// wait for regs: $0,$1,$2,$3\0A\09wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,0,1,2,3"(float %d0, float %d1, float %d2, float %d3)  ; right
  %warp = lshr i32 %t, 5
  %of_warp = mul i32 %warp, 128
  %lane = and i32 %t, 31
  %pair = mul i32 %lane, 2
  %first = add i32 %of_warp, %pair
  %p0 = getelementptr float, ptr addrspace(1) %r, i32 %first
  %p1 = getelementptr float, ptr addrspace(1) %p0, i32 1
  %p2 = getelementptr float, ptr addrspace(1) %p0, i32 64
  %p3 = getelementptr float, ptr addrspace(1) %p0, i32 65
  %n0 = fneg float %d0  ; wrong
  %n1 = fneg float %d1  ; wrong
  %n2 = fneg float %d2  ; wrong
  %n3 = fneg float %d3  ; wrong
; %e0 = extractvalue { float, float, float, float } %e, 0  ; right
; %e1 = extractvalue { float, float, float, float } %e, 1  ; right
; %e2 = extractvalue { float, float, float, float } %e, 2  ; right
; %e3 = extractvalue { float, float, float, float } %e, 3  ; right
; %n0 = fneg float %e0  ; right
; %n1 = fneg float %e1  ; right
; %n2 = fneg float %e2  ; right
; %n3 = fneg float %e3  ; right
  store float %n0, ptr addrspace(1) %p0
  store float %n1, ptr addrspace(1) %p1
  store float %n2, ptr addrspace(1) %p2
  store float %n3, ptr addrspace(1) %p3
  ret void
}
