// RUN: affirm-opt %s -affirm-unroll-registers -split-input-file | FileCheck %s
// affirm-unroll-registers: a loop whose iterations take different elements of a vector is unrolled.

// CHECK-LABEL: func.func @numbered
// CHECK-NOT: scf.for
// CHECK-COUNT-4: llvm.extractelement
// CHECK-NOT: llvm.extractelement
func.func @numbered(%v: vector<4xf32>, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> (f32) {
    %k = arith.index_cast %i : index to i64
    %e = llvm.extractelement %v[%k : i64] : vector<4xf32>
    %s = arith.addf %a, %e : f32
    scf.yield %s : f32
  }
  return %r : f32
}

// -----

// Both loops of a nest number the elements.
// CHECK-LABEL: func.func @nested
// CHECK-NOT: scf.for
// CHECK-COUNT-6: llvm.insertelement
// CHECK-NOT: llvm.insertelement
func.func @nested(%v: vector<6xf32>, %x: f32) -> vector<6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %v) -> (vector<6xf32>) {
    %q = scf.for %j = %c0 to %c3 step %c1 iter_args(%b = %a) -> (vector<6xf32>) {
      %three = arith.muli %i, %c3 : index
      %n = arith.addi %three, %j : index
      %k = arith.index_cast %n : index to i64
      %s = llvm.insertelement %x, %b[%k : i64] : vector<6xf32>
      scf.yield %s : vector<6xf32>
    }
    scf.yield %q : vector<6xf32>
  }
  return %r : vector<6xf32>
}

// -----

// The same element in each iteration is in a register as it is.
// CHECK-LABEL: func.func @same
// CHECK: scf.for
func.func @same(%v: vector<4xf32>, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %k = arith.constant 2 : i64
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> (f32) {
    %e = llvm.extractelement %v[%k : i64] : vector<4xf32>
    %s = arith.addf %a, %e : f32
    scf.yield %s : f32
  }
  return %r : f32
}
