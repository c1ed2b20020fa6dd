// Lists of dimensions, and the sizes at them.
#ifndef AFFIRM_TESTS_CERTIFICATE_TWIN_HLO_DIMS_H_
#define AFFIRM_TESTS_CERTIFICATE_TWIN_HLO_DIMS_H_

#include <algorithm>
#include <set>

#include "tests/certificate/twin/hlo_words.h"
#include "tests/certificate/twin/rejection.h"

namespace twin {

inline size_t Place(size_t d, const Dims& dims) {
  return static_cast<size_t>(std::find(dims.begin(), dims.end(), d) - dims.begin());
}
inline bool Contains(const Dims& dims, size_t d) { return Place(d, dims) < dims.size(); }
inline Dims Joined(const Dims& a, const Dims& b) {
  Dims both = a;
  both.insert(both.end(), b.begin(), b.end());
  return both;
}
inline const Integer& At(const Sizes& sizes, size_t d) {
  Expect(d < sizes.size(), "there is no such dimension");
  return sizes[d];
}
inline Sizes AtAll(const Sizes& sizes, const Dims& dims) {
  Sizes chosen;
  for (size_t d : dims) chosen.push_back(At(sizes, d));
  return chosen;
}
inline Sizes Without(const Sizes& sizes, const Dims& dims) {
  Sizes others;
  for (size_t d = 0; d < sizes.size(); ++d)
    if (!Contains(dims, d)) others.push_back(sizes[d]);
  return others;
}
inline bool AreBelow(const Dims& dims, size_t rank) {
  return std::all_of(dims.begin(), dims.end(), [&](size_t d) { return d < rank; });
}
inline bool AreOnce(const Dims& dims) {
  return std::set(dims.begin(), dims.end()).size() == dims.size();
}

}  // namespace twin

#endif  // AFFIRM_TESTS_CERTIFICATE_TWIN_HLO_DIMS_H_
