// Whether no two inputs of a map give the same result.
#include <algorithm>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "verify/maps/bijection_prover.h"
#include "verify/maps/isl_maps.h"
#include "verify/maps/map_queries.h"
#include "verify/maps/portfolio_result.h"
#include "verify/maps/witness.h"

namespace affirm {
namespace {

constexpr int64_t kFewPoints = 256;

// Results, each with the inputs that gave it.
template <typename Tuple>
using ResultsSeen = std::vector<std::pair<Tuple, std::vector<int64_t>>>;

// Two entries with the same result.
template <typename Tuple>
std::optional<
    std::pair<typename ResultsSeen<Tuple>::value_type, typename ResultsSeen<Tuple>::value_type>>
FindDuplicate(ResultsSeen<Tuple>& seen) {
  llvm::sort(seen);
  auto duplicate = std::adjacent_find(
      seen.begin(), seen.end(), [](const auto& x, const auto& y) { return x.first == y.first; });
  if (duplicate == seen.end()) return std::nullopt;
  return std::pair(*duplicate, *std::next(duplicate));
}

}  // namespace

MapProofResult BijectionProver::NotInjective(Engine engine, llvm::ArrayRef<int64_t> runtime,
                                             llvm::ArrayRef<int64_t> first,
                                             llvm::ArrayRef<int64_t> second,
                                             const WideTuple& result) const {
  MapProofResult answer = Settled(Verdict::kRefuted, engine);
  answer.counterexample = MapCounterexample{.dims = first.take_front(flat_.num_dims).vec(),
                                            .runtime = runtime.vec(),
                                            .lhs = {result},
                                            .rhs = {result}};
  answer.counterexample->note =
      TupleText(result) + " at " + Describe(first) + " and at " + Describe(second);
  return answer;
}

bool BijectionProver::InjectiveByInverse() {
  int64_t others = inputs_.num_outer() + inputs_.num_ranges();
  std::vector<SymbolicExpr> targets;
  targets.reserve(inputs_.results.size());
  for (size_t i = 0; i < inputs_.results.size(); ++i) {
    targets.push_back(flat_.context->Dim(others + static_cast<int64_t>(i)));
  }
  auto inverse = FindWitness(inputs_, targets);
  if (!inverse) return false;
  std::vector<Interval> variables = inputs_.outer;
  llvm::append_range(variables, inputs_.ranges);
  Formula domain = inputs_.Domain(/*bounds=*/false);
  for (int64_t k = 0; k < inputs_.num_ranges(); ++k) {
    SymbolicExpr back = (*inverse)[k].Substitute([&](VarKind, int64_t v) {
      return v >= others ? inputs_.results[v - others] : SymbolicExpr();
    });
    SymbolicExpr input = flat_.context->Dim(inputs_.first_range + k);
    if (!Proves(variables, Formula::Implies(domain, Formula::Eq(back, input)))) return false;
  }
  return true;
}

bool BijectionProver::InjectiveByEnumeration(MapProofResult& answer, int64_t limit) {
  std::optional<int64_t> runtimes = CountBox(inputs_.outer), points = CountBox(inputs_.ranges);
  std::optional<int64_t> all = runtimes && points ? CheckedMul(*runtimes, *points) : std::nullopt;
  if (!all || *all > limit) return false;
  PointSets sets(inputs_);
  answer = Settled(Verdict::kProved, Engine::kEnumeration);
  return ForEachInBox(inputs_.outer, [&](llvm::ArrayRef<int64_t> runtime, int64_t changed) {
    sets.SetPoint(runtime, changed);
    ResultsSeen<std::vector<int64_t>> seen;
    ResultsSeen<WideTuple> wide;
    bool ok = sets.ForEach([&](llvm::ArrayRef<int64_t> inputs, const PointResults& results) {
      if (results.IsWide()) {
        wide.emplace_back(results.wide, inputs.vec());
      } else {
        seen.emplace_back(results.values, inputs.vec());
      }
      return true;
    });
    if (!ok) return false;
    auto look = [&](auto& among) {
      auto duplicate = FindDuplicate(among);
      if (!duplicate || answer.verdict != Verdict::kProved) return;
      auto& [first, second] = *duplicate;
      WideTuple result(first.first.begin(), first.first.end());
      answer = NotInjective(Engine::kEnumeration, runtime, first.second, second.second, result);
    };
    look(seen);
    look(wide);
    return true;
  });
}

MapProofResult BijectionProver::Injective() {
  if (flat_.empty) return Settled(Verdict::kProved, Engine::kIntervalAnalysis);
  PortfolioResult portfolio(options_.cross_check);
  MapProofResult answer;
  // A few points are visited faster than an inverse is found, and more than a few are not.
  const std::optional<int64_t> points = CountBox(inputs_.ranges);
  const bool few = points && *points <= kFewPoints;
  auto by_enumeration = [&](int64_t limit) {
    return Wants(Engine::kEnumeration) && InjectiveByEnumeration(answer, limit) &&
           portfolio.Add(answer);
  };
  bool enough = few && by_enumeration(kFewPoints);
  enough = enough || portfolio.Add(ByInverse(InjectiveByInverse()));
  enough = enough || (!few && by_enumeration(PointsBeforeIsl()));
  if (!enough && Wants(Engine::kIsl)) portfolio.Add(InjectiveByIsl());
  if (!portfolio.IsSettled()) by_enumeration(PointsAfterIsl());
  MapProofResult result = portfolio.Take();
  if (const std::string& smt2 = options_.smt2_directory; !smt2.empty())
    WriteSmtLib(InjectivityQuery(flat_), result.verdict, smt2);
  return result;
}

MapProofResult BijectionProver::InjectiveByIsl() {
  IslResult finding = IslInjective(flat_, options_.budget);
  if (finding.verdict == Verdict::kProved) return Settled(Verdict::kProved, Engine::kIsl);
  if (finding.verdict == Verdict::kUnknown) return {.reason = finding.reason};
  // Both points must lie in the domain and give the same result, for the same runtime variables.
  int64_t num_inputs = flat_.num_outer() + flat_.num_ranges();
  const std::vector<int64_t> runtime =
      llvm::ArrayRef<int64_t>(finding.point).slice(flat_.num_dims, inputs_.num_outer()).vec();
  std::vector<int64_t> points[2];
  TupleSet results[2];
  for (int side : {0, 1}) {
    llvm::ArrayRef<int64_t> at =
        llvm::ArrayRef<int64_t>(finding.point).slice(side * num_inputs, num_inputs);
    points[side] = at.take_front(flat_.num_dims).vec();
    llvm::append_range(points[side], at.drop_front(flat_.num_outer()));
    FlattenedMap fixed = inputs_;
    for (size_t k = 0; k < fixed.ranges.size(); ++k) {
      fixed.ranges[k] = fixed.ranges[k].Intersect(Interval::Point(points[side][k]));
      fixed.empty |= fixed.ranges[k].IsEmpty();
    }
    PointSets sets(fixed);
    sets.SetPoint(runtime);
    if (!sets.Compute(results[side])) return {.reason = "a result has no value"};
  }
  if (results[0].Size() != 1 || !(results[0] == results[1]) || points[0] == points[1]) {
    return {.reason = "isl: its counterexample does not refute the claim"};
  }
  return NotInjective(Engine::kIsl, runtime, points[0], points[1],
                      results[0].Sample({}, 1).front());
}

}  // namespace affirm
