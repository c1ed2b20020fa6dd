// RUN: affirm-opt %s -affirm-peel-loops -split-input-file | FileCheck %s
// affirm-peel-loops: the last iteration stands apart where the others then need no test.

// 100 = 3 * 32 + 4: only the last of four iterations needs a test.
// CHECK-DAG: #[[MAIN:.*]] = #affirm.map<"(d0)[s0] -> (s0 * 32 + d0), domain: d0 in [0, 31], s0 in [0, 2]">
// CHECK-DAG: #[[TAIL:.*]] = #affirm.map<"(d0)[s0] -> (d0 + 96), domain: d0 in [0, 3], s0 in [3, 3]">
// CHECK-LABEL: func.func @last
// CHECK: %[[R:.*]] = affirm.loop #[[MAIN]]
// CHECK: affirm.loop #[[TAIL]]{{.*}} iter_args(%{{.*}} = %[[R]])
func.func @last(%out: tensor<100xf32>, %x: f32, %th: index) -> tensor<100xf32> {
  %r = affirm.loop #affirm.map<"(d0)[s0] -> (d0 + s0 * 32), domain: d0 in [0, 31], s0 in [0, 3], d0 + s0 * 32 in [0, 99]">(%th)[%s] -> (%i) iter_args(%o = %out) -> (tensor<100xf32>) {
    %u = tensor.insert %x into %o[%i] : tensor<100xf32>
    affirm.yield %u : tensor<100xf32>
  }
  return %r : tensor<100xf32>
}

// -----

// The last two need one.
// CHECK-LABEL: func.func @two
// CHECK-COUNT-1: affirm.loop
// CHECK-NOT: affirm.loop
func.func @two(%out: tensor<60xf32>, %x: f32, %th: index) -> tensor<60xf32> {
  %r = affirm.loop #affirm.map<"(d0)[s0] -> (d0 + s0 * 32), domain: d0 in [0, 31], s0 in [0, 2], d0 + s0 * 32 in [0, 59]">(%th)[%s] -> (%i) iter_args(%o = %out) -> (tensor<60xf32>) {
    %u = tensor.insert %x into %o[%i] : tensor<60xf32>
    affirm.yield %u : tensor<60xf32>
  }
  return %r : tensor<60xf32>
}
