// RUN: affirm-opt %s -affirm-declare-index-width="width=32 require-proof" -verify-diagnostics -split-input-file -o /dev/null
// affirm-declare-index-width with a width that was asked for and is not proved.

func.func @large() -> index {
  %c = arith.constant 65536 : index
  %x = gpu.block_id x upper_bound 65536
  // expected-error @below {{muli: 4294901760 at bl_x = 65535, does not fit in 32 bits}}
  %r = arith.muli %x, %c : index
  return %r : index
}

// -----

func.func @unknown(%in: i64) -> index {
  // expected-error @below {{index_cast: 2147483648 at arg0 = 2147483648, does not fit in 32 bits}}
  %r = arith.index_cast %in : i64 to index
  return %r : index
}

// -----

// If an operation and a constant do not fit, the error names the operation.
func.func @constant() -> i1 {
  %c = arith.constant 2147483649 : index
  %x = gpu.block_id x upper_bound 65536
  // expected-error @below {{muli: 4294836225 at bl_x = 65535, does not fit in 32 bits}}
  %square = arith.muli %x, %x : index
  %r = arith.cmpi slt, %square, %c : index
  return %r : i1
}
