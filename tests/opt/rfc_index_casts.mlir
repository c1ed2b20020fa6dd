// RUN: affirm-opt %s -split-input-file -affirm-declare-index-width=width=16 -affirm-fold-exact-casts -canonicalize | FileCheck %s --check-prefix=SIXTEEN
// RUN: affirm-opt %s -split-input-file -affirm-fold-exact-casts -canonicalize | FileCheck %s --check-prefix=UNTOLD
// RUN: affirm-opt %s -split-input-file -affirm-declare-index-width="least=16 most=64" | FileCheck %s --check-prefix=BOUNDS
// The examples of the RFC on the role of IndexType in arith rewrites, under its titles.

// "Unsoundness of rewrites": 0x8000 of 16 bits goes through i8 to 0, so the pair has to stay. The
// cast that narrows is not exact, the one that widens is by its types.
// SIXTEEN-LABEL: func.func @unsoundness_of_rewrites
// SIXTEEN: %[[X:.*]] = arith.constant 32768 : index
// SIXTEEN: %[[NARROW:.*]] = arith.index_cast %[[X]] : index to i8
// SIXTEEN: %[[BACK:.*]] = arith.index_cast %[[NARROW]] {affirm_index.exact} : i8 to index
// SIXTEEN: return %[[BACK]]
// UNTOLD-LABEL: func.func @unsoundness_of_rewrites
// UNTOLD: arith.index_cast %{{.*}} : index to i8
// UNTOLD: arith.index_cast %{{.*}} : i8 to index
module {
  func.func @unsoundness_of_rewrites() -> index {
    %0 = arith.constant 0x8000 : index
    %1 = arith.index_cast %0 : index to i8
    %2 = arith.index_cast %1 : i8 to index
    return %2 : index
  }
}

// -----

// "Proposal for exact keyword": with exact on the inner cast the pairs and the constants fold, in any
// module; exact on the outer cast does not exclude a loss in the inner one.
// UNTOLD-LABEL: func.func @exact_keyword
// UNTOLD-SAME: (%[[X:.*]]: i32, %[[Y:.*]]: index)
// UNTOLD-DAG: %[[C5:.*]] = arith.constant 5 : index
// UNTOLD-DAG: %[[C7:.*]] = arith.constant 7 : index
// UNTOLD: %[[NARROW:.*]] = arith.index_cast %[[Y]] : index to i8
// UNTOLD: %[[BACK:.*]] = arith.index_cast %[[NARROW]] {affirm_index.assumed, affirm_index.exact} : i8 to index
// UNTOLD: return %[[X]], %[[X]], %[[C5]], %[[C7]], %[[BACK]]
module {
  func.func @exact_keyword(%x: i32, %y: index) -> (i32, i32, index, index, index) {
    %0 = arith.index_cast %x exact : i32 to index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.index_castui %x exact : i32 to index
    %3 = arith.index_castui %2 : index to i32
    %c5 = arith.constant 5 : i64
    %c7 = arith.constant 7 : i64
    %4 = arith.index_cast %c5 exact : i64 to index
    %5 = arith.index_castui %c7 exact : i64 to index
    %6 = arith.index_cast %y : index to i8
    %7 = arith.index_cast %6 exact : i8 to index
    return %1, %3, %4, %5, %7 : i32, i32, index, index, index
  }
}

// -----

// "How to set exact?": by the types where the target is no narrower, else by the values.
// SIXTEEN-LABEL: func.func @how_to_set_exact
// SIXTEEN: arith.index_cast %{{.*}} {affirm_index.exact} : i16 to index
// SIXTEEN: arith.index_castui %{{.*}} {affirm_index.exact} : i16 to index
// SIXTEEN: arith.index_cast %{{.*}} {affirm_index.exact} : index to i16
// SIXTEEN: arith.index_castui %{{.*}} {affirm_index.exact} : index to i32
// SIXTEEN: arith.index_cast %{{.*}} : i32 to index
// SIXTEEN: arith.index_cast %{{.*}} {affirm_index.exact} : i32 to index
//
// "A lower bound and an upper bound": to index where the source has at most 16 bits. From index the
// target needs 64, since 16 is what index has at least, not at most.
// BOUNDS-LABEL: func.func @how_to_set_exact
// BOUNDS: arith.index_cast %{{.*}} {affirm_index.exact} : i16 to index
// BOUNDS: arith.index_castui %{{.*}} {affirm_index.exact} : i16 to index
// BOUNDS: arith.index_cast %{{.*}} : index to i16
// BOUNDS: arith.index_castui %{{.*}} : index to i32
// BOUNDS: arith.index_cast %{{.*}} : i32 to index
// BOUNDS: arith.index_cast %{{.*}} {affirm_index.exact} : i32 to index
// BOUNDS: arith.index_cast %{{.*}} {affirm_index.exact} : index to i64
module {
  func.func @how_to_set_exact(%a: i16, %b: index, %c: i32) -> (index, index, i16, i32, index, index, i64) {
    %0 = arith.index_cast %a : i16 to index
    %1 = arith.index_castui %a : i16 to index
    %2 = arith.index_cast %b : index to i16
    %3 = arith.index_castui %b : index to i32
    %4 = arith.index_cast %c : i32 to index
    %c100 = arith.constant 100 : i32
    %c0 = arith.constant 0 : i32
    %low = arith.minsi %c, %c100 : i32
    %small = arith.maxsi %low, %c0 : i32
    %5 = arith.index_cast %small : i32 to index
    %6 = arith.index_cast %b : index to i64
    return %0, %1, %2, %3, %4, %5, %6 : index, index, i16, i32, index, index, i64
  }
}
