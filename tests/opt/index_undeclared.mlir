// RUN: affirm-opt %s -affirm-declare-index-width=update-dlti=false | FileCheck %s
// RUN: affirm-opt %s -canonicalize -affirm-fold-exact-casts | FileCheck %s
// RUN: not affirm-opt %s -affirm-declare-index-width=width=64 -affirm-declare-index-width=width=32 2>&1 | FileCheck %s --check-prefix=TWICE
// A module without a declaration is not one of 64 bits: casts are not proved, and nothing folds.

// TWICE: error: the data layout declares another width of index
// CHECK-NOT: dlti
// CHECK-LABEL: func.func @f
// CHECK: arith.index_cast %arg0 : i64 to index
// CHECK: arith.index_cast %{{.*}} : index to i64
func.func @f(%x: i64) -> i64 {
  %0 = arith.index_cast %x : i64 to index
  %1 = arith.index_cast %0 : index to i64
  return %1 : i64
}
