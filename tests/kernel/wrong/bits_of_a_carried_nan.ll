; A loop multiplies by 1, and the bits of what it carries are stored: of a NaN any NaN.
;open values
;hlo HloModule m
;hlo ENTRY e {
;hlo   p0 = f32[32]{0} parameter(0)
;hlo   ROOT r = u32[32]{0} bitcast-convert(p0)
;hlo }
;launch {"grid": [1], "threads": [32], "params": [{"shape": "f32[32]", "role": "input"}, {"shape": "u32[32]", "role": "output"}]}

target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
define ptx_kernel void @k(ptr addrspace(1) %a0, ptr addrspace(1) %r) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p0 = getelementptr float, ptr addrspace(1) %a0, i32 %t
  %x0 = load float, ptr addrspace(1) %p0, align 4
  br label %h
h:
  %i = phi i32 [ 0, %entry ], [ %i1, %b ]
  %acc = phi float [ %x0, %entry ], [ %m, %b ]
  %c = icmp slt i32 %i, 100
  br i1 %c, label %b, label %e
b:
  %m = fmul float %acc, 1.0  ; wrong
;  %m = select i1 true, float %acc, float %acc  ; right
  %i1 = add i32 %i, 1
  br label %h
e:
  %y = bitcast float %acc to i32
  %pr = getelementptr i32, ptr addrspace(1) %r, i32 %t
  store i32 %y, ptr addrspace(1) %pr, align 4
  ret void
}
