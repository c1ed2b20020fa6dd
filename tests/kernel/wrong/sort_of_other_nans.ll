; Which NaN is sorted counts where a comparator in total order sees its sign; the kernel keeps the element's own.
;refuted values
;hlo HloModule m
;hlo less {
;hlo   a = f32[] parameter(0)
;hlo   b = f32[] parameter(1)
;hlo   ROOT r = pred[] compare(a, b), direction=LT, type=TOTALORDER
;hlo }
;hlo ENTRY e {
;hlo   k = s32[3,4] parameter(0)
;hlo   f = f32[3,4] bitcast-convert(k)
;hlo   is_nan = pred[3,4] compare(f, f), direction=NE
;hlo   nan = f32[] constant(nan)
;hlo   nans = f32[3,4] broadcast(nan), dimensions={}
;hlo   s = f32[3,4] select(is_nan, nans, f)                   ; wrong
;;hlo   s = f32[3,4] copy(f)                                  ; right
;hlo   ROOT r = f32[3,4] sort(s), dimensions={1}, to_apply=less
;hlo }
;launch {"grid": [3], "threads": [1], "params": [
;launch   {"shape": "s32[3,4]", "role": "input"},
;launch   {"shape": "f32[3,4]", "role": "output"}]}

@keys = internal addrspace(3) global [4 x i32] undef, align 4

; Afterwards the smaller key is at %low.
define internal void @exchange(i32 %low, i32 %high) {
  %pa = getelementptr i32, ptr addrspace(3) @keys, i32 %low
  %pb = getelementptr i32, ptr addrspace(3) @keys, i32 %high
  %a = load i32, ptr addrspace(3) %pa
  %b = load i32, ptr addrspace(3) %pb
  %sa = ashr i32 %a, 31
  %sb = ashr i32 %b, 31
  %ma = lshr i32 %sa, 1
  %mb = lshr i32 %sb, 1
  %xa = xor i32 %a, %ma
  %xb = xor i32 %b, %mb
  %c = icmp slt i32 %xb, %xa
  br i1 %c, label %swap, label %done
swap:
  store i32 %b, ptr addrspace(3) %pa
  store i32 %a, ptr addrspace(3) %pb
  br label %done
done:
  ret void
}

define ptx_kernel void @k(ptr %k, ptr %r) {
  %bl = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %row = mul i32 %bl, 4
  %e0 = add i32 %row, 0
  %p0 = getelementptr i32, ptr %k, i32 %e0
  %k0 = load i32, ptr %p0
  %t0 = getelementptr i32, ptr addrspace(3) @keys, i32 0
  store i32 %k0, ptr addrspace(3) %t0
  %e1 = add i32 %row, 1
  %p1 = getelementptr i32, ptr %k, i32 %e1
  %k1 = load i32, ptr %p1
  %t1 = getelementptr i32, ptr addrspace(3) @keys, i32 1
  store i32 %k1, ptr addrspace(3) %t1
  %e2 = add i32 %row, 2
  %p2 = getelementptr i32, ptr %k, i32 %e2
  %k2 = load i32, ptr %p2
  %t2 = getelementptr i32, ptr addrspace(3) @keys, i32 2
  store i32 %k2, ptr addrspace(3) %t2
  %e3 = add i32 %row, 3
  %p3 = getelementptr i32, ptr %k, i32 %e3
  %k3 = load i32, ptr %p3
  %t3 = getelementptr i32, ptr addrspace(3) @keys, i32 3
  store i32 %k3, ptr addrspace(3) %t3
  call void @exchange(i32 0, i32 1)
  call void @exchange(i32 2, i32 3)
  call void @exchange(i32 0, i32 2)
  call void @exchange(i32 1, i32 3)
  call void @exchange(i32 1, i32 2)
  %y0 = load i32, ptr addrspace(3) %t0
  %q0 = getelementptr i32, ptr %r, i32 %e0
  store i32 %y0, ptr %q0
  %y1 = load i32, ptr addrspace(3) %t1
  %q1 = getelementptr i32, ptr %r, i32 %e1
  store i32 %y1, ptr %q1
  %y2 = load i32, ptr addrspace(3) %t2
  %q2 = getelementptr i32, ptr %r, i32 %e2
  store i32 %y2, ptr %q2
  %y3 = load i32, ptr addrspace(3) %t3
  %q3 = getelementptr i32, ptr %r, i32 %e3
  store i32 %y3, ptr %q3
  ret void
}
