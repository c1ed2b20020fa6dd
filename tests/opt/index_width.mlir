// RUN: affirm-opt %s -affirm-declare-index-width -affirm-verify-index-proofs \
// RUN:   -affirm-fold-exact-casts | FileCheck %s
// affirm-declare-index-width where 32 bits suffice.

// Facts that are proved at 32 bits are written on the operations.
// CHECK: dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>
module {
  // CHECK-LABEL: func.func @f
  func.func @f(%in: i64) -> (index, index, i64) {
    %c4 = arith.constant 4 : index
    %c100 = arith.constant 100 : i64
    %c0 = arith.constant 0 : i64
    %x = gpu.thread_id x upper_bound 128
    // CHECK: arith.muli %{{.*}} overflow<nsw, nuw>
    %a = arith.muli %x, %c4 : index
    // CHECK: arith.subi %{{.*}} overflow<nsw> :
    %b = arith.subi %c4, %a : index
    // CHECK: arith.divui
    %d = arith.divsi %a, %c4 : index
    // CHECK: arith.remsi
    %r = arith.remsi %b, %c4 : index
    // A number that is clamped fits; casting it there and back is nothing.
    // CHECK: %[[LOW:.*]] = arith.minsi
    // CHECK: %[[CLAMPED:.*]] = arith.maxsi %[[LOW]]
    // CHECK: arith.index_cast %[[CLAMPED]] {affirm_index.exact} : i64 to index
    %low = arith.minsi %in, %c100 : i64
    %clamped = arith.maxsi %low, %c0 : i64
    %there = arith.index_cast %clamped : i64 to index
    %back = arith.index_cast %there : index to i64
    %sum = arith.addi %there, %d : index
    // CHECK: return %{{.*}}, %{{.*}}, %[[CLAMPED]]
    return %sum, %r, %back : index, index, i64
  }
}
