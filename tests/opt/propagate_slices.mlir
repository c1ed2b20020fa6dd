// RUN: affirm-opt %s -affirm-propagate-slices -split-input-file | FileCheck %s
// affirm-propagate-slices: functions learn which slices of memory their callers pass.

// A function that is called by a function that is called by the entry.
// CHECK-LABEL: func.func @entry
// CHECK: func.func private @outer(%{{.*}}: tensor<4xf32> {affirm.slice = 7 : i64}, %{{.*}}: tensor<4xf32> {affirm.slice = 0 : i64}, %{{.*}}: index)
// CHECK: func.func private @inner(%{{.*}}: tensor<4xf32> {affirm.slice = 0 : i64}, %{{.*}}: index)
func.func @entry(%p: tensor<4xf32> {affirm.slice = 7 : i64},
                 %q: tensor<4xf32> {affirm.slice = 0 : i64},
                 %r: tensor<4xf32> {affirm.slice = 2 : i64}) -> tensor<4xf32> {
  %i = arith.constant 0 : index
  %x = affirm.pure_call @outer(%p, %q, %i) : (tensor<4xf32>, tensor<4xf32>, index) -> f32
  %s = tensor.insert %x into %r[%i] : tensor<4xf32>
  return %s : tensor<4xf32>
}
func.func private @outer(%p: tensor<4xf32>, %q: tensor<4xf32>, %i: index) -> f32 {
  %x = tensor.extract %p[%i] : tensor<4xf32>
  %y = func.call @inner(%q, %i) : (tensor<4xf32>, index) -> f32
  %z = arith.addf %x, %y : f32
  return %z : f32
}
func.func private @inner(%q: tensor<4xf32>, %i: index) -> f32 {
  %x = tensor.extract %q[%i] : tensor<4xf32>
  return %x : f32
}

// -----

// Calls that disagree, and one whose caller knows nothing.
// CHECK-LABEL: func.func @entry
// CHECK: func.func private @two(%{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xf32> {affirm.slice = 1 : i64}, %{{.*}}: index)
// CHECK: func.func private @unknown(%{{.*}}: tensor<4xf32>, %{{.*}}: index)
func.func @entry(%p: tensor<4xf32> {affirm.slice = 0 : i64},
                 %q: tensor<4xf32> {affirm.slice = 1 : i64},
                 %o: tensor<4xf32>) -> f32 {
  %i = arith.constant 0 : index
  %x = affirm.pure_call @two(%p, %q, %i) : (tensor<4xf32>, tensor<4xf32>, index) -> f32
  %y = affirm.pure_call @two(%q, %q, %i) : (tensor<4xf32>, tensor<4xf32>, index) -> f32
  %z = affirm.pure_call @unknown(%o, %i) : (tensor<4xf32>, index) -> f32
  %a = arith.addf %x, %y : f32
  %b = arith.addf %a, %z : f32
  return %b : f32
}
func.func private @two(%p: tensor<4xf32>, %q: tensor<4xf32>, %i: index) -> f32 {
  %x = tensor.extract %p[%i] : tensor<4xf32>
  %y = tensor.extract %q[%i] : tensor<4xf32>
  %z = arith.addf %x, %y : f32
  return %z : f32
}
func.func private @unknown(%q: tensor<4xf32>, %i: index) -> f32 {
  %x = tensor.extract %q[%i] : tensor<4xf32>
  return %x : f32
}
