// RUN: affirm-opt %s -affirm-lower-calls | FileCheck %s
// affirm-lower-calls: pure calls become calls, and predicated accesses become branches.

func.func private @f(%a: f32) -> f32

// CHECK-LABEL: func.func @calls
// CHECK: call @f
// CHECK: scf.if
// CHECK-NEXT: tensor.insert
// CHECK: scf.if
// CHECK-NEXT: tensor.extract
func.func @calls(%t: tensor<4xf32>, %x: f32, %i: index, %p: i1) -> (tensor<4xf32>, f32) {
  %y = affirm.pure_call @f(%x) : (f32) -> f32
  %u = affirm.predicated_insert %y into %t[%i] if %p : tensor<4xf32>
  %z = affirm.predicated_extract %u[%i] if %p else %x : tensor<4xf32>
  return %u, %z : tensor<4xf32>, f32
}
