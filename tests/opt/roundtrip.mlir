// RUN: affirm-opt %s -verify-roundtrip | FileCheck %s
// Every op and the attribute are printed as they are read.

// CHECK: #[[MAP:.*]] = #affirm.map<"(th_x, bl_x)[s0]{rt0} -> (bl_x * 4 + s0, th_x + rt0), domain: th_x in [0, 31], bl_x in [0, 7], s0 in [0, 3], rt0 in [0, 2], th_x + rt0 in [0, 31]">
#map = #affirm.map<"(th_x, bl_x)[s0]{rt0} -> (bl_x * 4 + s0, th_x + rt0), domain: th_x in [0, 31], bl_x in [0, 7], s0 in [0, 3], rt0 in [0, 2], th_x + rt0 in [0, 31]">

func.func private @add(%a: f32, %b: f32) -> f32 {
  %r = arith.addf %a, %b : f32
  return %r : f32
}

// CHECK-LABEL: func.func @all
func.func @all(%in: tensor<32x32xf32>, %out: tensor<32x32xf32>, %th: index, %bl: index, %rt: index, %p: i1) -> tensor<32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %s = arith.constant 1 : index
  // CHECK: %[[AT:.*]]:2 = affirm.apply_indexing #[[MAP]](%{{.*}}, %{{.*}})[%{{.*}}]{%{{.*}}}
  %at:2 = affirm.apply_indexing #map(%th, %bl)[%s]{%rt}
  // CHECK: affirm.allocate_shared : tensor<8x33xf32>
  %tile = affirm.allocate_shared : tensor<8x33xf32>
  // CHECK: affirm.predicated_extract %{{.*}}[%[[AT]]#0, %[[AT]]#1] if %{{.*}} else %{{.*}} : tensor<32x32xf32>
  %x = affirm.predicated_extract %in[%at#0, %at#1] if %p else %zero : tensor<32x32xf32>
  // CHECK: affirm.predicated_insert %{{.*}} into %{{.*}}[%{{.*}}, %{{.*}}] if %{{.*}} : tensor<8x33xf32>
  %tile2 = affirm.predicated_insert %x into %tile[%s, %at#1] if %p : tensor<8x33xf32>
  // CHECK: affirm.sync_threads(%{{.*}}) : tensor<8x33xf32>
  %tile3 = affirm.sync_threads(%tile2) : tensor<8x33xf32>
  // CHECK: affirm.sync_threads
  affirm.sync_threads
  // CHECK: affirm.shuffle_reduce @add(%{{.*}}) distances(16 to 1) : f32
  %r = affirm.shuffle_reduce @add(%x) distances(16 to 1) : f32
  // CHECK: affirm.shuffle_reduce @add(%{{.*}}) distances(4 to 1) everywhere : f32
  %all = affirm.shuffle_reduce @add(%x) distances(4 to 1) everywhere : f32
  // CHECK: affirm.pure_call @add(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
  %y = affirm.pure_call @add(%r, %x) : (f32, f32) -> f32
  // CHECK: affirm.loop #[[MAP]](%{{.*}}, %{{.*}})[%[[S:.*]]]{%{{.*}}} -> (%[[I:.*]], %[[J:.*]]) iter_args(%[[O:.*]] = %{{.*}}) -> (tensor<32x32xf32>) {
  %filled = affirm.loop #map(%th, %bl)[%s0]{%rt} -> (%i, %j) iter_args(%o = %out) -> (tensor<32x32xf32>) {
    // CHECK: tensor.insert %{{.*}} into %[[O]][%[[I]], %[[J]]]
    %n = tensor.insert %y into %o[%i, %j] : tensor<32x32xf32>
    // CHECK: affirm.yield %{{.*}} : tensor<32x32xf32>
    affirm.yield %n : tensor<32x32xf32>
  }
  // CHECK: affirm.atomic_rmw %{{.*}}[%{{.*}}, %{{.*}}] : tensor<32x32xf32> {
  %updated = affirm.atomic_rmw %filled[%s, %s] : tensor<32x32xf32> {
  ^bb0(%old: f32):
    %new = arith.addf %old, %x : f32
    affirm.yield %new : f32
  }
  // CHECK: affirm.loop #{{.*}}(%{{.*}})[%{{.*}}] -> (%{{.*}}) {
  affirm.loop #affirm.map<"(d0)[s0] -> (d0 + s0), domain: d0 in [0, 7], s0 in [0, 1]">(%th)[%s1] -> (%k) {
    affirm.sync_threads
  }
  return %updated : tensor<32x32xf32>
}
