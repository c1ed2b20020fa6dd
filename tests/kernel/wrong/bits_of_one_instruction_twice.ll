; A sum in a loop is computed in each iteration: each has a NaN of its own.
;open values
;hlo HloModule m
;hlo ENTRY e {
;hlo   x = f32[32]{0} parameter(0)
;hlo   y = f32[32]{0} parameter(1)
;hlo   s = f32[32]{0} add(x, y)
;hlo   b = u32[32]{0} bitcast-convert(s)
;hlo   ROOT r = u32[32]{0} xor(b, b)
;hlo }
;launch {"grid": [1], "threads": [32], "params": [{"shape": "f32[32]", "role": "input"}, {"shape": "f32[32]", "role": "input"}, {"shape": "u32[32]", "role": "output"}]}
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define ptx_kernel void @k(ptr addrspace(1) %a0, ptr addrspace(1) %a1, ptr addrspace(1) %r) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p0 = getelementptr float, ptr addrspace(1) %a0, i32 %t
  %x = load float, ptr addrspace(1) %p0, align 4
  %p1 = getelementptr float, ptr addrspace(1) %a1, i32 %t
  %y = load float, ptr addrspace(1) %p1, align 4
  br label %l
l:
  %i = phi i32 [ 0, %entry ], [ %i1, %l ]
  %a = phi i32 [ 0, %entry ], [ %d, %l ]
  %s1 = fadd float %x, %y  ; wrong
;  %s1 = select i1 true, float %x, float %x  ; right
  %b1 = bitcast float %s1 to i32
  %d = xor i32 %a, %b1
  %i1 = add i32 %i, 1
  %e = icmp eq i32 %i1, 2
  br i1 %e, label %o, label %l
o:
  %pr = getelementptr i32, ptr addrspace(1) %r, i32 %t
  store i32 %d, ptr addrspace(1) %pr, align 4
  ret void
}
