// The evaluation order of a reduction, for kernels that share the work among threads.
#ifndef AFFIRM_VERIFY_REFERENCE_EVALUATION_ORDER_H_
#define AFFIRM_VERIFY_REFERENCE_EVALUATION_ORDER_H_

#include <cstdint>

#include "core/hlo/module.h"
#include "llvm/ADT/DenseMap.h"

namespace affirm::hlo {

// The terms of one result element are taken in row-major order, and term k goes to slot
// (k / consecutive) modulo `slots`. Each slot is a left fold of its terms. Then the slots are
// combined as binary trees: first within each group of `group` consecutive slots (slot i with slot
// i + group / 2, then the result at i with the one at i + group / 4, and so on), then the groups in
// the same way. Last, the initial value is combined with the whole. A slot without terms is left
// out. `slots`, `group` and the number of groups are powers of two.
//
// With 4 slots in groups of 2, the terms t0 .. t5 give
// init + (((t0 + t4) + (t1 + t5)) + (t2 + t3)).
//
// The updates of a scatter are applied slot after slot, the last one first, and in each slot from
// the last position to the first: with 4 slots, t3, t2, t5, t1, t4, t0.
struct EvaluationOrder {
  int64_t slots = 1;
  int64_t group = 1;
  int64_t consecutive = 1;  // terms that a slot takes at once
  int64_t SlotOf(int64_t term) const { return term / consecutive % slots; }
  friend bool operator==(const EvaluationOrder&, const EvaluationOrder&) = default;
};

// The order of each reduction and scatter; a reduction that is not listed is a left fold from the
// initial value, and the updates of a scatter are applied in row-major order.
using EvaluationOrders = llvm::DenseMap<const Instruction*, EvaluationOrder>;

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_EVALUATION_ORDER_H_
