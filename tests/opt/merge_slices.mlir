// RUN: affirm-opt %s -affirm-propagate-slices -affirm-lower-tensors -affirm-merge-slices \
// RUN:   -split-input-file | FileCheck %s
// affirm-merge-slices: pointers to one slice of memory become one pointer.

// The result is updated in place; both operands of the call are one buffer.
// CHECK-LABEL: func.func @entry
// CHECK-SAME: (%[[P:.*]]: !llvm.ptr {llvm.align = 16 : i64, llvm.dereferenceable = 16 : i64, llvm.noalias})
// CHECK: call @sum(%[[P]], %{{.*}}) : (!llvm.ptr, index) -> f32
// CHECK: llvm.getelementptr %[[P]]
// CHECK: llvm.store
// CHECK: func.func private @sum
// CHECK-SAME: (%[[Q:.*]]: !llvm.ptr {{{.*}}llvm.noalias}, %{{.*}}: index)
// CHECK: llvm.getelementptr %[[Q]]
// CHECK: llvm.getelementptr %[[Q]]
func.func @entry(%p: tensor<4xf32> {affirm.slice = 0 : i64},
                 %r: tensor<4xf32> {affirm.slice = 0 : i64, affirm.alias = 0 : i64}) -> tensor<4xf32> {
  %i = arith.constant 1 : index
  %x = func.call @sum(%p, %p, %i) : (tensor<4xf32>, tensor<4xf32>, index) -> f32
  %s = tensor.insert %x into %r[%i] : tensor<4xf32>
  return %s : tensor<4xf32>
}
func.func private @sum(%p: tensor<4xf32>, %q: tensor<4xf32>, %i: index) -> f32 {
  %x = tensor.extract %p[%i] : tensor<4xf32>
  %y = tensor.extract %q[%i] : tensor<4xf32>
  %z = arith.addf %x, %y : f32
  return %z : f32
}

// -----

// A pointer without a slice may alias any other, so that neither gets noalias.
// CHECK-LABEL: func.func @partly_known
// CHECK-SAME: (%{{.*}}: !llvm.ptr {llvm.align = 16 : i64, llvm.dereferenceable = 2 : i64}, %{{.*}}: !llvm.ptr)
func.func @partly_known(%p: tensor<2xi8> {affirm.slice = 0 : i64}, %r: tensor<2xi8>) -> tensor<2xi8> {
  %i = arith.constant 1 : index
  %x = tensor.extract %p[%i] : tensor<2xi8>
  %s = tensor.insert %x into %r[%i] : tensor<2xi8>
  return %s : tensor<2xi8>
}

// -----

// Nothing may be read of a slice without elements.
// CHECK-LABEL: func.func @empty
// CHECK-SAME: (%{{.*}}: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias})
func.func @empty(%r: tensor<0xi8> {affirm.slice = 0 : i64}) -> tensor<0xi8> {
  return %r : tensor<0xi8>
}
