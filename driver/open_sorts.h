// Sorts whose result HLO leaves open, whatever is sorted: by a comparator that is no strict weak
// order. A kernel can do nothing wrong there, and nothing right: no verdict is to say either.
#ifndef AFFIRM_DRIVER_OPEN_SORTS_H_
#define AFFIRM_DRIVER_OPEN_SORTS_H_

#include <string>
#include <vector>

#include "core/hlo/module.h"

namespace affirm::driver {

struct OpenSort {
  const hlo::Instruction* sort = nullptr;
  // "sort s compares with what is no strict weak order, (1) comes before itself: HLO leaves the
  // result open", or that its comparator is not proved to be one.
  std::string why;
  bool is_refuted = false;  // there are elements of which it is none
};

// The open sorts of the computation and of all computations that it calls, in order. Rows of one
// element are in order.
std::vector<OpenSort> OpenSorts(const hlo::Computation& computation);
// The reason of the first one; empty if there is none.
std::string WhySortIsOpen(const hlo::Computation& computation);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_OPEN_SORTS_H_
