// Equality and inclusion of two maps: bounds, enumeration, sampling, claims about single points,
// witnesses, isl.
#include "verify/maps/map_comparison.h"

#include <algorithm>
#include <utility>

#include "core/symbolic/checked.h"
#include "core/symbolic/context.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/decide/engines.h"
#include "verify/decide/sampling.h"
#include "verify/maps/inclusion_by_bounds.h"
#include "verify/maps/isl_maps.h"
#include "verify/maps/portfolio_result.h"
#include "verify/maps/witness.h"

namespace affirm {
namespace {

// How many range points may be visited at one sample.
constexpr int64_t kSampleLimit = 1 << 14;

}  // namespace

MapComparison::MapComparison(FlattenedMap a, FlattenedMap b, bool equal,
                             const DecideOptions& options, int64_t most_points)
    : a_(std::move(a)),
      b_(std::move(b)),
      equal_(equal),
      options_(options),
      most_points_(most_points),
      hull_(OuterHull(a_, b_)),
      sets_a_(a_),
      sets_b_(b_) {}

MapProofResult MapComparison::Run() {
  bool enumerate = Wants(Engine::kEnumeration);
  using Way = bool (MapComparison::*)();
  const std::pair<Way, bool> ways[] = {{&MapComparison::ByBounds, Wants(Engine::kIntervalAnalysis)},
                                       {&MapComparison::ByEnumeration, enumerate},
                                       {&MapComparison::BySampling, enumerate},
                                       {&MapComparison::ByPoints, true},
                                       {&MapComparison::ByWitnesses, true},
                                       {&MapComparison::ByIsl, Wants(Engine::kIsl)}};
  PortfolioResult portfolio(options_.cross_check);
  for (auto [way, wanted] : ways) {
    if (!wanted) continue;
    answer_ = MapProofResult();
    strongest_ = Engine::kIntervalAnalysis;
    if ((this->*way)()) {
      answer_.reason.clear();
      answer_.disagreement.reset();
    }
    if (portfolio.Add(std::move(answer_))) break;
  }
  MapProofResult answer = portfolio.Take();
  bool unexplained = answer.verdict == Verdict::kUnknown && answer.reason.empty();
  if (unexplained) answer.reason = "no way of comparing applies";
  return answer;
}

bool MapComparison::Settle(Verdict verdict, Engine engine) {
  answer_.verdict = verdict;
  answer_.engine = engine;
  return true;
}

bool MapComparison::Refute(Engine engine, llvm::ArrayRef<int64_t> outer) {
  answer_.counterexample = MakeCounterexample(a_, outer, set_a_, set_b_);
  return Settle(Verdict::kRefuted, engine);
}

MapComparison::Step MapComparison::CompareSets() {
  if (!sets_a_.Compute(set_a_) || !sets_b_.Compute(set_b_)) return Step::kOpen;
  bool holds = equal_ ? set_a_ == set_b_ : set_a_.Includes(set_b_);
  return holds ? Step::kHolds : Step::kFails;
}

MapComparison::Step MapComparison::CompareAt(llvm::ArrayRef<int64_t> outer, int64_t limit) {
  for (const PointSets* sets : {&sets_a_, &sets_b_}) {
    std::optional<int64_t> n = sets->NumRangePoints();
    if (!n || *n > limit) return Step::kOpen;
  }
  sets_a_.SetPoint(outer);
  sets_b_.SetPoint(outer);
  return CompareSets();
}

bool MapComparison::ByBounds() {
  return IncludesByBounds(a_, b_) && (!equal_ || IncludesByBounds(b_, a_)) &&
         Settle(Verdict::kProved, Engine::kIntervalAnalysis);
}

bool MapComparison::ByEnumeration() {
  std::optional<int64_t> points = CountBox(hull_);
  for (const PointSets* sets : {&sets_a_, &sets_b_}) {
    std::optional<int64_t> n = sets->NumRangePoints();
    std::optional<int64_t> all = points && n ? CheckedMul(*points, *n) : std::nullopt;
    if (!all || *all > options_.budget.enumeration_points) return false;
  }
  Step step = Step::kHolds;
  ForEachInBox(hull_, [&](llvm::ArrayRef<int64_t> outer, int64_t changed) {
    sets_a_.SetPoint(outer, changed);
    sets_b_.SetPoint(outer, changed);
    step = CompareSets();
    if (step == Step::kFails) Refute(Engine::kEnumeration, outer);
    return step == Step::kHolds;
  });
  if (step == Step::kHolds) return Settle(Verdict::kProved, Engine::kEnumeration);
  if (step == Step::kOpen) AddReason(answer_.reason, "a result has no value at some point");
  return step == Step::kFails;
}

bool MapComparison::BySampling() {
  int64_t per_point = 1;
  for (const PointSets* sets : {&sets_a_, &sets_b_}) {
    std::optional<int64_t> n = sets->NumRangePoints();
    if (!n || *n > kSampleLimit) return false;
    per_point += *n;
  }
  int64_t samples = std::clamp<int64_t>(options_.budget.enumeration_points / per_point, 1, 256);
  for (const std::vector<int64_t>& outer : SamplePoints(hull_, samples)) {
    if (CompareAt(outer, kSampleLimit) == Step::kFails) return Refute(Engine::kEnumeration, outer);
  }
  return false;
}

Formula MapComparison::Domain(const FlattenedMap& map) const {
  std::vector<Formula> parts = {map.Domain(/*bounds=*/false)};
  for (int64_t k = 0; k < map.num_outer(); ++k) {
    if (map.outer[k] == hull_[k]) continue;
    parts.push_back(Formula::In(map.context->Dim(k), map.outer[k]));
  }
  return Formula::And(std::move(parts));
}

SolverResult MapComparison::Ask(const FlattenedMap& ranges, Formula hypothesis,
                                Formula conclusion) {
  SolverQuery q{.context = a_.context, .variables = hull_, .names = {}};
  q.variables.insert(q.variables.end(), ranges.ranges.begin(), ranges.ranges.end());
  q.claim = Formula::Implies(std::move(hypothesis), std::move(conclusion));
  SolverResult answer = Decide(q, options_);
  strongest_ = std::max(strongest_, answer.engine);
  if (answer.verdict == Verdict::kUnknown) {
    AddReason(answer_.reason, answer.reason);
    if (!answer_.disagreement) answer_.disagreement = answer.disagreement;
  }
  return answer;
}

// If both maps have the same ranges, it is enough that they agree point by point; for maps
// without ranges that is also necessary.
bool MapComparison::ByPoints() {
  if (a_.ranges != b_.ranges) return false;
  bool function = a_.ranges.empty();
  bool proved = true;
  auto settles = [&](Formula hypothesis, Formula conclusion) {
    SolverResult answer = Ask(a_, std::move(hypothesis), std::move(conclusion));
    proved = proved && answer.verdict == Verdict::kProved;
    if (answer.verdict != Verdict::kRefuted || !function) return false;
    answer.counterexample.resize(hull_.size());
    if (CompareAt(answer.counterexample, most_points_) != Step::kFails) {
      AddReason(answer_.reason, "a counterexample to one result was not one to the maps");
      return false;
    }
    return Refute(answer.engine, answer.counterexample);
  };
  Formula in_a = Domain(a_), in_b = Domain(b_);
  Formula both = Formula::And({in_a, in_b});
  bool same_domain =
      a_.constraints == b_.constraints && a_.outer == b_.outer && !a_.empty && !b_.empty;
  if (!same_domain) {
    if (settles(in_b, in_a)) return true;
    if (equal_ && settles(in_a, in_b)) return true;
    if (!proved && !function) return false;
  }
  for (size_t i = 0; i < a_.results.size(); ++i) {
    if (a_.results[i] == b_.results[i]) continue;
    if (settles(both, Formula::Eq(a_.results[i], b_.results[i]))) return true;
    if (!proved && !function) return false;
  }
  return proved && Settle(Verdict::kProved, strongest_);
}

bool MapComparison::ByWitnesses() {
  if (a_.ranges.empty() && b_.ranges.empty()) return false;
  if (a_.num_ranges() + b_.num_ranges() > 32) return false;
  if (!IncludedByWitness(b_, a_) || (equal_ && !IncludedByWitness(a_, b_))) return false;
  return Settle(Verdict::kProved, strongest_);
}

bool MapComparison::IncludedByWitness(const FlattenedMap& from, const FlattenedMap& to) {
  FlattenedMap other = MoveRanges(to, from.first_range + from.num_ranges());
  auto witness = FindWitness(other, from.results);
  if (!witness) return false;
  Formula given = Domain(from);
  auto follows = [&](Formula conclusion) {
    return Ask(from, given, std::move(conclusion)).verdict == Verdict::kProved;
  };
  for (int64_t k = 0; k < other.num_ranges(); ++k) {
    if (!follows(Formula::In((*witness)[k], other.ranges[k]))) return false;
  }
  for (int64_t k = 0; k < other.num_outer(); ++k) {
    if (other.outer[k] == hull_[k]) continue;
    if (!follows(Formula::In(other.context->Dim(k), other.outer[k]))) return false;
  }
  for (const Constraint& c : other.constraints) {
    SymbolicExpr e = SubstituteRanges(other, c.expr, *witness);
    if (!follows(Formula::In(e, c.bounds))) return false;
  }
  for (size_t i = 0; i < other.results.size(); ++i) {
    SymbolicExpr e = SubstituteRanges(other, other.results[i], *witness);
    if (!follows(Formula::Eq(e, from.results[i]))) return false;
  }
  return !to.empty || from.empty;
}

bool MapComparison::ByIsl() {
  IslResult finding = IslCompare(a_, b_, equal_, options_.budget);
  AddReason(answer_.reason, finding.reason);
  if (finding.verdict == Verdict::kProved) return Settle(Verdict::kProved, Engine::kIsl);
  if (finding.verdict != Verdict::kRefuted) return false;
  std::vector<int64_t> outer(finding.point.begin(), finding.point.begin() + a_.num_outer());
  switch (CompareAt(outer, most_points_)) {
    case Step::kFails:
      return Refute(Engine::kIsl, outer);
    case Step::kHolds:
      AddReason(answer_.reason, "isl: its counterexample does not refute the claim");
      return false;
    case Step::kOpen:
      break;
  }
  AddReason(answer_.reason, "isl: its counterexample has too many range points to be evaluated");
  return false;
}

}  // namespace affirm
