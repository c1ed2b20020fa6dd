// Random small maps.
#ifndef AFFIRM_TESTS_MAPS_RANDOM_MAPS_H_
#define AFFIRM_TESTS_MAPS_RANDOM_MAPS_H_

#include <vector>

#include "core/indexing/indexing_map.h"
#include "tests/decide/random_terms.h"

namespace affirm {

struct MapShape {
  int64_t dims = 1, ranges = 1, runtime = 0, results = 1;
};

inline MapShape RandomShape() {
  return {.dims = Pick(0, 2), .ranges = Pick(0, 2), .runtime = Pick(0, 1), .results = Pick(0, 2)};
}

inline std::vector<Variable> RandomVariables(int64_t count) {
  std::vector<Variable> variables;
  for (int64_t i = 0; i < count; ++i) {
    int64_t lower = Pick(-3, 3);
    variables.push_back({{lower, lower + Pick(0, 4)}, "", std::nullopt});
  }
  return variables;
}

inline IndexingMap RandomMap(Context& context, const MapShape& shape, const TermStyle& style = {}) {
  std::vector<SymbolicExpr> variables;
  for (int64_t i = 0; i < shape.dims; ++i) variables.push_back(context.Dim(i));
  for (int64_t i = 0; i < shape.ranges; ++i) variables.push_back(context.Range(i));
  for (int64_t i = 0; i < shape.runtime; ++i) variables.push_back(context.Runtime(i));
  std::vector<SymbolicExpr> results;
  for (int64_t i = 0; i < shape.results; ++i) {
    results.push_back(RandomTerm(context, variables, 3, style));
  }
  std::vector<Constraint> constraints;
  for (int64_t i = Pick(0, 2); i > 0; --i) {
    int64_t lower = Pick(-8, 4);
    constraints.push_back({RandomTerm(context, variables, 2, style), {lower, lower + Pick(0, 14)}});
  }
  return IndexingMap(context, SymbolicMap(shape.dims, shape.ranges, shape.runtime, results),
                     RandomVariables(shape.dims), RandomVariables(shape.ranges),
                     RandomVariables(shape.runtime), constraints);
}

// A map that is close to `map`: equal to it about as often as not.
inline IndexingMap Variant(const IndexingMap& map) {
  if (map.state() != IndexingMap::State::kNormal) return map;
  IndexingMap other = map;
  switch (Pick(0, 4)) {
    case 0: {
      std::vector<SymbolicExpr> results = map.results().vec();
      for (SymbolicExpr& e : results) e = e.FloorDiv(3) * 3 + e.Mod(3);
      other.SetResults(results);
      break;
    }
    case 1:
      if (!map.results().empty()) {
        std::vector<SymbolicExpr> results = map.results().vec();
        SymbolicExpr& e = results[Pick(0, static_cast<int64_t>(results.size()) - 1)];
        e = e + e.FloorDiv(Pick(2, 40));
        other.SetResults(results);
      }
      break;
    case 2:
      if (!map.ranges().empty()) {
        Interval b = map.ranges()[0].bounds;
        other.SetBounds(VarKind::kRange, 0, {b.lower, b.upper - 1});
      }
      break;
    case 3:
      if (!map.dims().empty()) {
        Interval b = map.dims()[0].bounds;
        other.SetBounds(VarKind::kDim, 0, {b.lower, b.upper + 1});
      }
      break;
    default:
      // A range variable counted from the other end.
      if (!map.ranges().empty()) {
        Context& context = *map.context();
        Interval b = map.ranges()[0].bounds;
        SymbolicExpr flipped = -context.Range(0) + (b.lower + b.upper);
        auto flip = [&](SymbolicExpr e) { return e.Replace(context.Range(0), flipped); };
        std::vector<SymbolicExpr> results;
        std::vector<Constraint> constraints;
        for (SymbolicExpr e : map.results()) results.push_back(flip(e));
        for (const Constraint& c : map.constraints()) {
          constraints.push_back({flip(c.expr), c.bounds});
        }
        other = IndexingMap(context,
                            SymbolicMap(map.map().num_dims(), map.map().num_ranges(),
                                        map.map().num_runtime(), results),
                            map.dims(), map.ranges(), map.runtime(), constraints);
      }
  }
  return other;
}

}  // namespace affirm

#endif  // AFFIRM_TESTS_MAPS_RANDOM_MAPS_H_
