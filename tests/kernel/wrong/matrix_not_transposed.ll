; Lanes take the right matrix of a product as it lies in memory: each has the element of another.
;refuted values
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

define ptx_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = lshr i32 %t, 2
  %column = and i32 %t, 3
  %there = shl i32 %column, 3
  %of_b = add i32 %t, 0                                    ; wrong
; %of_b = add i32 %there, %row                             ; right
  %pa = getelementptr double, ptr addrspace(1) %a, i32 %t
  %pb = getelementptr double, ptr addrspace(1) %b, i32 %of_b
  %x = load double, ptr addrspace(1) %pa
  %y = load double, ptr addrspace(1) %pb
  %d = call { double, double } asm sideeffect "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 { $0, $1 }, { $4 }, { $5 }, { $2, $3 };", "=d,=d,0,1,d,d"(double 0.0, double 0.0, double %x, double %y)
  %d0 = extractvalue { double, double } %d, 0
  %d1 = extractvalue { double, double } %d, 1
  %at = shl i32 %t, 1
  %pr = getelementptr double, ptr addrspace(1) %r, i32 %at
  %next = getelementptr double, ptr addrspace(1) %pr, i32 1
  store double %d0, ptr addrspace(1) %pr
  store double %d1, ptr addrspace(1) %next
  ret void
}
