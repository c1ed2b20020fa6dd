// RUN: affirm-opt %s -canonicalize -split-input-file | FileCheck %s
// canonicalize folds casts of index where they are exact, and nowhere else.

// "The canonicalization patterns are unsound": 0x8000 as an index goes through i8 to 0.
// CHECK-LABEL: func.func @through_i8
// CHECK: %[[X:.*]] = arith.constant 32768 : index
// CHECK: %[[NARROW:.*]] = arith.index_cast %[[X]] : index to i8
// CHECK: %[[BACK:.*]] = arith.index_cast %[[NARROW]] : i8 to index
// CHECK: return %[[BACK]]
func.func @through_i8() -> index {
  %0 = arith.constant 0x8000 : index
  %1 = arith.index_cast %0 : index to i8
  %2 = arith.index_cast %1 : i8 to index
  return %2 : index
}

// -----

// CHECK-LABEL: func.func @pairs
// CHECK-SAME: (%[[X:.*]]: index, %[[Y:.*]]: i32)
// CHECK-DAG: arith.index_cast %[[X]] : index to i8
// CHECK-DAG: arith.index_castui %[[X]] : index to i8
// CHECK-DAG: arith.index_cast %[[Y]] : i32 to index
// CHECK-DAG: arith.index_castui %[[Y]] : i32 to index
// CHECK: return
func.func @pairs(%x: index, %y: i32) -> (index, index, i32, i32) {
  %0 = arith.index_cast %x : index to i8
  %1 = arith.index_cast %0 : i8 to index
  %2 = arith.index_castui %x : index to i8
  %3 = arith.index_castui %2 : i8 to index
  %4 = arith.index_cast %y : i32 to index
  %5 = arith.index_cast %4 : index to i32
  %6 = arith.index_castui %y : i32 to index
  %7 = arith.index_castui %6 : index to i32
  return %1, %3, %5, %7 : index, index, i32, i32
}

// -----

// "The folding patterns assume that the size of the index is 64."
// CHECK-LABEL: func.func @constants
// CHECK-COUNT-2: arith.index_cast %
// CHECK-COUNT-2: arith.index_castui %
func.func @constants() -> (index, i32, index, i32) {
  %c = arith.constant 5 : i64
  %i = arith.constant 6 : index
  %0 = arith.index_cast %c : i64 to index
  %1 = arith.index_cast %i : index to i32
  %2 = arith.index_castui %c : i64 to index
  %3 = arith.index_castui %i : index to i32
  return %0, %1, %2, %3 : index, i32, index, i32
}

// -----

// With exact on the inner cast a pair is nothing, and what needs the constant behind a cast has it.
// CHECK-LABEL: func.func @exact
// CHECK-SAME: (%[[X:.*]]: i32)
// CHECK-NEXT: %[[SUM:.*]] = arith.constant 11 : index
// CHECK-NEXT: return %[[X]], %[[X]], %[[SUM]]
func.func @exact(%x: i32) -> (i32, i32, index) {
  %0 = arith.index_cast %x {affirm_index.exact} : i32 to index
  %1 = arith.index_cast %0 : index to i32
  %2 = arith.index_castui %x {affirm_index.exact} : i32 to index
  %3 = arith.index_castui %2 : index to i32
  %c = arith.constant 3 : i32
  %4 = arith.index_cast %c {affirm_index.exact} : i32 to index
  %5 = affirm.apply_indexing #affirm.map<"(d0) -> (d0 * 4 - 1), domain: d0 in [0, 7]">(%4)
  return %1, %3, %5 : i32, i32, index
}

// -----

// An extension in front of a cast of its kind is dropped, whatever the width of index is.
// CHECK-LABEL: func.func @extensions
// CHECK-SAME: (%[[X:.*]]: i8)
// CHECK: %[[ZEROS:.*]] = arith.extui
// CHECK: arith.index_cast %[[X]] : i8 to index
// CHECK: arith.index_castui %[[X]] : i8 to index
// CHECK: arith.index_cast %[[ZEROS]] : i32 to index
func.func @extensions(%x: i8) -> (index, index, index) {
  %signs = arith.extsi %x : i8 to i32
  %zeros = arith.extui %x : i8 to i32
  %0 = arith.index_cast %signs : i32 to index
  %1 = arith.index_castui %zeros : i32 to index
  %2 = arith.index_cast %zeros : i32 to index
  return %0, %1, %2 : index, index, index
}

// -----

// exact on the outer cast alone says nothing about the loss in the inner one.
// CHECK-LABEL: func.func @outer
// CHECK: arith.index_cast
// CHECK: arith.index_cast
func.func @outer(%x: index) -> index {
  %0 = arith.index_cast %x : index to i8
  %1 = arith.index_cast %0 {affirm_index.exact} : i8 to index
  return %1 : index
}
