// RUN: affirm-opt %s -affirm-drop-arguments -split-input-file | FileCheck %s
// affirm-drop-arguments: functions lose the arguments that they do not read.

// A function that passes on an argument that it does not read itself, and one that is never read.
// CHECK-LABEL: func.func @entry
// CHECK-SAME: %[[P:.*]]: tensor<4xf32>, %[[Q:.*]]: tensor<4xf32>, %[[I:.*]]: index
// CHECK: affirm.pure_call @outer(%[[Q]], %[[I]])
// CHECK: func.func private @outer(%[[A:.*]]: tensor<4xf32>, %[[B:.*]]: index)
// CHECK: call @inner(%[[A]], %[[B]])
// CHECK: func.func private @inner(%{{.*}}: tensor<4xf32>, %{{.*}}: index)
func.func @entry(%p: tensor<4xf32>, %q: tensor<4xf32>, %i: index) -> f32 {
  %x = affirm.pure_call @outer(%p, %q, %i) : (tensor<4xf32>, tensor<4xf32>, index) -> f32
  return %x : f32
}
func.func private @outer(%p: tensor<4xf32>, %q: tensor<4xf32>, %i: index) -> f32 {
  %x = func.call @inner(%p, %q, %i) : (tensor<4xf32>, tensor<4xf32>, index) -> f32
  return %x : f32
}
func.func private @inner(%p: tensor<4xf32>, %q: tensor<4xf32>, %i: index) -> f32 {
  %x = tensor.extract %q[%i] : tensor<4xf32>
  return %x : f32
}

// -----

// A name that something else uses, a function without a body, and one that gives an array, whose
// last arguments are where it is written.
// CHECK-LABEL: func.func @entry
// CHECK: func.func private @named(%{{.*}}: index)
// CHECK: func.func private @declared(index) -> f32
// CHECK: func.func private @array(%{{.*}}: index, %{{.*}}: tensor<4xf32>)
func.func @entry(%i: index, %o: tensor<4xf32>) -> (f32, f32, tensor<4xf32>) {
  %f = func.constant @named : (index) -> f32
  %x = func.call @named(%i) : (index) -> f32
  %y = func.call @declared(%i) : (index) -> f32
  %z = func.call @array(%i, %o) : (index, tensor<4xf32>) -> tensor<4xf32>
  return %x, %y, %z : f32, f32, tensor<4xf32>
}
func.func private @named(%i: index) -> f32 {
  %x = arith.constant 1.0 : f32
  return %x : f32
}
func.func private @declared(index) -> f32
func.func private @array(%i: index, %o: tensor<4xf32>) -> tensor<4xf32> {
  return %o : tensor<4xf32>
}
