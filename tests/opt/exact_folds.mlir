// RUN: affirm-opt %s -affirm-fold-exact-casts | FileCheck %s
// Folds of exact casts of vectors, and of constants that do not fit.

// CHECK-LABEL: func.func @vectors
// CHECK-SAME: (%[[X:.*]]: vector<4xi8>)
// CHECK-DAG: %[[DENSE:.*]] = arith.constant dense<[-1, 3]> : vector<2xindex>
// CHECK-DAG: %[[SPLAT:.*]] = arith.constant dense<9> : vector<2xindex>
// CHECK: return %[[X]], %[[DENSE]], %[[SPLAT]]
func.func @vectors(%x: vector<4xi8>) -> (vector<4xi8>, vector<2xindex>, vector<2xindex>) {
  %0 = arith.index_cast %x exact : vector<4xi8> to vector<4xindex>
  %1 = arith.index_cast %0 : vector<4xindex> to vector<4xi8>
  %c = arith.constant dense<[-1, 3]> : vector<2xi8>
  %2 = arith.index_cast %c exact : vector<2xi8> to vector<2xindex>
  %s = arith.constant dense<9> : vector<2xi8>
  %3 = arith.index_cast %s exact : vector<2xi8> to vector<2xindex>
  return %1, %2, %3 : vector<4xi8>, vector<2xindex>, vector<2xindex>
}

// An assumption of a user about a constant may be wrong: then the result is poison, and it stays.
// CHECK-LABEL: func.func @poison
// CHECK: arith.index_cast %{{.*}} {affirm_index.assumed, affirm_index.exact} : index to i8
func.func @poison() -> i8 {
  %c = arith.constant 0x8000 : index
  %0 = arith.index_cast %c exact : index to i8
  return %0 : i8
}
