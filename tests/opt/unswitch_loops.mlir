// RUN: affirm-opt %s -affirm-unswitch-loops -split-input-file | FileCheck %s
// affirm-unswitch-loops: a branch that does not depend on the loop goes around it.

// CHECK-LABEL: func.func @invariant
// CHECK: scf.if %arg1
// CHECK: scf.for
// CHECK: arith.addf
// CHECK: else
// CHECK: scf.for
// CHECK: arith.mulf
func.func @invariant(%x: f32, %p: i1, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (f32) {
    %s = scf.if %p -> f32 {
      %t = arith.addf %a, %x : f32
      scf.yield %t : f32
    } else {
      %t = arith.mulf %a, %x : f32
      scf.yield %t : f32
    }
    scf.yield %s : f32
  }
  return %r : f32
}

// -----

// CHECK-LABEL: func.func @changes
// CHECK: scf.for
// CHECK: scf.if
func.func @changes(%x: f32, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (f32) {
    %p = arith.cmpi eq, %i, %c1 : index
    %s = scf.if %p -> f32 {
      %t = arith.addf %a, %x : f32
      scf.yield %t : f32
    } else {
      scf.yield %a : f32
    }
    scf.yield %s : f32
  }
  return %r : f32
}
