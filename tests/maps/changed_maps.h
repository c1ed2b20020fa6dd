// Maps with range variables, and other ways to write them: range variables permuted, merged, split,
// rescaled, reversed, dropped, added or made strided. About half of the changes keep the function.
#ifndef AFFIRM_TESTS_MAPS_CHANGED_MAPS_H_
#define AFFIRM_TESTS_MAPS_CHANGED_MAPS_H_

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/maps/random_maps.h"

namespace affirm {

// A change of the range variables: a term over the new ones for each old one.
struct RangeChange {
  std::vector<Variable> ranges;
  std::vector<SymbolicExpr> old;
  std::vector<Constraint> constraints = {};
};

// The change that leaves all range variables as they are.
inline RangeChange NoChange(const IndexingMap& map) {
  RangeChange change{.ranges = map.ranges(), .old = {}};
  for (size_t k = 0; k < map.ranges().size(); ++k) change.old.push_back(map.context()->Range(k));
  return change;
}

inline IndexingMap Apply(const IndexingMap& map, const RangeChange& change) {
  auto rewrite = [&](SymbolicExpr e) {
    return e.Substitute([&](VarKind kind, int64_t k) {
      return kind == VarKind::kRange ? change.old[k] : SymbolicExpr();
    });
  };
  std::vector<SymbolicExpr> results;
  for (SymbolicExpr e : map.results()) results.push_back(rewrite(e));
  std::vector<Constraint> constraints = change.constraints;
  for (const Constraint& c : map.constraints()) constraints.push_back({rewrite(c.expr), c.bounds});
  SymbolicMap symbolic(map.dims().size(), change.ranges.size(), map.runtime().size(), results);
  return IndexingMap(*map.context(), symbolic, map.dims(), change.ranges, map.runtime(),
                     constraints);
}

inline RangeChange Permuted(const IndexingMap& map) {
  RangeChange change = NoChange(map);
  int64_t n = static_cast<int64_t>(change.ranges.size());
  for (int64_t k = n - 1; k > 0; --k) {
    int64_t with = Pick(0, k);
    std::swap(change.ranges[k], change.ranges[with]);
    for (SymbolicExpr& e : change.old) {
      bool first = e == map.context()->Range(k), second = e == map.context()->Range(with);
      if (first) e = map.context()->Range(with);
      if (second) e = map.context()->Range(k);
    }
  }
  return change;
}

// Range variables k and k + 1 become the digits of one; now and then with a wrong radix.
inline RangeChange Merged(const IndexingMap& map, int64_t k) {
  RangeChange change = NoChange(map);
  Interval high = change.ranges[k].bounds, low = change.ranges[k + 1].bounds;
  int64_t highs = high.upper - high.lower + 1, lows = low.upper - low.lower + 1;
  int64_t radix = std::max<int64_t>(1, lows + (Pick(0, 3) == 0 ? Pick(-1, 1) : 0));
  change.ranges.erase(change.ranges.begin() + k + 1);
  change.ranges[k].bounds = {0, highs * lows - 1};
  SymbolicExpr both = map.context()->Range(k);
  change.old[k] = both.FloorDiv(radix) + high.lower;
  change.old[k + 1] = both.Mod(radix) + low.lower;
  for (size_t i = k + 2; i < change.old.size(); ++i) change.old[i] = map.context()->Range(i - 1);
  return change;
}

// Range variable k becomes two digits. Where the radix does not divide the count the rest of the
// last row has to be cut off; now and then it is not.
inline RangeChange Split(const IndexingMap& map, int64_t k) {
  RangeChange change = NoChange(map);
  Context& context = *map.context();
  Interval bounds = change.ranges[k].bounds;
  int64_t count = bounds.upper - bounds.lower + 1, radix = Pick(2, 4);
  SymbolicExpr value = context.Range(k) * radix + context.Range(k + 1);
  for (size_t i = k + 1; i < change.old.size(); ++i) change.old[i] = context.Range(i + 1);
  change.old[k] = value + bounds.lower;
  change.ranges[k].bounds = {0, (count + radix - 1) / radix - 1};
  change.ranges.insert(change.ranges.begin() + k + 1, Variable{{0, radix - 1}, "", std::nullopt});
  if (Pick(0, 3) != 0) change.constraints.push_back({value, {0, count - 1}});
  return change;
}

// Range variable k is counted in steps of `scale`; now and then it may lie between two steps.
inline RangeChange Rescaled(const IndexingMap& map, int64_t k) {
  RangeChange change = NoChange(map);
  int64_t scale = Pick(2, 3);
  Interval bounds = change.ranges[k].bounds;
  SymbolicExpr e = map.context()->Range(k);
  change.ranges[k].bounds = {bounds.lower * scale, bounds.upper * scale + Pick(0, scale - 1)};
  change.old[k] = e.FloorDiv(scale);
  if (Pick(0, 1)) change.constraints.push_back({e.Mod(scale), Interval::Point(0)});
  return change;
}

// Range variable k keeps one value.
inline RangeChange Dropped(const IndexingMap& map, int64_t k) {
  RangeChange change = NoChange(map);
  Interval bounds = change.ranges[k].bounds;
  change.ranges.erase(change.ranges.begin() + k);
  change.old[k] = map.context()->Constant(Pick(bounds.lower, bounds.upper));
  for (size_t i = k + 1; i < change.old.size(); ++i) change.old[i] = map.context()->Range(i - 1);
  return change;
}

// Range variable k takes every second value only.
inline RangeChange Strided(const IndexingMap& map, int64_t k) {
  RangeChange change = NoChange(map);
  Interval bounds = change.ranges[k].bounds;
  change.ranges[k].bounds = {0, (bounds.upper - bounds.lower) / 2};
  change.old[k] = map.context()->Range(k) * 2 + bounds.lower;
  return change;
}

// There is one more range variable, of which a constraint is asked that holds for all of its
// values, or for none that matter: now and then for some alone, or not without another variable.
inline RangeChange WithIdle(const IndexingMap& map) {
  RangeChange change = NoChange(map);
  Context& context = *map.context();
  const SymbolicExpr idle = context.Range(std::ssize(change.ranges));
  const int64_t size = Pick(1, 3), shift = Pick(-2, 2);
  change.ranges.push_back({{0, size - 1}, "", std::nullopt});
  Interval bounds{shift, shift + size - 1 + Pick(0, 1)};
  if (Pick(0, 3) == 0) bounds = {shift + Pick(-1, 1), shift + Pick(-1, 3)};
  SymbolicExpr constrained = idle + shift;
  if (Pick(0, 3) == 0 && !change.old.empty()) constrained = constrained + change.old[0];
  change.constraints.push_back({constrained, bounds});
  return change;
}

// There is one more range variable, which an equality gives its value: of range variable k, in
// whose place it stands, or of a dim, which says nothing where it has all values of the dim. Now
// and then it has not.
inline RangeChange WithDetermined(const IndexingMap& map, int64_t k) {
  RangeChange change = NoChange(map);
  Context& context = *map.context();
  const SymbolicExpr more = context.Range(std::ssize(change.ranges));
  const int64_t shift = Pick(-2, 2);
  const bool of_dim = !map.dims().empty() && Pick(0, 1) == 0;
  const Interval of = of_dim ? map.dims()[0].bounds : change.ranges[k].bounds;
  Interval bounds{of.lower + shift, of.upper + shift};
  if (Pick(0, 3) == 0) bounds = {bounds.lower + Pick(-1, 1), bounds.upper + Pick(-1, 1)};
  change.ranges.push_back({bounds, "", std::nullopt});
  const SymbolicExpr same = of_dim ? context.Dim(0) : context.Range(k);
  const SymbolicExpr difference = Pick(0, 1) == 0 ? more - same - shift : same + shift - more;
  change.constraints.push_back({difference, Interval::Point(0)});
  if (!of_dim) change.old[k] = more - shift;
  return change;
}

inline RangeChange Reversed(const IndexingMap& map, int64_t k) {
  RangeChange change = NoChange(map);
  Interval bounds = change.ranges[k].bounds;
  change.old[k] = -map.context()->Range(k) + (bounds.lower + bounds.upper);
  return change;
}

inline IndexingMap Changed(const IndexingMap& map) {
  int64_t n = static_cast<int64_t>(map.ranges().size());
  if (map.state() != IndexingMap::State::kNormal || n == 0) return map;
  int64_t k = Pick(0, n - 1);
  switch (Pick(0, 8)) {
    case 0:
      return Apply(map, Permuted(map));
    case 1:
      return n > 1 ? Apply(map, Merged(map, std::min(k, n - 2))) : map;
    case 2:
      return Apply(map, Split(map, k));
    case 3:
      return Apply(map, Rescaled(map, k));
    case 4:
      return Apply(map, Dropped(map, k));
    case 5:
      return Apply(map, Strided(map, k));
    case 6:
      return Apply(map, WithIdle(map));
    case 7:
      return Apply(map, WithDetermined(map, k));
    default:
      return Apply(map, Reversed(map, k));
  }
}

// A map that reads tiles: range variables that matter, as digits of an index, with now and then a
// residue or a tail that is cut off.
inline IndexingMap TiledMap(Context& context) {
  int64_t num_ranges = Pick(1, 3), num_dims = Pick(1, 2), num_results = Pick(1, 2);
  auto variables = [](int64_t count) {
    std::vector<Variable> list;
    for (int64_t i = 0; i < count; ++i) list.push_back({{0, Pick(1, 4)}, "", std::nullopt});
    return list;
  };
  std::vector<SymbolicExpr> results;
  std::vector<Constraint> constraints;
  for (int64_t i = 0; i < num_results; ++i) {
    SymbolicExpr e = context.Dim(Pick(0, num_dims - 1)) * Pick(0, 8);
    for (int64_t k = 0; k < num_ranges; ++k) {
      int64_t weight = Pick(0, 2) == 0 ? Pick(-2, 12) : Pick(0, 1) * Pick(1, 5);
      e = e + context.Range(k) * weight;
    }
    if (Pick(0, 3) == 0) constraints.push_back({e, {Pick(0, 2), Pick(8, 30)}});
    if (Pick(0, 3) == 0) e = e.Mod(Pick(2, 20));
    if (Pick(0, 3) == 0) e = e.FloorDiv(Pick(2, 5));
    results.push_back(e);
  }
  return IndexingMap(context, SymbolicMap(num_dims, num_ranges, 0, results), variables(num_dims),
                     variables(num_ranges), {}, constraints);
}

}  // namespace affirm

#endif  // AFFIRM_TESTS_MAPS_CHANGED_MAPS_H_
