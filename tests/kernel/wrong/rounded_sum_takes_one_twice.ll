; A sum that is rounded to bf16 at each step, which takes its second number twice.
;refuted values
;hlo HloModule m
;hlo narrow {
;hlo   x = f32[] parameter(0)
;hlo   y = f32[] parameter(1)
;hlo   s = f32[] add(x, y)
;hlo   p = bf16[] convert(s)
;hlo   ROOT r = f32[] convert(p)
;hlo }
;hlo ENTRY e {
;hlo   a = f32[64,2] parameter(0)
;hlo   zero = f32[] constant(0)
;hlo   sum = f32[64] reduce(a, zero), dimensions={1}, to_apply=narrow
;hlo   ROOT r = bf16[64] convert(sum)
;hlo }
;launch {"grid": [2], "threads": [32], "params": [
;launch   {"shape": "f32[64,2]", "role": "input"},
;launch   {"shape": "bf16[64]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %before = mul i32 %block, 32
  %i = add i32 %before, %t
  %j = mul i32 %i, 2
  %k = add i32 %j, 1
  %pfirst = getelementptr float, ptr %a, i32 %j
  %psecond = getelementptr float, ptr %a, i32 %k
  %pr = getelementptr bfloat, ptr %r, i32 %i
  %x = load float, ptr %pfirst
  %y = load float, ptr %psecond
  %start = fadd float 0.0, %x
  %one = fptrunc float %start to bfloat
  %onebits = bitcast bfloat %one to i16
  %oneint = zext i16 %onebits to i32
  %onehigh = shl i32 %oneint, 16
  %onewide = bitcast i32 %onehigh to float
  %both = fadd float %onewide, %y
  %two = fptrunc float %both to bfloat
  %twobits = bitcast bfloat %two to i16        ; wrong
  %twoint = zext i16 %twobits to i32           ; wrong
  %twohigh = shl i32 %twoint, 16               ; wrong
  %twowide = bitcast i32 %twohigh to float     ; wrong
  %again = fadd float %twowide, %y             ; wrong
  %three = fptrunc float %again to bfloat      ; wrong
  store bfloat %three, ptr %pr                 ; wrong
; store bfloat %two, ptr %pr                   ; right
  ret void
}
