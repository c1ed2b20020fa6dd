// RUN: affirm-opt %s -affirm-declare-index-width="least=16 most=64" | FileCheck %s --check-prefixes=CHECK,BOUNDS
// RUN: affirm-opt %s -affirm-declare-index-width="least=16" | FileCheck %s --check-prefixes=CHECK,LEAST
// RUN: affirm-opt %s -affirm-declare-index-width="width=16 update-dlti=false" | FileCheck %s --check-prefixes=CHECK,ALONE
// RUN: affirm-opt %s -affirm-declare-index-width="width=16777215" | FileCheck %s --check-prefix=INFINITE
// RUN: affirm-opt %s -affirm-declare-index-width="width=32 least=16 most=64" | FileCheck %s --check-prefix=WIDTH
// RUN: not affirm-opt %s -affirm-declare-index-width="width=0" 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not affirm-opt %s -affirm-declare-index-width="width=32 least=33" 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not affirm-opt %s -affirm-declare-index-width="least=64 most=32" 2>&1 | FileCheck %s --check-prefix=BOUNDS-ORDER
// RUN: not affirm-opt %s -affirm-declare-index-width="most=16777216" 2>&1 | FileCheck %s --check-prefix=MOST
// The options of affirm-declare-index-width are judged as the entries of a data layout are.

// BOUNDS: #dlti.dl_spec<"affirm_index.least" = 16 : i32, "affirm_index.most" = 64 : i32>
// LEAST: #dlti.dl_spec<"affirm_index.least" = 16 : i32>
// ALONE-NOT: dlti
// INFINITE: #dlti.dl_spec<index = 16777215 : i32>
// WIDTH: #dlti.dl_spec<index = 32 : i32>
// ZERO: error: the options: width 0 is no width of index, expected 1 to 16777215 bits
// ORDER: error: the options: width 32 is less than least 33
// BOUNDS-ORDER: error: the options: most 32 is less than least 64
// MOST: error: the options: most 16777216 is no width of index, expected 1 to 16777215 bits
module {
  // By the types alone, at each width of 16 bits and more. The value of the i32 is not known.
  // CHECK: arith.index_cast %arg0 {affirm_index.exact} : i16 to index
  // CHECK: arith.index_cast %arg1 : i32 to index
  func.func @f(%x: i16, %y: i32) -> (index, index) {
    %0 = arith.index_cast %x : i16 to index
    %1 = arith.index_cast %y : i32 to index
    return %0, %1 : index, index
  }
}
