// Whether every index of an array is a result of a map.
#include <utility>

#include "core/symbolic/context.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/maps/bijection_prover.h"
#include "verify/maps/isl_maps.h"
#include "verify/maps/map_queries.h"
#include "verify/maps/portfolio_result.h"
#include "verify/maps/witness.h"

namespace affirm {

MapProofResult BijectionProver::NotSurjective(Engine engine, llvm::ArrayRef<int64_t> runtime,
                                              llvm::ArrayRef<int64_t> index) const {
  MapProofResult answer = Settled(Verdict::kRefuted, engine);
  answer.counterexample = MapCounterexample{.runtime = runtime.vec(), .rhs = {Widened(index)}};
  answer.counterexample->note = TupleText(Widened(index)) + " never appears";
  return answer;
}

bool BijectionProver::SurjectiveByInverse() {
  int64_t first = inputs_.num_outer() + inputs_.num_ranges();
  std::vector<SymbolicExpr> targets;
  std::vector<Interval> variables = inputs_.outer;
  llvm::append_range(variables, inputs_.ranges);  // do not occur
  for (int64_t size : shape_) {
    targets.push_back(flat_.context->Dim(first + static_cast<int64_t>(targets.size())));
    variables.push_back({0, size - 1});
  }
  auto inverse = FindWitness(inputs_, targets);
  if (!inverse) return false;
  for (int64_t k = 0; k < inputs_.num_ranges(); ++k) {
    if (!Proves(variables, Formula::In((*inverse)[k], inputs_.ranges[k]))) return false;
  }
  for (const Constraint& c : inputs_.constraints) {
    SymbolicExpr e = SubstituteRanges(inputs_, c.expr, *inverse);
    if (!Proves(variables, Formula::In(e, c.bounds))) return false;
  }
  for (size_t i = 0; i < targets.size(); ++i) {
    SymbolicExpr e = SubstituteRanges(inputs_, inputs_.results[i], *inverse);
    if (!Proves(variables, Formula::Eq(e, targets[i]))) return false;
  }
  return true;
}

bool BijectionProver::SurjectiveByEnumeration(MapProofResult& answer, int64_t limit) {
  std::vector<Interval> indices;
  for (int64_t size : shape_) indices.push_back({0, size - 1});
  std::optional<int64_t> runtimes = CountBox(inputs_.outer), points = CountBox(inputs_.ranges);
  std::optional<int64_t> wanted = CountBox(indices);
  if (!runtimes || !points || !wanted || *wanted > limit || *points > limit) return false;
  std::optional<int64_t> all = CheckedMul(*runtimes, *points + *wanted);
  if (!all || *all > 2 * limit) return false;
  PointSets sets(inputs_);
  TupleSet seen;
  answer = Settled(Verdict::kProved, Engine::kEnumeration);
  return ForEachInBox(inputs_.outer, [&](llvm::ArrayRef<int64_t> runtime, int64_t changed) {
    sets.SetPoint(runtime, changed);
    if (!sets.Compute(seen)) return false;
    ForEachInBox(indices, [&](llvm::ArrayRef<int64_t> index, int64_t) {
      if (seen.Contains(index)) return true;
      if (answer.verdict == Verdict::kProved)
        answer = NotSurjective(Engine::kEnumeration, runtime, index);
      return false;
    });
    return true;
  });
}

MapProofResult BijectionProver::Surjective() {
  if (llvm::any_of(shape_, [](int64_t size) { return size <= 0; })) {
    return Settled(Verdict::kProved, Engine::kIntervalAnalysis);
  }
  if (flat_.empty) {
    // Unless there are no runtime values to ask about, the first index never appears.
    std::vector<int64_t> runtime;
    for (Interval bounds : inputs_.outer) {
      if (bounds.IsEmpty()) return Settled(Verdict::kProved, Engine::kIntervalAnalysis);
      runtime.push_back(bounds.lower);
    }
    return NotSurjective(Engine::kIntervalAnalysis, runtime,
                         std::vector<int64_t>(shape_.size(), 0));
  }
  PortfolioResult portfolio(options_.cross_check);
  MapProofResult answer;
  auto by_enumeration = [&](int64_t limit) {
    return Wants(Engine::kEnumeration) && SurjectiveByEnumeration(answer, limit) &&
           portfolio.Add(answer);
  };
  bool enough = by_enumeration(options_.budget.enumeration_points);
  enough = enough || portfolio.Add(ByInverse(SurjectiveByInverse()));
  enough = enough || (!portfolio.IsSettled() && by_enumeration(PointsBeforeIsl()));
  if (!enough && Wants(Engine::kIsl)) portfolio.Add(SurjectiveByIsl());
  if (!portfolio.IsSettled()) by_enumeration(PointsAfterIsl());
  MapProofResult result = portfolio.Take();
  if (const std::string& smt2 = options_.smt2_directory; !smt2.empty())
    WriteSmtLib(SurjectivityQuery(flat_, shape_), result.verdict, smt2);
  return result;
}

MapProofResult BijectionProver::SurjectiveByIsl() {
  IslResult finding = IslSurjective(flat_, shape_, options_.budget);
  if (finding.verdict == Verdict::kProved) return Settled(Verdict::kProved, Engine::kIsl);
  if (finding.verdict == Verdict::kUnknown) return {.reason = finding.reason};
  // To check that the index never appears, the query fixes the result and asks for an input that
  // gives it.
  size_t num_runtime = inputs_.outer.size();
  llvm::ArrayRef<int64_t> point(finding.point);
  llvm::ArrayRef<int64_t> runtime = point.take_front(num_runtime),
                          index = point.drop_front(num_runtime);
  std::vector<Interval> variables;
  for (int64_t v : runtime) variables.push_back(Interval::Point(v));
  llvm::append_range(variables, inputs_.ranges);
  std::vector<Formula> gives = {inputs_.Domain(/*bounds=*/true)};
  for (size_t i = 0; i < index.size(); ++i) {
    gives.push_back(Formula::Eq(inputs_.results[i], flat_.context->Constant(index[i])));
  }
  if (!Proves(variables, Formula::Not(Formula::And(std::move(gives))))) {
    return {.reason = "isl: its counterexample does not refute the claim"};
  }
  return NotSurjective(Engine::kIsl, runtime, index);
}

}  // namespace affirm
