// RUN: affirm-opt %s -affirm-lower-indexing -split-input-file | FileCheck %s
// affirm-lower-indexing: the results of a map as operations of arith.

// CHECK-LABEL: func.func @nonnegative
// CHECK: arith.divui
// CHECK: arith.remui
// CHECK-NOT: arith.select
func.func @nonnegative(%i: index) -> (index, index) {
  %r:2 = affirm.apply_indexing #affirm.map<"(d0) -> (d0 floordiv 5, d0 mod 5), domain: d0 in [0, 99]">(%i)
  return %r#0, %r#1 : index, index
}

// -----

// CHECK-LABEL: func.func @negative
// CHECK: arith.divsi
// CHECK: arith.select
// CHECK-NOT: arith.divui
func.func @negative(%i: index) -> index {
  %r = affirm.apply_indexing #affirm.map<"(d0) -> (d0 floordiv 5), domain: d0 in [-9, 99]">(%i)
  return %r : index
}

// -----

// The range makes the division go.
// CHECK-LABEL: func.func @simplified
// CHECK-NOT: arith.div
// CHECK: return %arg0
func.func @simplified(%i: index) -> index {
  %r = affirm.apply_indexing #affirm.map<"(d0) -> (d0 mod 128), domain: d0 in [0, 99]">(%i)
  return %r : index
}
