// RUN: affirm-opt %s -verify-diagnostics -split-input-file -o /dev/null
// Misspelt and misplaced flags are refused, not ignored.

func.func @misspelt(%x: i8) -> index {
  // expected-error@+1 {{an unknown attribute: "exakt", expected exact or one of a dialect}}
  %0 = arith.index_cast %x {exakt} : i8 to index
  return %0 : index
}

// -----

func.func @value(%x: i8) -> index {
  // expected-error@+1 {{an unknown attribute: "exact", expected exact or one of a dialect}}
  %0 = arith.index_castui %x {exact = 1 : i32} : i8 to index
  return %0 : index
}

// -----

func.func @misspelt_in_dialect(%x: i8) -> index {
  // expected-error@+1 {{an unknown attribute: "affirm_index.exakt"}}
  %0 = arith.index_cast %x {affirm_index.exakt} : i8 to index
  return %0 : index
}

// -----

func.func @assumed_alone(%x: i8) -> index {
  // expected-error@+1 {{affirm_index.assumed says nothing without affirm_index.exact}}
  %0 = arith.index_cast %x {affirm_index.assumed} : i8 to index
  return %0 : index
}

// -----

func.func @flag(%x: i8) -> index {
  // expected-error@+1 {{expected ':'}}
  %0 = arith.index_cast %x exakt : i8 to index
  return %0 : index
}
