// Recognizes sorts that a computation performs in several steps, and replaces them by one sort.
//
//   tiles = sort(tiles of x), y = select(less(upper, lower), other, mine), ..., sort(tiles of y)
//
// becomes sort(x). The recognition is by proof and not by pattern: the input of each sorting step
// is proved equal to the layers of a merge (merge_layers.h), applied to the previous step's output.
// A comparator that breaks ties by position,
//
//   less'(a, b, p, q) = p < q ? !less(b, a) : less(a, b)     with positions that are an iota
//
// gives a stable sort by `less`.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_SORT_LAUNCHES_H_
#define AFFIRM_VERIFY_EQUIVALENCE_SORT_LAUNCHES_H_

#include <memory>

#include "core/hlo/module.h"

namespace affirm::equivalence {

// The entry is the computation with fusions and calls inlined, and sorts merged where that is
// proved. `all_stable`: makes every other sort stable, as the interpreter does; sound for the
// specification, which leaves the order of ties open. Computations of other operations are those of
// the original, which must outlive the result.
std::unique_ptr<hlo::Module> WithWholeSorts(const hlo::Computation& computation, bool all_stable);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_SORT_LAUNCHES_H_
