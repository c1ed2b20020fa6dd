// Inclusion of unions of maps: each map of b in one map of a, enumeration, sampling, isl.
#include <algorithm>
#include <numeric>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "verify/decide/sampling.h"
#include "verify/maps/flattened_map.h"
#include "verify/maps/inclusion_by_bounds.h"
#include "verify/maps/isl_maps.h"
#include "verify/maps/map_comparison.h"
#include "verify/maps/map_queries.h"
#include "verify/maps/maps.h"
#include "verify/maps/point_set.h"
#include "verify/maps/portfolio_result.h"
#include "verify/maps/proved_maps.h"
#include "verify/maps/timing.h"

namespace affirm {
namespace {

constexpr size_t kMaxPairs = 400;
constexpr size_t kMaxInUnion = 160;  // that what is left of a map is looked for in

class UnionInclusion {
 public:
  UnionInclusion(llvm::ArrayRef<IndexingMap> a, llvm::ArrayRef<IndexingMap> b,
                 const DecideOptions& options)
      : options_(options) {
    for (auto [maps, flat] : {std::pair(a, &a_), std::pair(b, &b_)}) {
      for (const IndexingMap& m : maps) {
        if (m.IsKnownEmpty()) continue;
        int64_t outer = static_cast<int64_t>(m.dims().size() + m.runtime().size());
        flat->push_back(Flatten(m, outer, context_));
      }
    }
    for (const std::vector<FlattenedMap>* side : {&a_, &b_}) {
      for (const FlattenedMap& m : *side) {
        if (hull_.empty()) hull_ = m.outer;
        for (size_t k = 0; k < hull_.size(); ++k) hull_[k] = hull_[k].Hull(m.outer[k]);
      }
    }
    for (const FlattenedMap& m : a_) sets_a_.emplace_back(m);
    for (const FlattenedMap& m : b_) sets_b_.emplace_back(m);
  }

  // The answer, which is written with the query.
  MapProofResult Written(MapProofResult answer) const {
    if (!options_.smt2_directory.empty() && !(a_.empty() && b_.empty())) {
      WriteSmtLib(InclusionQuery(a_, b_, /*equal=*/false), answer.verdict, options_.smt2_directory);
    }
    return answer;
  }

  bool ByBounds(MapProofResult& answer) const {
    if (options_.only && *options_.only != Engine::kIntervalAnalysis) return false;
    // In longer lists, most maps have one that includes them, which is quicker to find.
    if (a_.size() > kMaxInUnion || !UnionIncludesByBounds(a_, b_)) return false;
    answer = {.verdict = Verdict::kProved, .engine = Engine::kIntervalAnalysis};
    return true;
  }

  // Looks at every point when there are few.
  bool ByEnumeration(MapProofResult& answer) {
    std::optional<int64_t> points = CountBox(hull_);
    std::optional<int64_t> each = RangePoints();
    std::optional<int64_t> all = points && each ? CheckedMul(*points, *each) : std::nullopt;
    if (!all || *all > options_.budget.enumeration_points) return false;
    answer = {.verdict = Verdict::kProved, .engine = Engine::kEnumeration};
    ForEachInBox(hull_, [&](llvm::ArrayRef<int64_t> outer, int64_t) {
      answer = CompareAt(outer);
      return answer.verdict == Verdict::kProved;
    });
    return answer.verdict != Verdict::kUnknown;
  }

  bool BySampling(MapProofResult& answer) {
    std::optional<int64_t> each = RangePoints();
    if (!each || *each > options_.budget.enumeration_points) return false;
    int64_t samples = std::clamp<int64_t>(
        options_.budget.enumeration_points / std::max<int64_t>(*each, 1), 1, 64);
    for (const std::vector<int64_t>& outer : SamplePoints(hull_, samples)) {
      answer = CompareAt(outer);
      if (answer.verdict == Verdict::kRefuted) return true;
    }
    return false;
  }

  MapProofResult ByIsl() {
    IslResult finding = RunIsl(options_.budget, [&](isl_ctx* ctx) { return MissingPair(ctx); });
    if (finding.verdict == Verdict::kProved) {
      return {.verdict = Verdict::kProved, .engine = Engine::kIsl};
    }
    if (finding.verdict == Verdict::kUnknown) return {.reason = finding.reason};
    MapProofResult at = CompareAt(llvm::ArrayRef<int64_t>(finding.point).take_front(hull_.size()));
    at.engine = Engine::kIsl;
    if (at.verdict == Verdict::kRefuted) return at;
    return {.reason = "isl: its counterexample was not confirmed"};
  }

 private:
  // A pair of the union of b that is none of the union of a.
  IslResult MissingPair(isl_ctx* ctx) const {
    IslResult finding;
    if (b_.empty()) return {.verdict = Verdict::kProved};
    IslPtr<isl_map> small = Union(ctx, b_, finding.reason);
    IslPtr<isl_map> big = Union(ctx, a_, finding.reason);
    if (!small || (!big && !a_.empty())) return finding;
    if (!big) big.reset(isl_map_empty(isl_map_get_space(small.get())));
    return FindMissing(ctx, big.get(), small.get());
  }

  std::optional<int64_t> RangePoints() const {
    int64_t sum = 0;
    for (const auto* side : {&sets_a_, &sets_b_}) {
      for (const PointSets& sets : *side) {
        std::optional<int64_t> n = sets.NumRangePoints();
        if (!n || *n > kConfirmLimit) return std::nullopt;
        sum += *n;
      }
    }
    return sum;
  }

  static bool Compute(std::vector<PointSets>& side, llvm::ArrayRef<int64_t> outer, TupleSet& all) {
    for (PointSets& sets : side) {
      TupleSet here;
      sets.SetPoint(outer);
      if (!sets.Compute(here)) return false;
      all.Append(here);
    }
    Normalize(all);
    return true;
  }

  // Compares at one point.
  MapProofResult CompareAt(llvm::ArrayRef<int64_t> outer) {
    MapProofResult answer{.engine = Engine::kEnumeration};
    if (!RangePoints()) return answer;
    TupleSet a, b;
    if (!Compute(sets_a_, outer, a) || !Compute(sets_b_, outer, b)) return answer;
    a.arity = b.arity = std::max(a.arity, b.arity);
    answer.verdict = a.Includes(b) ? Verdict::kProved : Verdict::kRefuted;
    if (answer.verdict == Verdict::kRefuted) {
      answer.counterexample = MakeCounterexample(b_.front(), outer, a, b);
    }
    return answer;
  }

  static IslPtr<isl_map> Union(isl_ctx* ctx, llvm::ArrayRef<FlattenedMap> maps,
                               std::string& reason) {
    IslPtr<isl_map> all;
    for (const FlattenedMap& m : maps) {
      IslPtr<isl_map> next = MakeIslMap(ctx, m, /*keep_ranges=*/false, reason);
      if (!next) return nullptr;
      all.reset(all ? isl_map_union(all.release(), next.release()) : next.release());
    }
    return all;
  }

  const DecideOptions& options_;
  Context context_;
  std::vector<FlattenedMap> a_, b_;
  std::vector<Interval> hull_;
  std::vector<PointSets> sets_a_, sets_b_;
};

bool SameSignatures(llvm::ArrayRef<IndexingMap> a, llvm::ArrayRef<IndexingMap> b) {
  const IndexingMap* first = nullptr;
  for (llvm::ArrayRef<IndexingMap> side : {a, b}) {
    for (const IndexingMap& m : side) {
      if (m.IsKnownEmpty()) continue;
      if (!first) first = &m;
      if (m.dims().size() != first->dims().size() ||
          m.runtime().size() != first->runtime().size() ||
          m.results().size() != first->results().size()) {
        return false;
      }
    }
  }
  return true;
}

// How much of one map stands in the other as it is.
size_t Likeness(const IndexingMap& a, const IndexingMap& b) {
  size_t alike = 0;
  for (auto [x, y] : llvm::zip(a.results(), b.results())) alike += x == y;
  for (auto [x, y] : llvm::zip(a.dims(), b.dims())) alike += x.bounds == y.bounds;
  for (const Constraint& c : a.constraints()) alike += llvm::is_contained(b.constraints(), c);
  return alike;
}

// Whether, as far as bounds of variables say, the one map leads wherever the other does.
bool SeemsToReach(const IndexingMap& a, const IndexingMap& b) {
  for (auto [x, y] : llvm::zip(a.dims(), b.dims())) {
    if (!y.bounds.Within(x.bounds)) return false;
  }
  for (auto [x, y] : llvm::zip(a.results(), b.results())) {
    if (!b.RangeOf(y).Within(a.RangeOf(x))) return false;
  }
  return true;
}

// The numbers of the maps in `all`, those that seem to reach where `map` leads first, and of these
// those most like it.
std::vector<size_t> FromLikest(llvm::ArrayRef<IndexingMap> all, const IndexingMap& map) {
  std::vector<size_t> numbers(all.size());
  std::vector<std::pair<bool, size_t>> likeness;
  std::iota(numbers.begin(), numbers.end(), 0);
  for (const IndexingMap& m : all) {
    likeness.emplace_back(SeemsToReach(m, map), Likeness(m, map));
  }
  llvm::stable_sort(numbers, [&](size_t x, size_t y) { return likeness[x] > likeness[y]; });
  return numbers;
}

// Is each map of b inside one map of a? Sufficient, not necessary: kMaxPairs proofs are tried.
bool ByPairs(llvm::ArrayRef<IndexingMap> a, llvm::ArrayRef<IndexingMap> b,
             const DecideOptions& options, MapProofResult& answer) {
  Engine strongest = Engine::kIntervalAnalysis;
  size_t tried = 0;
  for (const IndexingMap& inner : b) {
    if (inner.IsKnownEmpty() || llvm::is_contained(a, inner)) continue;
    bool covered = false;
    for (size_t k : FromLikest(a, inner)) {
      if (++tried > kMaxPairs) return false;
      // A single pair is the whole query.
      const bool is_all = a.size() == 1 && b.size() == 1;
      MapProofResult pair = is_all ? ProveSuperset(a[k], inner, options)
                                   : ProveSupersetOrNothing(a[k], inner, options);
      covered = pair.verdict == Verdict::kProved;
      if (covered) strongest = std::max(strongest, pair.engine);
      if (is_all && pair.verdict != Verdict::kUnknown) {
        answer = std::move(pair);
        return true;
      }
      if (covered) break;
    }
    if (!covered) return false;
  }
  answer = {.verdict = Verdict::kProved, .engine = strongest};
  return true;
}

MapProofResult ProveUnion(llvm::ArrayRef<IndexingMap> a, llvm::ArrayRef<IndexingMap> b,
                          const DecideOptions& options) {
  auto undefined = [](const IndexingMap& m) { return m.IsUndefined(); };
  if (llvm::any_of(a, undefined) || llvm::any_of(b, undefined)) {
    return {.reason = "a map is undefined"};
  }
  if (!SameSignatures(a, b)) return {.reason = "the maps have different variables"};
  PortfolioResult portfolio(options.cross_check);
  MapProofResult answer;
  UnionInclusion inclusion(a, b, options);
  if (inclusion.ByBounds(answer) && portfolio.Add(answer))
    return inclusion.Written(portfolio.Take());
  if (ByPairs(a, b, options, answer) && portfolio.Add(answer)) return portfolio.Take();
  const bool enough = (inclusion.ByEnumeration(answer) && portfolio.Add(answer)) ||
                      (inclusion.BySampling(answer) && portfolio.Add(answer));
  if (!enough) portfolio.Add(inclusion.ByIsl());
  return inclusion.Written(portfolio.Take());
}

}  // namespace

MapProofResult ProveUnionSuperset(llvm::ArrayRef<IndexingMap> a, llvm::ArrayRef<IndexingMap> b,
                                  const DecideOptions& options) {
  return Timed([&] {
    return ProveOnce(MapClaim::kUnionSuperset, a, b, {}, options,
                     [&] { return ProveUnion(a, b, options); });
  });
}

}  // namespace affirm
