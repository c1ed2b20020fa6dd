// RUN: affirm-opt %s -affirm-declare-index-width=width=64 | FileCheck %s
// RUN: affirm-opt %s -affirm-declare-index-width="least=16 most=64" | FileCheck %s --check-prefix=BOUNDS
// Facts about values make the casts behind them exact.

// CHECK-LABEL: func.func @operations
// CHECK: arith.remui
// CHECK-NEXT: arith.index_cast %{{.*}} {affirm_index.exact} : index to i8
// CHECK: arith.remui
// CHECK-NEXT: arith.index_cast %{{.*}} {affirm_index.exact} : i64 to index
// CHECK-NEXT: arith.index_cast %{{.*}} {affirm_index.exact} : index to i8
// CHECK: arith.divui
// CHECK-NEXT: arith.index_cast %{{.*}} {affirm_index.exact} : i32 to index
// CHECK-NEXT: arith.index_cast %{{.*}} {affirm_index.exact} : index to i16
// CHECK: arith.andi
// CHECK-NEXT: arith.index_cast %{{.*}} {affirm_index.exact} : index to i8
// CHECK: arith.andi
// CHECK-NEXT: arith.index_cast %{{.*}} : index to i8
// CHECK-NEXT: arith.index_castui %{{.*}} {affirm_index.exact} : index to i8
// CHECK: arith.shrui
// CHECK-NEXT: arith.index_cast %{{.*}} {affirm_index.exact} : i64 to index
// CHECK-NEXT: arith.index_cast %{{.*}} {affirm_index.exact} : index to i8
// CHECK: arith.shrsi
// CHECK-NEXT: arith.index_cast %{{.*}} {affirm_index.exact} : index to i8
// CHECK: arith.remsi
// CHECK-NEXT: arith.index_cast %{{.*}} {affirm_index.exact} : i64 to index
// CHECK-NEXT: arith.index_cast %{{.*}} {affirm_index.exact} : index to i8
//
// How many bits an unsigned shift drops of an index depends on its width; a mask does not.
// BOUNDS-LABEL: func.func @operations
// BOUNDS: arith.remui
// BOUNDS-NEXT: arith.index_cast %{{.*}} {affirm_index.exact} : index to i8
// BOUNDS: arith.remui
// BOUNDS-NEXT: arith.index_cast %{{.*}} {affirm_index.exact} : i64 to index
func.func @operations(%n: index, %x: i64, %y: i32) {
  %c100 = arith.constant 100 : index
  %c200 = arith.constant 200 : index
  %c57 = arith.constant 57 : index
  %x100 = arith.constant 100 : i64
  %x58 = arith.constant 58 : i64
  %y17 = arith.constant 131072 : i32
  %0 = arith.remui %n, %c100 : index
  %1 = arith.index_cast %0 : index to i8
  %2 = arith.remui %x, %x100 : i64
  %3 = arith.index_cast %2 : i64 to index
  %4 = arith.index_cast %3 : index to i8
  %5 = arith.divui %y, %y17 : i32
  %6 = arith.index_cast %5 : i32 to index
  %7 = arith.index_cast %6 : index to i16
  %8 = arith.andi %n, %c100 : index
  %9 = arith.index_cast %8 : index to i8
  %10 = arith.andi %c200, %n : index
  %11 = arith.index_cast %10 : index to i8
  %12 = arith.index_castui %10 : index to i8
  %13 = arith.shrui %x, %x58 : i64
  %14 = arith.index_cast %13 : i64 to index
  %15 = arith.index_cast %14 : index to i8
  %16 = arith.shrsi %n, %c57 : index
  %17 = arith.index_cast %16 : index to i8
  %18 = arith.remsi %x, %x100 : i64
  %19 = arith.index_cast %18 : i64 to index
  %20 = arith.index_cast %19 : index to i8
  return
}

// CHECK-LABEL: func.func @loops
// CHECK-COUNT-3: arith.index_cast %{{.*}} {affirm_index.exact} : index to i8
// BOUNDS-LABEL: func.func @loops
// BOUNDS-COUNT-3: arith.index_cast %{{.*}} {affirm_index.exact} : index to i8
func.func @loops(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  scf.for %i = %c0 to %c100 step %c1 {
    %0 = arith.index_cast %i : index to i8
  }
  %m = arith.minsi %n, %c100 : index
  scf.for %i = %c0 to %m step %c1 {
    %0 = arith.index_cast %i : index to i8
  }
  scf.for unsigned %i = %c0 to %c100 step %c1 {
    %0 = arith.index_cast %i : index to i8
  }
  return
}

// CHECK-LABEL: func.func @branches
// CHECK-COUNT-5: arith.index_cast %{{.*}} {affirm_index.exact} : index to i8
// CHECK: arith.index_cast %{{.*}} : index to i8
// BOUNDS-LABEL: func.func @branches
// BOUNDS-COUNT-5: arith.index_cast %{{.*}} {affirm_index.exact} : index to i8
// BOUNDS: arith.index_cast %{{.*}} : index to i8
func.func @branches(%n: index) {
  %c100 = arith.constant 100 : index
  %c0 = arith.constant 0 : index
  %ult = arith.cmpi ult, %n, %c100 : index
  scf.if %ult {
    %0 = arith.index_cast %n : index to i8
  }
  %uge = arith.cmpi uge, %n, %c100 : index
  scf.if %uge {
  } else {
    %0 = arith.index_cast %n : index to i8
  }
  %ugt = arith.cmpi ugt, %c100, %n : index
  scf.if %ugt {
    %0 = arith.index_cast %n : index to i8
  }
  %slt = arith.cmpi slt, %n, %c100 : index
  %sge = arith.cmpi sge, %n, %c0 : index
  %both = arith.andi %slt, %sge : i1
  scf.if %both {
    %0 = arith.index_cast %n : index to i8
  }
  scf.if %slt {
    scf.if %sge {
      %0 = arith.index_cast %n : index to i8
    }
    // Nothing is known of a negative number.
    %1 = arith.index_cast %n : index to i8
  }
  return
}
