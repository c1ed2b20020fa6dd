// RUN: affirm-opt %s -verify-diagnostics -split-input-file -o /dev/null
// Operations that the verifiers of the dialect refuse.

func.func @operands(%i: index) -> index {
  // expected-error@+1 {{has 1 dims, 0 range and 0 runtime variables, its map 2, 0 and 0}}
  %r = affirm.apply_indexing #affirm.map<"(d0, d1) -> (d0 + d1), domain: d0 in [0, 3], d1 in [0, 3]">(%i)
  return %r : index
}

// -----

func.func @empty(%i: index) {
  // expected-error@+1 {{has a map without a domain}}
  affirm.apply_indexing #affirm.map<"KNOWN EMPTY">()
  return
}

// -----

// expected-error@+1 {{expected}}
#map = #affirm.map<"(d0) -> (d0 +), domain: d0 in [0, 3]">

// -----

func.func @types(%i: index, %x: f32) {
  // expected-error@+1 {{carries values whose types change}}
  %r = affirm.loop #affirm.map<"(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 1]">(%i)[%s] -> (%k) iter_args(%a = %x) -> (f32) {
    affirm.yield %k : index
  }
  return
}

// -----

func.func @callee(%x: f32) {
  // expected-error@+1 {{calls @nobody, which is no function}}
  %r = affirm.pure_call @nobody(%x) : (f32) -> f32
  return
}

// -----

func.func private @one(%a: f32) -> f32
func.func @combiner(%x: f32) {
  // expected-error@+1 {{calls @one, which has another type}}
  %r = affirm.shuffle_reduce @one(%x) distances(16 to 1) : f32
  return
}

// -----

func.func private @two(%a: f32, %b: f32) -> f32
func.func @distances(%x: f32) {
  // expected-error@+1 {{needs distances that are powers of two, at most 16 and falling}}
  %r = affirm.shuffle_reduce @two(%x) distances(12 to 1) : f32
  return
}

// -----

func.func @rank(%t: tensor<4x4xf32>, %x: f32, %i: index, %p: i1) {
  // expected-error@+1 {{has 1 indices for a tensor of rank 2}}
  %r = affirm.predicated_insert %x into %t[%i] if %p : tensor<4x4xf32>
  return
}

// -----

func.func @region(%t: tensor<4xf32>, %i: index, %x: f64) {
  // expected-error@+1 {{needs a region from an element to an element}}
  %r = affirm.atomic_rmw %t[%i] : tensor<4xf32> {
  ^bb0(%old: f32):
    affirm.yield %x : f64
  }
  return
}

// -----

func.func @nothing() {
  // expected-error@+1 {{allocates no element}}
  %t = affirm.allocate_shared : tensor<0x4xf32>
  return
}
