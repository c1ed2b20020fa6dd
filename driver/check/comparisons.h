// Accumulates comparisons of runs with the interpreter, and formats indices.
#ifndef AFFIRM_DRIVER_CHECK_COMPARISONS_H_
#define AFFIRM_DRIVER_CHECK_COMPARISONS_H_

#include <algorithm>
#include <string>
#include <vector>

#include "llvm/ADT/StringExtras.h"
#include "verify/reference/compare.h"

namespace affirm::driver {

// Takes the element count of one run, and the errors of all.
inline void AddTo(hlo::LiteralComparison& all, const hlo::LiteralComparison& one) {
  all.elements = std::max(all.elements, one.elements);
  all.mismatches += one.mismatches;
  all.left_open += one.left_open;
  all.max_ulp = std::max(all.max_ulp, one.max_ulp);
  all.within = std::max(all.within, one.within);
  all.max_absolute = std::max(all.max_absolute, one.max_absolute);
  if (!all.first) all.first = one.first;
}

// "[2, 0]"
inline std::string IndexText(const std::vector<int64_t>& index) {
  std::vector<std::string> parts;
  parts.reserve(index.size());
  for (int64_t i : index) parts.push_back(std::to_string(i));
  return "[" + llvm::join(parts, ", ") + "]";
}

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_COMPARISONS_H_
