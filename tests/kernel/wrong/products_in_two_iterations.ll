; The lanes of a warp multiply matrices in different iterations of a loop.
;open barriers
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f64[8,4] parameter(0)
;hlo   b = f64[4,8] parameter(1)
;hlo   ROOT r = f64[8,8] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
;hlo }
;launch {"grid": [1], "threads": [32], "params": [
;launch   {"shape": "f64[8,4]", "role": "input"},
;launch   {"shape": "f64[4,8]", "role": "input"},
;launch   {"shape": "f64[8,8]", "role": "output"}]}

target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = lshr i32 %t, 2
  %column = and i32 %t, 3
  %there = shl i32 %column, 3
  %of_b = add i32 %there, %row
  %pa = getelementptr double, ptr addrspace(1) %a, i32 %t
  %pb = getelementptr double, ptr addrspace(1) %b, i32 %of_b
  %x = load double, ptr addrspace(1) %pa
  %y = load double, ptr addrspace(1) %pb
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %i.next, %next ]
  %v0 = phi double [ 0.0, %0 ], [ %e0, %next ]
  %v1 = phi double [ 0.0, %0 ], [ %e1, %next ]
  %sum = add i32 %i, %t
  %bit = and i32 %sum, 1
  %c = icmp eq i32 %bit, 0  ; wrong
;  %c = icmp eq i32 %i, 0  ; right
  br i1 %c, label %take, label %next
take:
  %d = call { double, double } asm sideeffect "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 { $0, $1 }, { $4 }, { $5 }, { $2, $3 };", "=d,=d,0,1,d,d"(double 0.0, double 0.0, double %x, double %y) #0
  %d0 = extractvalue { double, double } %d, 0
  %d1 = extractvalue { double, double } %d, 1
  br label %next
next:
  %e0 = phi double [ %v0, %loop ], [ %d0, %take ]
  %e1 = phi double [ %v1, %loop ], [ %d1, %take ]
  %i.next = add i32 %i, 1
  %again = icmp ult i32 %i.next, 2
  br i1 %again, label %loop, label %done
done:
  %at = shl i32 %t, 1
  %pr = getelementptr double, ptr addrspace(1) %r, i32 %at
  %nextp = getelementptr double, ptr addrspace(1) %pr, i32 1
  store double %e0, ptr addrspace(1) %pr
  store double %e1, ptr addrspace(1) %nextp
  ret void
}
attributes #0 = { convergent }
