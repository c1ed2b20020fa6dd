// RUN: affirm-opt %s -affirm-verify-index-proofs -verify-diagnostics -o /dev/null
// A cast that is exact only at 64 bits is not proved if no width is declared.

func.func @f(%x: i64) -> index {
  // expected-error @below {{exact is not proved}}
  %0 = arith.index_cast %x {affirm_index.exact} : i64 to index
  return %0 : index
}
