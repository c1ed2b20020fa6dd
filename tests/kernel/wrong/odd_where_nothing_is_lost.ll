; A value that is exact in f32 is made odd as well, so it is no tie when it is rounded again.
;refuted values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[512] iota(), iota_dimension=0
;hlo   ROOT r = bf16[512] convert(a)
;hlo }
;launch {"grid": [16], "threads": [32], "params": [
;launch   {"shape": "bf16[512]", "role": "output"}]}

define ptx_kernel void @k(ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %begin = mul i32 %b, 32
  %i = add i32 %begin, %t
  %pr = getelementptr bfloat, ptr %r, i32 %i
  %x = add i32 %i, 0
  %exact = sitofp i32 %x to double
  %nearest = sitofp i32 %x to float
  %back = fpext float %nearest to double
  %bits = bitcast float %nearest to i32
  %size = call double @llvm.fabs.f64(double %exact)
  %size.back = call double @llvm.fabs.f64(double %back)
  %beyond = fcmp ogt double %size.back, %size
  %one = zext i1 %beyond to i32
  %toward = sub i32 %bits, %one
  %odd = or i32 %toward, 1
  %lost = fcmp one double %back, %exact
  %chosen = select i1 %lost, i32 %odd, i32 %odd            ; wrong
; %chosen = select i1 %lost, i32 %odd, i32 %bits           ; right
  %rounded = bitcast i32 %chosen to float
  %y = fptrunc float %rounded to bfloat
  store bfloat %y, ptr %pr
  ret void
}
