// RUN: affirm-opt %s -affirm-lower-tensors -split-input-file | FileCheck %s
// affirm-lower-tensors: tensor arguments become pointers, and accesses become loads and stores.

// CHECK: llvm.mlir.global internal @shared_memory_1() {{.*}} : !llvm.array<64 x f32>
// CHECK-LABEL: func.func @shared
// CHECK-SAME: (%{{.*}}: !llvm.ptr, %{{.*}}: index, %{{.*}}: !llvm.ptr)
// CHECK: llvm.load
// CHECK: llvm.store
// CHECK: gpu.barrier
// CHECK: llvm.load
// CHECK: llvm.store
// CHECK-NOT: tensor<
func.func @shared(%in: tensor<64xf32>, %i: index, %out: tensor<64xf32>) -> tensor<64xf32> {
  %tile = affirm.allocate_shared : tensor<64xf32>
  %x = tensor.extract %in[%i] : tensor<64xf32>
  %tile2 = tensor.insert %x into %tile[%i] : tensor<64xf32>
  %tile3 = affirm.sync_threads(%tile2) : tensor<64xf32>
  %y = tensor.extract %tile3[%i] : tensor<64xf32>
  %r = tensor.insert %y into %out[%i] : tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

func.func private @add(%a: f32, %b: f32) -> f32 {
  %r = arith.addf %a, %b : f32
  return %r : f32
}

// An update of the hardware, and one that is none.
// CHECK-LABEL: func.func @atomic
// CHECK: llvm.atomicrmw fadd
// CHECK: llvm.cmpxchg
func.func @atomic(%x: f32, %i: index, %out: tensor<64xf32> {affirm.alias = 0 : i64}) -> tensor<64xf32> {
  %a = affirm.atomic_rmw %out[%i] : tensor<64xf32> {
  ^bb0(%old: f32):
    %new = func.call @add(%old, %x) : (f32, f32) -> f32
    affirm.yield %new : f32
  }
  %b = affirm.atomic_rmw %a[%i] : tensor<64xf32> {
  ^bb0(%old: f32):
    %new = arith.divf %old, %x : f32
    affirm.yield %new : f32
  }
  return %b : tensor<64xf32>
}
