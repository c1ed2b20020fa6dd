// Maps as tables of their sets, point by point: what every verdict is compared with.
#ifndef AFFIRM_TESTS_MAPS_TABULATE_H_
#define AFFIRM_TESTS_MAPS_TABULATE_H_

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/indexing/indexing_map.h"
#include "verify/maps/maps.h"

namespace affirm {

using Tuple = std::vector<int64_t>;
// (dims, runtime) -> results, by the map's own evaluation.
using Function = std::map<std::pair<Tuple, Tuple>, std::set<Tuple>>;

inline Function Tabulate(const IndexingMap& map) {
  Function f;
  if (map.state() != IndexingMap::State::kNormal) return f;
  map.ForEachPoint(
      [&](llvm::ArrayRef<int64_t> d, llvm::ArrayRef<int64_t> s, llvm::ArrayRef<int64_t> rt) {
        f[{d.vec(), rt.vec()}].insert(llvm::cantFail(map.Evaluate(d, s, rt)));
        return true;
      });
  return f;
}

inline std::set<Tuple> At(const Function& f, const MapCounterexample& c) {
  auto at = f.find({c.dims, c.runtime});
  return at == f.end() ? std::set<Tuple>() : at->second;
}

inline bool IsSuperset(const Function& a, const Function& b) {
  for (const auto& [point, set] : b) {
    auto at = a.find(point);
    if (at == a.end()) return false;
    if (!std::includes(at->second.begin(), at->second.end(), set.begin(), set.end())) return false;
  }
  return true;
}

}  // namespace affirm

#endif  // AFFIRM_TESTS_MAPS_TABULATE_H_
