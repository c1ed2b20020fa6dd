; Half of the lanes shuffle with a mask that names all, so that they wait for lanes that wait for them elsewhere.
;refuted barriers
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = f32[16] parameter(0)
;hlo   ROOT r = f32[16] reverse(a), dimensions={0}
;hlo }
;launch {"grid": [1], "threads": [32], "params": [
;launch   {"shape": "f32[16]", "role": "input"},
;launch   {"shape": "f32[16]", "role": "output"}]}

define ptx_kernel void @k(ptr %a, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pa = getelementptr i32, ptr %a, i32 %t
  %pr = getelementptr i32, ptr %r, i32 %t
  %in = icmp ult i32 %t, 16
  br i1 %in, label %some, label %others
others:
  call void @llvm.nvvm.bar.warp.sync(i32 -1)               ; wrong
  br label %done
some:
  %x = load float, ptr %pa
  %y = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %x, i32 15, i32 31)  ; wrong
; %y = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 65535, float %x, i32 15, i32 31)  ; right
  store float %y, ptr %pr
  br label %done
done:
  ret void
}
