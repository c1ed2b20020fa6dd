// RUN: affirm-opt %s -affirm-declare-index-width -split-input-file | FileCheck %s
// The width that a module declares, in each of its forms.

// "A module where index is 64 bits wide", in the older spelling of entries too.
// CHECK: dlti.dl_spec = #dlti.dl_spec<index = 64 : i32>
// CHECK: arith.index_cast %arg0 {affirm_index.exact} : i64 to index
module attributes { dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<index, 64 : i32>> } {
  func.func @sixty_four(%x: i64) -> index {
    %0 = arith.index_cast %x : i64 to index
    return %0 : index
  }
}

// -----

// "One can set the index's bitwidth arbitrarily high": every cast to index keeps the integer.
// CHECK: dlti.dl_spec = #dlti.dl_spec<index = 16777215 : i32>
// CHECK: arith.index_cast %arg0 {affirm_index.exact} : i64 to index
// CHECK: arith.index_cast %arg1 : index to i64
module attributes { dlti.dl_spec = #dlti.dl_spec<index = 16777215 : i32> } {
  func.func @infinite(%x: i64, %y: index) -> (index, i64) {
    %0 = arith.index_cast %x : i64 to index
    %1 = arith.index_cast %y : index to i64
    return %0, %1 : index, i64
  }
}

// -----

// One bit is a width; a lower bound alone leaves the width open above; a width between bounds decides.
// CHECK: #dlti.dl_spec<index = 1 : i32>
// CHECK: arith.index_cast %arg0 {affirm_index.exact} : i1 to index
// CHECK: arith.index_cast %arg1 : i8 to index
module attributes { dlti.dl_spec = #dlti.dl_spec<index = 1 : i32> } {
  func.func @one(%x: i1, %y: i8) -> (index, index) {
    %0 = arith.index_cast %x : i1 to index
    %1 = arith.index_cast %y : i8 to index
    return %0, %1 : index, index
  }
}

// -----

// CHECK: #dlti.dl_spec<"affirm_index.least" = 32 : i32>
// CHECK: arith.index_cast %arg0 {affirm_index.exact} : i32 to index
// CHECK: arith.index_cast %arg1 : index to i64
module attributes { dlti.dl_spec = #dlti.dl_spec<"affirm_index.least" = 32 : i32> } {
  func.func @at_least(%x: i32, %y: index) -> (index, i64) {
    %0 = arith.index_cast %x : i32 to index
    %1 = arith.index_cast %y : index to i64
    return %0, %1 : index, i64
  }
}

// -----

// CHECK: arith.index_cast %arg0 {affirm_index.exact} : i32 to index
// CHECK: arith.index_cast %arg1 {affirm_index.exact} : index to i32
module attributes { dlti.dl_spec = #dlti.dl_spec<"affirm_index.least" = 16 : i32, index = 32 : i32> } {
  func.func @between(%x: i32, %y: index) -> (index, i32) {
    %0 = arith.index_cast %x : i32 to index
    %1 = arith.index_cast %y : index to i32
    return %0, %1 : index, i32
  }
}
