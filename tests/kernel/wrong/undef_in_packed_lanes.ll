; Two lanes of four bits are one undef, and are stored as a byte.
;open values
;hlo HloModule m
;hlo ENTRY e {
;hlo   p = s32[32] parameter(0)
;hlo   ROOT c = s32[32] copy(p)
;hlo }
;launch {"grid": [1], "threads": [32], "params": [
;launch   {"shape": "s32[32]", "role": "input"},
;launch   {"shape": "s32[32]", "role": "output"}]}

define ptx_kernel void @k(ptr %p, ptr %r) {
  %b = alloca i32, align 4
  %q = alloca i8
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pp = getelementptr i32, ptr %p, i32 %t
  %rp = getelementptr i32, ptr %r, i32 %t
  %v = load i32, ptr %pp
  %h = mul i32 %v, -1640531527
  %rare = icmp eq i32 %h, 305419896
  %u = load i32, ptr %b  ; wrong
; %u0 = load i32, ptr %b  ; right
; %u = freeze i32 %u0  ; right
  %a = trunc i32 %u to i4
  %z0 = insertelement <2 x i4> poison, i4 %a, i32 0
  %z1 = insertelement <2 x i4> %z0, i4 %a, i32 1
  store <2 x i4> %z1, ptr %q, align 1
  %l = load i8, ptr %q
  %r17 = urem i8 %l, 17
  %m = zext i8 %r17 to i32
  %s = select i1 %rare, i32 %m, i32 0
  %o = add i32 %v, %s
  store i32 %o, ptr %rp
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
