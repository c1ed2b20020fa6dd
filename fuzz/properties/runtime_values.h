// Evaluates maps that have runtime variables, with made-up values for the elements of the
// producers.
#ifndef AFFIRM_FUZZ_PROPERTIES_RUNTIME_VALUES_H_
#define AFFIRM_FUZZ_PROPERTIES_RUNTIME_VALUES_H_

#include <algorithm>
#include <set>
#include <vector>

#include "core/indexing/indexing_map.h"
#include "fuzz/properties/enumerated_map.h"

namespace affirm::fuzz {

using Points = std::set<Point>;

// Some value for each element of each instruction that runtime variables are read from.
inline int64_t ValueAt(int64_t producer, const Point& index, int64_t seed) {
  uint64_t h = static_cast<uint64_t>(seed * 31 + producer);
  for (int64_t i : index) h = h * 6364136223846793005ULL + static_cast<uint64_t>(i) + 1;
  return static_cast<int64_t>((h >> 33) % 7);
}

// The runtime variables at (dims, ranges) when the producers have the values above.
inline Point RuntimeAt(const IndexingMap& map, llvm::ArrayRef<int64_t> dims,
                       llvm::ArrayRef<int64_t> ranges, int64_t seed) {
  size_t n = map.runtime().size();
  Point values(n, 0);
  // A producer index may depend on other runtime variables: as many rounds as there can be steps.
  for (size_t round = 0; round < n; ++round) {
    for (size_t i = 0; i < n; ++i) {
      const Variable& v = map.runtime()[i];
      Point producer_index;
      if (v.source && v.source->map) {
        for (SymbolicExpr e : v.source->map->results()) {
          producer_index.push_back(*e.Evaluate(dims, ranges, values).value);
        }
      }
      int64_t value = ValueAt(v.source ? v.source->producer : -1, producer_index, seed);
      values[i] = std::clamp(value, v.bounds.lower, v.bounds.upper);
    }
  }
  return values;
}

// The value of `map` at `dims`. Its values must not leave 64 bits.
inline Points SetAt(const IndexingMap& map, llvm::ArrayRef<int64_t> dims, int64_t seed) {
  Points out;
  if (map.state() != IndexingMap::State::kNormal) return out;
  IndexingMap box(*map.context(), SymbolicMap(0, map.map().num_ranges(), 0, {}), {}, map.ranges(),
                  {});
  box.ForEachPoint([&](auto, auto ranges, auto) {
    Point runtime = RuntimeAt(map, dims, ranges, seed);
    if (!map.InDomain(dims, ranges, runtime)) return true;
    out.insert(llvm::cantFail(map.Evaluate(dims, ranges, runtime)));
    return true;
  });
  return out;
}

}  // namespace affirm::fuzz

#endif  // AFFIRM_FUZZ_PROPERTIES_RUNTIME_VALUES_H_
