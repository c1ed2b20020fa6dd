// RUN: affirm-opt %s -affirm-lower-loops -split-input-file | FileCheck %s
// affirm-lower-loops: affirm.loop becomes scf.for, with tests of constraints.

// A constraint without range variables is tested outside of the loop, one with them inside.
// CHECK-LABEL: func.func @levels
// CHECK: scf.if
// CHECK: scf.for %[[S:.*]] = %c0{{.*}} to %c4{{.*}} step %c1
// CHECK: affirm.apply_indexing #{{.*}}(%{{.*}})[%[[S]]]
// CHECK: arith.cmpi sle
// CHECK: scf.if
// CHECK: tensor.insert
func.func @levels(%out: tensor<100xf32>, %x: f32, %n: index) -> tensor<100xf32> {
  %th = gpu.thread_id x upper_bound 64
  %r = affirm.loop #affirm.map<"(d0)[s0] -> (d0 + s0 * 32), domain: d0 in [0, 31], s0 in [0, 3], d0 + s0 * 32 in [0, 99]">(%th)[%s] -> (%i) iter_args(%o = %out) -> (tensor<100xf32>) {
    %u = tensor.insert %x into %o[%i] : tensor<100xf32>
    affirm.yield %u : tensor<100xf32>
  }
  return %r : tensor<100xf32>
}

// -----

// Conditions that the launch and the loops' bounds imply are not tested.
// CHECK-LABEL: func.func @implied
// CHECK-NOT: scf.if
func.func @implied(%out: tensor<128xf32>, %x: f32) -> tensor<128xf32> {
  %th = gpu.thread_id x upper_bound 32
  %r = affirm.loop #affirm.map<"(d0)[s0] -> (d0 + s0 * 32), domain: d0 in [0, 31], s0 in [0, 3]">(%th)[%s] -> (%i) iter_args(%o = %out) -> (tensor<128xf32>) {
    %u = tensor.insert %x into %o[%i] : tensor<128xf32>
    affirm.yield %u : tensor<128xf32>
  }
  return %r : tensor<128xf32>
}
