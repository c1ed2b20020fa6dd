; Bytes of the result are padding of a structure that is stored over them.
;open values
;hlo HloModule m
;hlo ENTRY e {
;hlo   p = u8[8] parameter(0)
;hlo   ROOT c = u8[8] copy(p)
;hlo }
;launch {"grid": [1], "threads": [1], "params": [
;launch   {"shape": "u8[8]", "role": "input"},
;launch   {"shape": "u8[8]", "role": "output"}]}

define ptx_kernel void @k(ptr %p, ptr %r) {
  %all = load { i8, i32 }, ptr %p, align 4
  %p1 = getelementptr i8, ptr %p, i64 1
  %r1 = getelementptr i8, ptr %r, i64 1
  %b = load <3 x i8>, ptr %p1, align 1
  store <3 x i8> %b, ptr %r1, align 1
  store { i8, i32 } %all, ptr %r, align 4  ; wrong
; %first = extractvalue { i8, i32 } %all, 0  ; right
; %second = extractvalue { i8, i32 } %all, 1  ; right
; %r4 = getelementptr i8, ptr %r, i64 4  ; right
; store i8 %first, ptr %r, align 4  ; right
; store i32 %second, ptr %r4, align 4  ; right
  ret void
}
