// RUN: affirm-opt %s -canonicalize -split-input-file | FileCheck %s
// affirm.apply_indexing is folded, composed, simplified by the rule table, and loses unused variables.

// CHECK-LABEL: func.func @constant
// CHECK: arith.constant 11 : index
func.func @constant() -> index {
  %c = arith.constant 3 : index
  %r = affirm.apply_indexing #affirm.map<"(d0) -> (d0 * 4 - 1), domain: d0 in [0, 7]">(%c)
  return %r : index
}

// -----

// CHECK-LABEL: func.func @variable
// CHECK-SAME: (%[[I:.*]]: index)
// CHECK-NEXT: return %[[I]]
func.func @variable(%i: index) -> index {
  %r = affirm.apply_indexing #affirm.map<"(d0) -> (d0 mod 8), domain: d0 in [0, 7]">(%i)
  return %r : index
}

// -----

// A row-major index taken apart again.
// CHECK-LABEL: func.func @compose
// CHECK-SAME: (%[[I:.*]]: index, %[[J:.*]]: index)
// CHECK-NEXT: return %[[I]], %[[J]]
func.func @compose(%i: index, %j: index) -> (index, index) {
  %l = affirm.apply_indexing #affirm.map<"(d0, d1) -> (d0 * 16 + d1), domain: d0 in [0, 7], d1 in [0, 15]">(%i, %j)
  %r:2 = affirm.apply_indexing #affirm.map<"(d0) -> (d0 floordiv 16, d0 mod 16), domain: d0 in [0, 127]">(%l)
  return %r#0, %r#1 : index, index
}

// -----

// CHECK: #[[MAP:.*]] = #affirm.map<"(d0) -> (d0 * 2), domain: d0 in [0, 3]">
// CHECK-LABEL: func.func @unused
// CHECK: affirm.apply_indexing #[[MAP]](%arg1)
func.func @unused(%i: index, %j: index) -> index {
  %r = affirm.apply_indexing #affirm.map<"(d0, d1) -> (d1 * 2), domain: d0 in [0, 7], d1 in [0, 3]">(%i, %j)
  return %r : index
}

// -----

// CHECK-LABEL: func.func @predicates
// CHECK-SAME: (%[[T:.*]]: tensor<4xf32>, %[[X:.*]]: f32
// CHECK-NEXT: return %[[T]], %[[X]]
func.func @predicates(%t: tensor<4xf32>, %x: f32, %i: index) -> (tensor<4xf32>, f32) {
  %no = arith.constant false
  %u = affirm.predicated_insert %x into %t[%i] if %no : tensor<4xf32>
  %y = affirm.predicated_extract %t[%i] if %no else %x : tensor<4xf32>
  return %u, %y : tensor<4xf32>, f32
}
