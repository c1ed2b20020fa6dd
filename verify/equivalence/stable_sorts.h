// Rewrites a sort that breaks ties by position to a stable sort.
//
// XLA implements stable sorts on devices by an additional operand with positions, which the
// comparator uses for ties,
//
//   sort(x, iota), to_apply=(a, b, p, q) -> less(a, b) == less(b, a) ? p < q : less(a, b)
//
// This comparator is total, so the sorted order is unique: that of the stable sort by `less`. It
// requires that `less` is a strict weak order, which is checked, also for NaNs: floats must be
// compared in total order or as integers.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_STABLE_SORTS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_STABLE_SORTS_H_

#include <memory>

#include "core/hlo/module.h"

namespace affirm::equivalence {

// A copy in which each sort that breaks ties by position is the stable sort by the rest of its
// comparator, and stable sorts have no unused operands. Other called computations are those of the
// original, which must outlive the copy. Null if there is no such sort.
std::unique_ptr<hlo::Module> WithStableSorts(const hlo::Computation& computation);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_STABLE_SORTS_H_
