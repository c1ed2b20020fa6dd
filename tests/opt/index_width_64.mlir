// RUN: affirm-opt %s -affirm-declare-index-width -affirm-verify-index-proofs -split-input-file \
// RUN:   | FileCheck %s
// affirm-declare-index-width where 32 bits do not suffice.

// One index does not fit in 32 bits.
// CHECK: dlti.dl_spec = #dlti.dl_spec<index = 64 : i32>
// CHECK: arith.muli %{{.*}} overflow<nsw, nuw>
func.func @large() -> index {
  %c = arith.constant 65536 : index
  %x = gpu.block_id x upper_bound 65536
  %r = arith.muli %x, %c : index
  return %r : index
}

// -----

// A value from outside may be any i64.
// CHECK: dlti.dl_spec = #dlti.dl_spec<index = 64 : i32>
// CHECK: arith.index_cast %arg0 {affirm_index.exact} : i64 to index
func.func @unknown(%in: i64) -> index {
  %r = arith.index_cast %in : i64 to index
  return %r : index
}

// -----

// CHECK: dlti.dl_spec = #dlti.dl_spec<index = 64 : i32>
func.func @vectors(%in: vector<2xindex>) -> vector<2xindex> {
  %r = arith.addi %in, %in : vector<2xindex>
  return %r : vector<2xindex>
}
