// The largest (or smallest) elements of rows and their places, written as the sort that they are.
//
//   topk(x), k=3, largest=true
//
// becomes the first three of a stable sort of (x, iota) by > of the elements, of floats in total
// order: of equal elements the first come first (docs/semantics.md).
#ifndef AFFIRM_VERIFY_EQUIVALENCE_TOPK_AS_SORT_H_
#define AFFIRM_VERIFY_EQUIVALENCE_TOPK_AS_SORT_H_

#include <memory>

#include "core/hlo/module.h"

namespace affirm::equivalence {

// The entry is a copy of the computation in which each topk of one array is a sort. Computations
// that operations call are those of the original, which must outlive the answer.
std::unique_ptr<hlo::Module> WithTopKAsSort(const hlo::Computation& computation);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_TOPK_AS_SORT_H_
