; A factor of a product of matrices is one undef in four registers, and need not be the same in all.
;open values
;hlo HloModule m
;hlo ENTRY e {
;hlo   c = s32[16,8] parameter(0)
;hlo   ROOT d = s32[16,8] copy(c)
;hlo }
;launch {"grid": [1], "threads": [32], "params": [
;launch   {"shape": "s32[16,8]", "role": "input"},
;launch   {"shape": "s32[16,8]", "role": "output"}]}

define ptx_kernel void @k(ptr %c, ptr %r) {
  %loc = alloca i32, align 4
  %u = load i32, ptr %loc, align 4  ; wrong
; %u0 = load i32, ptr %loc, align 4  ; right
; %u = freeze i32 %u0  ; right
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = lshr i32 %t, 2
  %q = and i32 %t, 3
  %q2 = shl i32 %q, 1
  %g8 = add i32 %g, 8
  %o0_r = shl i32 %g, 3
  %o0_c = add i32 %q2, 0
  %o0 = add i32 %o0_r, %o0_c
  %cp0 = getelementptr i32, ptr %c, i32 %o0
  %c0 = load i32, ptr %cp0, align 4
  %o1_r = shl i32 %g, 3
  %o1_c = add i32 %q2, 1
  %o1 = add i32 %o1_r, %o1_c
  %cp1 = getelementptr i32, ptr %c, i32 %o1
  %c1 = load i32, ptr %cp1, align 4
  %o2_r = shl i32 %g8, 3
  %o2_c = add i32 %q2, 0
  %o2 = add i32 %o2_r, %o2_c
  %cp2 = getelementptr i32, ptr %c, i32 %o2
  %c2 = load i32, ptr %cp2, align 4
  %o3_r = shl i32 %g8, 3
  %o3_c = add i32 %q2, 1
  %o3 = add i32 %o3_r, %o3_c
  %cp3 = getelementptr i32, ptr %c, i32 %o3
  %c3 = load i32, ptr %cp3, align 4
  %h = mul i32 %c0, -1640531527
  %rare = icmp eq i32 %h, 305419896
  %a = select i1 %rare, i32 %u, i32 0
  %d = call {i32,i32,i32,i32} asm sideeffect "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {$0,$1,$2,$3}, {$4,$5,$6,$7}, {$8,$9}, {$10,$11,$12,$13};", "=r,=r,=r,=r,r,r,r,r,r,r,r,r,r,r"(i32 %a, i32 %a, i32 %a, i32 %a, i32 16843009, i32 -1, i32 %c0, i32 %c1, i32 %c2, i32 %c3) #0
  %d0 = extractvalue {i32,i32,i32,i32} %d, 0
  %rp0 = getelementptr i32, ptr %r, i32 %o0
  store i32 %d0, ptr %rp0, align 4
  %d1 = extractvalue {i32,i32,i32,i32} %d, 1
  %rp1 = getelementptr i32, ptr %r, i32 %o1
  store i32 %d1, ptr %rp1, align 4
  %d2 = extractvalue {i32,i32,i32,i32} %d, 2
  %rp2 = getelementptr i32, ptr %r, i32 %o2
  store i32 %d2, ptr %rp2, align 4
  %d3 = extractvalue {i32,i32,i32,i32} %d, 3
  %rp3 = getelementptr i32, ptr %r, i32 %o3
  store i32 %d3, ptr %rp3, align 4
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { convergent }
