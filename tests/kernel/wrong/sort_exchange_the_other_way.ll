; One exchange of a sorting network puts the larger key first.
;refuted values
;hlo HloModule m
;hlo less {
;hlo   a = s32[] parameter(0)
;hlo   b = s32[] parameter(1)
;hlo   i = s32[] parameter(2)
;hlo   j = s32[] parameter(3)
;hlo   lower = pred[] compare(a, b), direction=LT
;hlo   equal = pred[] compare(a, b), direction=EQ
;hlo   before = pred[] compare(i, j), direction=LT
;hlo   tie = pred[] and(equal, before)
;hlo   ROOT r = pred[] or(lower, tie)
;hlo }
;hlo ENTRY e {
;hlo   k = s32[3,4] parameter(0)
;hlo   i = s32[3,4] iota(), iota_dimension=1
;hlo   ROOT r = (s32[3,4], s32[3,4]) sort(k, i), dimensions={1}, is_stable=true, to_apply=less
;hlo }
;launch {"grid": [3], "threads": [1], "params": [
;launch   {"shape": "s32[3,4]", "role": "input"},
;launch   {"shape": "s32[3,4]", "role": "output"},
;launch   {"shape": "s32[3,4]", "role": "output"}]}

@keys = internal addrspace(3) global [4 x i32] undef, align 4
@places = internal addrspace(3) global [4 x i32] undef, align 4

; Afterwards the smaller key is at %low.
define internal void @exchange(i32 %low, i32 %high) {
  %pa = getelementptr i32, ptr addrspace(3) @keys, i32 %low
  %pb = getelementptr i32, ptr addrspace(3) @keys, i32 %high
  %pi = getelementptr i32, ptr addrspace(3) @places, i32 %low
  %pj = getelementptr i32, ptr addrspace(3) @places, i32 %high
  %a = load i32, ptr addrspace(3) %pa
  %b = load i32, ptr addrspace(3) %pb
  %i = load i32, ptr addrspace(3) %pi
  %j = load i32, ptr addrspace(3) %pj
  %lower = icmp slt i32 %b, %a
  %equal = icmp eq i32 %a, %b
  %before = icmp slt i32 %j, %i
  %tie = and i1 %equal, %before
  %c = or i1 %lower, %tie
  br i1 %c, label %swap, label %done
swap:
  store i32 %b, ptr addrspace(3) %pa
  store i32 %a, ptr addrspace(3) %pb
  store i32 %j, ptr addrspace(3) %pi
  store i32 %i, ptr addrspace(3) %pj
  br label %done
done:
  ret void
}

define ptx_kernel void @k(ptr %k, ptr %r, ptr %s) {
  %bl = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %row = mul i32 %bl, 4
  %e0 = add i32 %row, 0
  %p0 = getelementptr i32, ptr %k, i32 %e0
  %k0 = load i32, ptr %p0
  %t0 = getelementptr i32, ptr addrspace(3) @keys, i32 0
  %u0 = getelementptr i32, ptr addrspace(3) @places, i32 0
  store i32 %k0, ptr addrspace(3) %t0
  store i32 0, ptr addrspace(3) %u0
  %e1 = add i32 %row, 1
  %p1 = getelementptr i32, ptr %k, i32 %e1
  %k1 = load i32, ptr %p1
  %t1 = getelementptr i32, ptr addrspace(3) @keys, i32 1
  %u1 = getelementptr i32, ptr addrspace(3) @places, i32 1
  store i32 %k1, ptr addrspace(3) %t1
  store i32 1, ptr addrspace(3) %u1
  %e2 = add i32 %row, 2
  %p2 = getelementptr i32, ptr %k, i32 %e2
  %k2 = load i32, ptr %p2
  %t2 = getelementptr i32, ptr addrspace(3) @keys, i32 2
  %u2 = getelementptr i32, ptr addrspace(3) @places, i32 2
  store i32 %k2, ptr addrspace(3) %t2
  store i32 2, ptr addrspace(3) %u2
  %e3 = add i32 %row, 3
  %p3 = getelementptr i32, ptr %k, i32 %e3
  %k3 = load i32, ptr %p3
  %t3 = getelementptr i32, ptr addrspace(3) @keys, i32 3
  %u3 = getelementptr i32, ptr addrspace(3) @places, i32 3
  store i32 %k3, ptr addrspace(3) %t3
  store i32 3, ptr addrspace(3) %u3
  call void @exchange(i32 0, i32 1)
  call void @exchange(i32 2, i32 3)
  call void @exchange(i32 2, i32 0)                        ; wrong
; call void @exchange(i32 0, i32 2)                        ; right
  call void @exchange(i32 1, i32 3)
  call void @exchange(i32 1, i32 2)
  %y0 = load i32, ptr addrspace(3) %t0
  %z0 = load i32, ptr addrspace(3) %u0
  %q0 = getelementptr i32, ptr %r, i32 %e0
  %v0 = getelementptr i32, ptr %s, i32 %e0
  store i32 %y0, ptr %q0
  store i32 %z0, ptr %v0
  %y1 = load i32, ptr addrspace(3) %t1
  %z1 = load i32, ptr addrspace(3) %u1
  %q1 = getelementptr i32, ptr %r, i32 %e1
  %v1 = getelementptr i32, ptr %s, i32 %e1
  store i32 %y1, ptr %q1
  store i32 %z1, ptr %v1
  %y2 = load i32, ptr addrspace(3) %t2
  %z2 = load i32, ptr addrspace(3) %u2
  %q2 = getelementptr i32, ptr %r, i32 %e2
  %v2 = getelementptr i32, ptr %s, i32 %e2
  store i32 %y2, ptr %q2
  store i32 %z2, ptr %v2
  %y3 = load i32, ptr addrspace(3) %t3
  %z3 = load i32, ptr addrspace(3) %u3
  %q3 = getelementptr i32, ptr %r, i32 %e3
  %v3 = getelementptr i32, ptr %s, i32 %e3
  store i32 %y3, ptr %q3
  store i32 %z3, ptr %v3
  ret void
}
