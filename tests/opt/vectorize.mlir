// RUN: affirm-opt %s -affirm-vectorize -split-input-file | FileCheck %s
// affirm-vectorize: consecutive accesses become accesses of vectors.

// CHECK-LABEL: func.func @copy
// CHECK: %[[V:.*]] = vector.transfer_read %arg0[%{{.*}}], %{{.*}} {in_bounds = [true]} : tensor<128xf32>, vector<4xf32>
// CHECK: scf.for {{.*}} -> (vector<4xf32>)
// CHECK: llvm.extractelement %[[V]]
// CHECK: llvm.insertelement
// CHECK: vector.transfer_write
#four = #affirm.map<"(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 31], d1 in [0, 3]">
func.func @copy(%p: tensor<128xf32>, %r: tensor<128xf32>, %t: index) -> tensor<128xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %o = scf.for %s = %c0 to %c4 step %c1 iter_args(%a = %r) -> (tensor<128xf32>) {
    %i = affirm.apply_indexing #four(%t, %s)
    %x = tensor.extract %p[%i] : tensor<128xf32>
    %u = tensor.insert %x into %a[%i] : tensor<128xf32>
    scf.yield %u : tensor<128xf32>
  }
  return %o : tensor<128xf32>
}

// -----

// Four consecutive elements that start one past a multiple of four, or two apart.
// CHECK-LABEL: func.func @misaligned
// CHECK-NOT: vector
#past = #affirm.map<"(d0, d1) -> (d0 * 4 + d1 + 1), domain: d0 in [0, 30], d1 in [0, 3]">
#apart = #affirm.map<"(d0, d1) -> (d0 * 8 + d1 * 2), domain: d0 in [0, 15], d1 in [0, 3]">
func.func @misaligned(%p: tensor<128xf32>, %r: tensor<128xf32>, %t: index) -> tensor<128xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %o = scf.for %s = %c0 to %c4 step %c1 iter_args(%a = %r) -> (tensor<128xf32>) {
    %i = affirm.apply_indexing #past(%t, %s)
    %j = affirm.apply_indexing #apart(%t, %s)
    %x = tensor.extract %p[%j] : tensor<128xf32>
    %u = tensor.insert %x into %a[%i] : tensor<128xf32>
    scf.yield %u : tensor<128xf32>
  }
  return %o : tensor<128xf32>
}

// -----

// A value is combined with each element of a window, in place: an iteration reads only the elements
// that it then writes.
// CHECK-LABEL: func.func @combine
// CHECK: %[[OLD:.*]] = vector.transfer_read %arg1[%{{.*}}], %{{.*}} {in_bounds = [true]} : tensor<128xf32>, vector<4xf32>
// CHECK: scf.for {{.*}} -> (vector<4xf32>)
// CHECK: llvm.extractelement %[[OLD]]
// CHECK: vector.transfer_write
#four = #affirm.map<"(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 31], d1 in [0, 3]">
func.func @combine(%x: f32, %r: tensor<128xf32>, %t: index) -> tensor<128xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %o = scf.for %s = %c0 to %c4 step %c1 iter_args(%a = %r) -> (tensor<128xf32>) {
    %i = affirm.apply_indexing #four(%t, %s)
    %old = tensor.extract %a[%i] : tensor<128xf32>
    %new = arith.addf %old, %x : f32
    %u = tensor.insert %new into %a[%i] : tensor<128xf32>
    scf.yield %u : tensor<128xf32>
  }
  return %o : tensor<128xf32>
}

// -----

// An iteration reads what those before it wrote: a running sum.
// CHECK-LABEL: func.func @running
// CHECK-NOT: vector.transfer_read
#four = #affirm.map<"(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 31], d1 in [0, 3]">
#back = #affirm.map<"(d0, d1) -> (d0 * 4 - d1 + 3), domain: d0 in [0, 31], d1 in [0, 3]">
func.func @running(%x: f32, %r: tensor<128xf32>, %t: index) -> tensor<128xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %o = scf.for %s = %c0 to %c4 step %c1 iter_args(%a = %r) -> (tensor<128xf32>) {
    %i = affirm.apply_indexing #four(%t, %s)
    %j = affirm.apply_indexing #back(%t, %s)
    %old = tensor.extract %a[%i] : tensor<128xf32>
    %new = arith.addf %old, %x : f32
    %u = tensor.insert %new into %a[%j] : tensor<128xf32>
    scf.yield %u : tensor<128xf32>
  }
  return %o : tensor<128xf32>
}
