// RUN: affirm-opt %s -affirm-inline-calls | FileCheck %s
// affirm-inline-calls: a function with a single pure call is inlined there.

// CHECK-LABEL: func.func @entry
// CHECK: arith.negf
// CHECK: affirm.pure_call @twice
// CHECK: affirm.pure_call @twice
func.func @entry(%x: f32) -> f32 {
  %a = affirm.pure_call @once(%x) : (f32) -> f32
  %b = affirm.pure_call @twice(%a) : (f32) -> f32
  %c = affirm.pure_call @twice(%b) : (f32) -> f32
  return %c : f32
}

// CHECK-NOT: @once
func.func private @once(%x: f32) -> f32 {
  %r = arith.negf %x : f32
  return %r : f32
}

// CHECK: func.func private @twice
func.func private @twice(%x: f32) -> f32 {
  %r = arith.addf %x, %x : f32
  return %r : f32
}
