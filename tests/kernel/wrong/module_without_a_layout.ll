; The layout of the triple has members of a structure at other places.
;refuted bounds, values
;hlo HloModule m
;hlo ENTRY e {
;hlo   a = s32[48] parameter(0)
;hlo   ROOT r = s32[16] slice(a), slice={[1:48:3]}
;hlo }
;launch {"kernel": "k", "grid": [1, 1, 1], "threads": [16, 1, 1], "params": [{"shape": "s32[48]{0}", "role": "input"}, {"shape": "s32[16]{0}", "role": "output"}]}

target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr %a, ptr %o) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr {i32, i64}, ptr %a, i32 %t, i32 1      ; wrong
;  %p = getelementptr <{i32, i64}>, ptr %a, i32 %t, i32 1   ; right
  %x = load i32, ptr %p, align 4
  %po = getelementptr i32, ptr %o, i32 %t
  store i32 %x, ptr %po, align 4
  ret void
}
