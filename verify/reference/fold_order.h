// The order in which a reduction takes its terms, for kernels that share the work among threads.
#ifndef AFFIRM_VERIFY_REFERENCE_FOLD_ORDER_H_
#define AFFIRM_VERIFY_REFERENCE_FOLD_ORDER_H_

#include <cstdint>

#include "core/hlo/module.h"
#include "llvm/ADT/DenseMap.h"

namespace affirm::hlo {

// Of the terms of one result element in row-major order, term k goes to slot k modulo `slots`. A
// slot folds its terms from the first on. Then the slots are combined by halves, at first within
// each group of `group` neighbours: slot i with slot i + group / 2, the results with those
// group / 4 further on, and so on; then the groups in the same way. At last the initial value is
// combined with the whole. A slot without terms is left out. Both numbers, and how many groups
// there are, are powers of two.
struct FoldOrder {
  int64_t slots = 1;
  int64_t group = 1;
  friend bool operator==(const FoldOrder&, const FoldOrder&) = default;
};

// By reduction; others are left folds from the initial value.
using FoldOrders = llvm::DenseMap<const Instruction*, FoldOrder>;

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_FOLD_ORDER_H_
