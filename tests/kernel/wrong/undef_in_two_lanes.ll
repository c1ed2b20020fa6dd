; Two lanes are one undef, and need not be the same 16 bits.
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
  %b = alloca i16, align 4
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pp = getelementptr i32, ptr %p, i32 %t
  %rp = getelementptr i32, ptr %r, i32 %t
  %v = load i32, ptr %pp
  %h = mul i32 %v, -1640531527
  %rare = icmp eq i32 %h, 305419896
  %u = load i16, ptr %b  ; wrong
; %u0 = load i16, ptr %b  ; right
; %u = freeze i16 %u0  ; right
  %z0 = insertelement <2 x i16> poison, i16 %u, i32 0
  %z1 = insertelement <2 x i16> %z0, i16 %u, i32 1
  %x = bitcast <2 x i16> %z1 to i32
  %e = zext i32 %x to i64
  %m64 = urem i64 %e, 65537
  %m = trunc i64 %m64 to i32
  %s = select i1 %rare, i32 %m, i32 0
  %o = add i32 %v, %s
  store i32 %o, ptr %rp
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
