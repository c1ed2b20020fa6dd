// Rewrites topk, the largest (or smallest) elements of rows and their positions, to a sort.
//
//   topk(x), k=3, largest=true
//
// becomes the first three elements of a stable sort of (x, iota) by > on the elements, in total
// order for floats: equal elements keep their order (docs/semantics.md).
#ifndef AFFIRM_VERIFY_EQUIVALENCE_TOPK_AS_SORT_H_
#define AFFIRM_VERIFY_EQUIVALENCE_TOPK_AS_SORT_H_

#include <memory>

#include "core/hlo/module.h"

namespace affirm::equivalence {

// The entry is a copy of the computation with each topk of one array as a sort. Computations of
// operations are those of the original, which must outlive the result.
std::unique_ptr<hlo::Module> WithTopKAsSort(const hlo::Computation& computation);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_TOPK_AS_SORT_H_
