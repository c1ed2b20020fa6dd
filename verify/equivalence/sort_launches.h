// Sorts that a computation makes in several steps, put together again to the sort that they are.
//
//   tiles = sort(tiles of x), y = select(less(upper, lower), other, mine), ..., sort(tiles of y)
//
// becomes sort(x). Nothing of how the steps were made is presumed: what is sorted in one step is
// proved to be what the layers of a merge (merge_layers.h) leave of what the step before sorted. A
// comparator that asks for positions where neither element comes before the other,
//
//   less'(a, b, p, q) = p < q ? !less(b, a) : less(a, b)     of positions that are iota
//
// is that of a stable sort by `less`.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_SORT_LAUNCHES_H_
#define AFFIRM_VERIFY_EQUIVALENCE_SORT_LAUNCHES_H_

#include <memory>

#include "core/hlo/module.h"

namespace affirm::equivalence {

// The entry is the computation, with fusions and calls in place, with sorts put together as far as
// they are proved to be sorts. `all_stable`: each other sort is taken for a stable one, as the
// interpreter does; for a computation that is to be implemented, which leaves it open. Computations
// that operations call are those of the original, which must outlive the answer.
std::unique_ptr<hlo::Module> WithWholeSorts(const hlo::Computation& computation, bool all_stable);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_SORT_LAUNCHES_H_
