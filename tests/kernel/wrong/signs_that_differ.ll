; A comparison says that both sides have one sign, and threads below 16 have a negative index.
;refuted integers
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[32] parameter(0)
;hlo   ROOT r = f32[32] negate(a)
;hlo }
;launch {"grid": [1], "threads": [32], "params": [
;launch   {"shape": "f32[32]", "role": "input", "memory": 0},
;launch   {"shape": "f32[32]", "role": "output", "memory": 1}]}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr %a, ptr %r) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sub i32 %t, 16
  %upper = icmp samesign ult i32 %i, 16  ; wrong
;  %upper = icmp ult i32 %i, 16  ; right
  %p = getelementptr float, ptr %a, i32 %t
  %x = load float, ptr %p
  %zero = fneg float %x
  %q = getelementptr float, ptr %r, i32 %t
  br i1 %upper, label %high, label %low
high:
  store float %zero, ptr %q
  br label %done
low:
  store float %zero, ptr %q
  br label %done
done:
  ret void
}
