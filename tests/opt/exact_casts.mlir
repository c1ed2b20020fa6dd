// RUN: affirm-opt %s -affirm-declare-index-width -affirm-verify-index-proofs -verify-diagnostics -split-input-file | FileCheck %s
// exact as an assumption and as a proof.

module attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>} {
  // Proved with and without an assumption of a user; kept and marked where it is not proved, in
  // each spelling. Comments stay: arith.index_cast %x exact : i8 to index
  // CHECK-LABEL: func.func @scalars
  // CHECK: arith.index_cast %arg0 {affirm_index.exact} : i32 to index
  // CHECK: arith.index_cast %arg0 {affirm_index.exact} : i32 to index
  // CHECK: arith.index_cast %arg1 {affirm_index.assumed, affirm_index.exact} : i64 to index
  // CHECK: arith.index_castui %arg1 {affirm_index.assumed, affirm_index.exact, test.note = "arith.index_cast %x exact"} : i64 to index
  // CHECK: arith.index_cast %arg1 {affirm_index.assumed, affirm_index.exact} : i64 to index
  // CHECK: arith.index_cast %arg1 : i64 to index
  func.func @scalars(%x: i32, %y: i64) -> (index, index, index, index, index, index) {
    %0 = arith.index_cast %x : i32 to index
    %1 = arith.index_cast %x exact : i32 to index
    // expected-remark@+1 {{exact is assumed here, not proved}}
    %2 = arith.index_cast %y exact : i64 to index
    // expected-remark@+1 {{exact is assumed here, not proved}}
    %3 = arith.index_castui %y exact {test.note = "arith.index_cast %x exact"} : i64 to index
    // expected-remark@+1 {{exact is assumed here, not proved}}
    %4 = arith.index_cast %y {exact} : i64 to index
    %5 = arith.index_cast %y : i64 to index
    return %0, %1, %2, %3, %4, %5 : index, index, index, index, index, index
  }

  // Nothing is proved from an assumption: the value behind it may be any.
  // CHECK-LABEL: func.func @assumption
  // CHECK: arith.index_cast %{{.*}} : index to i16
  func.func @assumption(%x: index) -> (i8, i16) {
    // expected-remark@+1 {{exact is assumed here, not proved}}
    %0 = arith.index_cast %x exact : index to i8
    %1 = arith.index_cast %x : index to i16
    return %0, %1 : i8, i16
  }

  // Vectors, by their types and by the elements of constants.
  // CHECK-LABEL: func.func @vectors
  // CHECK: arith.index_cast %arg0 {affirm_index.exact} : vector<4xi8> to vector<4xindex>
  // CHECK: arith.index_castui %arg1 {affirm_index.exact} : vector<4xindex> to vector<4xi32>
  // CHECK: arith.index_cast %arg1 : vector<4xindex> to vector<4xi8>
  // CHECK: arith.index_cast %{{.*}} {affirm_index.exact} : vector<2xi64> to vector<2xindex>
  // CHECK: arith.index_cast %{{.*}} {affirm_index.assumed, affirm_index.exact} : vector<2xi64> to vector<2xindex>
  func.func @vectors(%x: vector<4xi8>, %y: vector<4xindex>) {
    %small = arith.constant dense<[-7, 2147483647]> : vector<2xi64>
    %large = arith.constant dense<[-7, 2147483648]> : vector<2xi64>
    %0 = arith.index_cast %x : vector<4xi8> to vector<4xindex>
    %1 = arith.index_castui %y : vector<4xindex> to vector<4xi32>
    %2 = arith.index_cast %y : vector<4xindex> to vector<4xi8>
    %3 = arith.index_cast %small : vector<2xi64> to vector<2xindex>
    // expected-remark@+1 {{exact is assumed here, not proved}}
    %4 = arith.index_cast %large exact : vector<2xi64> to vector<2xindex>
    return
  }
}
