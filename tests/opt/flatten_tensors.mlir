// RUN: affirm-opt %s -affirm-flatten-tensors -canonicalize -split-input-file | FileCheck %s
// affirm-flatten-tensors: every tensor gets one dimension, and indices become row-major positions.

// A row-major index taken apart and put together is the thread's number again.
// CHECK-LABEL: func.func @copy
// CHECK-SAME: (%[[P:.*]]: tensor<128xf32>, %[[R:.*]]: tensor<128xf32>, %[[L:.*]]: index) -> tensor<128xf32>
// CHECK-NEXT: %[[X:.*]] = tensor.extract %[[P]][%[[L]]]
// CHECK-NEXT: %[[O:.*]] = tensor.insert %[[X]] into %[[R]][%[[L]]]
// CHECK-NEXT: return %[[O]]
func.func @copy(%p: tensor<8x16xf32>, %r: tensor<8x16xf32>, %l: index) -> tensor<8x16xf32> {
  %i:2 = affirm.apply_indexing #affirm.map<"(d0) -> (d0 floordiv 16, d0 mod 16), domain: d0 in [0, 127]">(%l)
  %x = tensor.extract %p[%i#0, %i#1] : tensor<8x16xf32>
  %o = tensor.insert %x into %r[%i#0, %i#1] : tensor<8x16xf32>
  return %o : tensor<8x16xf32>
}

// -----

// CHECK-LABEL: func.func @others
// CHECK: arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
// CHECK: tensor.extract %{{.*}}[%c0{{.*}}] : tensor<1xi32>
func.func @others(%s: tensor<i32>, %i: index, %j: index) -> (i32, i32) {
  %c = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %x = tensor.extract %c[%i, %j] : tensor<2x2xi32>
  %y = tensor.extract %s[] : tensor<i32>
  return %x, %y : i32, i32
}
