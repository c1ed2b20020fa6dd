// A sort that compares positions last is a stable sort.
//
// XLA has no stable sorts on devices: it compares where elements were where none comes before the
// other, in an operand that numbers them,
//
//   sort(x, iota), to_apply=(a, b, p, q) -> less(a, b) == less(b, a) ? p < q : less(a, b)
//
// which orders all elements, so that one order of them is right: that of the stable sort by `less`.
// For that `less` has to be a strict weak order, which is asked; of NaNs, too, so that floats are
// compared in total order or as integers.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_STABLE_SORTS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_STABLE_SORTS_H_

#include <memory>

#include "core/hlo/module.h"

namespace affirm::equivalence {

// A copy in which each sort that compares positions last is the stable sort by what it compares
// before, and no stable sort has an operand that neither its comparator nor a user of its results
// looks at. Other computations that it calls are those of the original, which must outlive it. Null
// where there is no such sort.
std::unique_ptr<hlo::Module> WithStableSorts(const hlo::Computation& computation);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_STABLE_SORTS_H_
