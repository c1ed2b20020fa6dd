; A branch on the bits of one sum decides a branch on those of the other.
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
  %s1 = fadd float %x, %y
  %s2 = fadd float %y, %x  ; wrong
;  %s2 = select i1 true, float %s1, float %s1  ; right
  %b1 = bitcast float %s1 to i32
  %b2 = bitcast float %s2 to i32
  %c = icmp eq i32 %b1, 2143289344
  %c2 = icmp eq i32 %b2, 2143289344
  br i1 %c, label %B, label %A
A:
  br i1 %c2, label %D, label %C
B:
  br i1 %c2, label %C, label %D
C:
  br label %E
D:
  br label %E
E:
  %d = phi i32 [ 0, %C ], [ 1, %D ]
  %pr = getelementptr i32, ptr addrspace(1) %r, i32 %t
  store i32 %d, ptr addrspace(1) %pr, align 4
  ret void
}
