; A divisor of zero is undefined behavior, also where the dividend is poison.
;open integers
;hlo HloModule m
;hlo ENTRY e {
;hlo   x = u32[64] parameter(0)
;hlo   y = u32[64] parameter(1)
;hlo   c = u32[] constant(32)
;hlo   b = u32[64] broadcast(c), dimensions={}
;hlo   s = u32[64] shift-left(x, y)
;hlo   k = u32[] constant(3)
;hlo   kk = u32[64] broadcast(k), dimensions={}
;hlo   m = u32[64] multiply(y, kk)
;hlo   n = u32[] constant(370370367)
;hlo   nn = u32[64] broadcast(n), dimensions={}
;hlo   d = u32[64] subtract(m, nn)
;hlo   q = u32[64] divide(s, d)
;hlo   l = pred[64] compare(y, b), direction=LT
;hlo   o = u32[] constant(0)
;hlo   oo = u32[64] broadcast(o), dimensions={}
;hlo   ROOT r = u32[64] select(l, q, oo)
;hlo }
;launch {"grid": [1], "threads": [64], "params": [{"shape": "u32[64]", "role": "input", "memory": 0},{"shape": "u32[64]", "role": "input", "memory": 1}, {"shape": "u32[64]", "role": "output", "memory": 2}]}
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr addrspace(1) %a0, ptr addrspace(1) %a1, ptr addrspace(1) %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p0 = getelementptr i32, ptr addrspace(1) %a0, i32 %t
  %x = load i32, ptr addrspace(1) %p0
  %p1 = getelementptr i32, ptr addrspace(1) %a1, i32 %t
  %y = load i32, ptr addrspace(1) %p1
  %m = mul i32 %y, 3
  %d = sub i32 %m, 370370367
  %s = shl i32 %x, %y
  %l = icmp ult i32 %y, 32
  %e = select i1 %l, i32 %d, i32 %d  ; wrong
;  %e = select i1 %l, i32 %d, i32 1  ; right
  %q = udiv i32 %s, %e
  %v = select i1 %l, i32 %q, i32 0
  %pr = getelementptr i32, ptr addrspace(1) %r, i32 %t
  store i32 %v, ptr addrspace(1) %pr
  ret void
}
