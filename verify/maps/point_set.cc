// Sets of result tuples: order, inclusion, and how the set of a map at one point is computed.
#include "verify/maps/point_set.h"

#include <algorithm>
#include <numeric>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "verify/decide/evaluate.h"

namespace affirm {
namespace {

bool LessTuple(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace

void Normalize(TupleSet& set) {
  if (set.arity == 0) {
    set.count = std::min<int64_t>(set.count, 1);
    return;
  }
  if (set.count < 2) return;
  if (set.arity == 1) {
    llvm::sort(set.values);
    set.values.erase(std::unique(set.values.begin(), set.values.end()), set.values.end());
    set.count = static_cast<int64_t>(set.values.size());
    return;
  }
  std::vector<int64_t> order(set.count);
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](int64_t i, int64_t j) { return LessTuple(set[i], set[j]); });
  TupleSet sorted{.arity = set.arity, .count = 0, .values = {}, .wide = std::move(set.wide)};
  for (int64_t i : order) {
    if (sorted.count > 0 && sorted[sorted.count - 1] == set[i]) continue;
    llvm::append_range(sorted.values, set[i]);
    ++sorted.count;
  }
  set = std::move(sorted);
}

bool TupleSet::Contains(llvm::ArrayRef<int64_t> tuple) const {
  int64_t low = 0, high = count;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (LessTuple((*this)[middle], tuple)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < count && (*this)[low] == tuple;
}

bool TupleSet::Includes(const TupleSet& other) const {
  return llvm::all_of(llvm::seq<int64_t>(0, other.count),
                      [&](int64_t i) { return Contains(other[i]); }) &&
         std::includes(wide.begin(), wide.end(), other.wide.begin(), other.wide.end());
}

void TupleSet::Append(const TupleSet& other) {
  arity = other.arity;
  count += other.count;
  llvm::append_range(values, other.values);
  wide.insert(other.wide.begin(), other.wide.end());
}

std::vector<WideTuple> TupleSet::Sample(const TupleSet& other, size_t limit) const {
  std::vector<WideTuple> picked;
  for (bool only_here : {true, false}) {
    for (int64_t i = 0; i < count && picked.size() < limit; ++i) {
      bool shared = other.arity == arity && other.Contains((*this)[i]);
      if (shared != only_here) picked.push_back(Widened((*this)[i]));
    }
    for (const WideTuple& tuple : wide) {
      if (picked.size() >= limit) break;
      if ((other.wide.count(tuple) > 0) != only_here) picked.push_back(tuple);
    }
  }
  llvm::sort(picked);
  return picked;
}

WideTuple Widened(llvm::ArrayRef<int64_t> tuple) { return {tuple.begin(), tuple.end()}; }

std::optional<int64_t> CountBox(llvm::ArrayRef<Interval> box) {
  int64_t points = 1;
  bool finite = true;
  for (Interval side : box) {
    if (side.IsEmpty()) return 0;
    std::optional<int64_t> count = side.Count();
    std::optional<int64_t> product = count ? CheckedMul(points, *count) : std::nullopt;
    finite = finite && product;
    points = product.value_or(1);
  }
  return finite ? std::optional<int64_t>(points) : std::nullopt;
}

bool ForEachInBox(llvm::ArrayRef<Interval> box,
                  llvm::function_ref<bool(llvm::ArrayRef<int64_t>, int64_t)> fn) {
  if (llvm::any_of(box, [](Interval side) { return side.IsEmpty(); })) return true;
  std::vector<int64_t> point;
  for (Interval side : box) point.push_back(side.lower);
  int64_t changed = 0;
  while (fn(point, changed)) {
    size_t k = box.size();
    while (k > 0 && point[k - 1] == box[k - 1].upper) --k;
    if (k == 0) return true;
    changed = static_cast<int64_t>(k - 1);
    ++point[changed];
    for (size_t i = k; i < box.size(); ++i) point[i] = box[i].lower;
  }
  return false;
}

PointSets::PointSets(const FlattenedMap& map)
    : map_(map), program_(map.num_outer() + map.num_ranges()) {
  auto loop = [&](VarKind, int64_t k) {
    return map.IsRange(k) ? map.num_outer() + k - map.first_range : k;
  };
  for (SymbolicExpr e : map.results) results_.push_back(program_.Add(e, loop));
  for (const Constraint& c : map.constraints) constraints_.push_back(program_.Add(c.expr, loop));
  program_.Finish();
  point_.assign(map.num_outer() + map.num_ranges(), 0);
  full_point_.assign(std::max(map.num_outer(), map.first_range + map.num_ranges()), 0);
  range_points_ = CountBox(map.ranges);
  program_.Run(0);
}

void PointSets::SetPoint(llvm::ArrayRef<int64_t> outer, int64_t changed) {
  for (size_t k = static_cast<size_t>(changed); k < outer.size(); ++k) {
    program_.Set(static_cast<int64_t>(k), outer[k]);
    point_[k] = outer[k];
  }
  program_.Run(changed);
}

llvm::ArrayRef<int64_t> PointSets::FullPoint() {
  for (int64_t k = 0; k < map_.num_outer(); ++k) full_point_[k] = point_[k];
  for (int64_t k = 0; k < map_.num_ranges(); ++k) {
    full_point_[map_.first_range + k] = point_[map_.num_outer() + k];
  }
  return full_point_;
}

bool PointSets::InDomain() {
  for (size_t i = 0; i < constraints_.size(); ++i) {
    Interval bounds = map_.constraints[i].bounds;
    if (program_.Ok(constraints_[i])) {
      if (!bounds.Contains(program_.Get(constraints_[i]))) return false;
      continue;
    }
    // Past int64, or without a value, which lies outside.
    std::optional<BigInt> v = EvaluateTerm(map_.constraints[i].expr, FullPoint());
    if (!v || BigInterval::From(bounds).Excludes(*v)) return false;
  }
  return true;
}

bool PointSets::Results(PointResults& results) {
  results.values.resize(results_.size());
  results.wide.clear();
  for (size_t i = 0; i < results_.size(); ++i) {
    if (program_.Ok(results_[i])) {
      results.values[i] = program_.Get(results_[i]);
    } else {
      return WideResults(results);
    }
  }
  return true;
}

bool PointSets::WideResults(PointResults& results) {
  bool fits = true;
  for (size_t i = 0; i < results_.size(); ++i) {
    std::optional<BigInt> v = EvaluateTerm(map_.results[i], FullPoint());
    if (!v) return false;
    fits = fits && *v >= kInt64Min && *v <= kInt64Max;
    if (fits) results.values[i] = static_cast<int64_t>(*v);
    results.wide.push_back(std::move(*v));
  }
  if (fits) results.wide.clear();
  return true;
}

bool PointSets::NextRange() {
  for (int64_t k = map_.num_ranges(); k-- > 0;) {
    int64_t loop = map_.num_outer() + k;
    bool wraps = point_[loop] == map_.ranges[k].upper;
    point_[loop] = wraps ? map_.ranges[k].lower : point_[loop] + 1;
    program_.Set(loop, point_[loop]);
    if (wraps) continue;
    program_.Run(loop);
    return true;
  }
  return false;
}

bool PointSets::ForEach(Visit fn) {
  if (map_.empty) return true;
  for (int64_t k = 0; k < map_.num_outer(); ++k) {
    if (!map_.outer[k].Contains(point_[k])) return true;
  }
  for (int64_t k = 0; k < map_.num_ranges(); ++k) {
    point_[map_.num_outer() + k] = map_.ranges[k].lower;
    program_.Set(map_.num_outer() + k, map_.ranges[k].lower);
  }
  program_.Run(map_.num_outer());
  PointResults results;
  llvm::ArrayRef<int64_t> ranges = llvm::ArrayRef<int64_t>(point_).drop_front(map_.num_outer());
  do {
    if (!InDomain()) continue;
    if (!Results(results) || !fn(ranges, results)) return false;
  } while (NextRange());
  return true;
}

bool PointSets::Compute(TupleSet& set) {
  set.arity = static_cast<int64_t>(map_.results.size());
  set.count = 0;
  set.values.clear();
  set.wide.clear();
  bool ok = ForEach([&](llvm::ArrayRef<int64_t>, const PointResults& results) {
    if (results.IsWide()) {
      set.wide.insert(results.wide);
    } else {
      llvm::append_range(set.values, results.values);
      ++set.count;
    }
    return true;
  });
  Normalize(set);
  return ok;
}

MapCounterexample MakeCounterexample(const FlattenedMap& map, llvm::ArrayRef<int64_t> outer,
                                     const TupleSet& lhs, const TupleSet& rhs) {
  MapCounterexample c;
  c.dims = outer.take_front(map.num_dims).vec();
  c.runtime = outer.drop_front(map.num_dims).vec();
  constexpr size_t kMaxTuples = 8;
  c.lhs = lhs.Sample(rhs, kMaxTuples);
  c.rhs = rhs.Sample(lhs, kMaxTuples);
  c.lhs_truncated = static_cast<int64_t>(c.lhs.size()) < lhs.Size();
  c.rhs_truncated = static_cast<int64_t>(c.rhs.size()) < rhs.Size();
  return c;
}

}  // namespace affirm
