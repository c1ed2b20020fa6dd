// Whether a map is a bijection onto an array: all results inside, injective, and surjective.
#include <algorithm>
#include <utility>

#include "core/symbolic/text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/decide/engines.h"
#include "verify/maps/bijection_prover.h"
#include "verify/maps/maps.h"
#include "verify/maps/point_set.h"
#include "verify/maps/proved_maps.h"
#include "verify/maps/timing.h"

namespace affirm {

std::string TupleText(const WideTuple& tuple) {
  std::string text = "(";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(tuple, os);
  return text + ")";
}

FlattenedMap BijectionProver::InputsAsRanges(const FlattenedMap& flat) {
  int64_t num_runtime = flat.num_outer() - flat.num_dims;
  FlattenedMap result = flat;
  result.num_dims = 0;
  result.first_range = num_runtime;
  result.outer.assign(flat.outer.begin() + flat.num_dims, flat.outer.end());
  result.ranges.assign(flat.outer.begin(), flat.outer.begin() + flat.num_dims);
  llvm::append_range(result.ranges, flat.ranges);
  auto rename = [&](SymbolicExpr e) {
    return Rename(e, *flat.context, [&](VarKind, int64_t k) {
      bool runtime = k >= flat.num_dims && k < flat.num_outer();
      int64_t to = runtime ? k - flat.num_dims : k < flat.num_dims ? num_runtime + k : k;
      return flat.context->Dim(to);
    });
  };
  for (SymbolicExpr& e : result.results) e = rename(e);
  for (Constraint& c : result.constraints) c.expr = rename(c.expr);
  return result;
}

std::string BijectionProver::Describe(llvm::ArrayRef<int64_t> inputs) const {
  std::string text;
  for (size_t k = 0; k < inputs.size(); ++k) {
    int64_t range = static_cast<int64_t>(k) - flat_.num_dims;
    text += text.empty() ? "" : ", ";
    text += range < 0 ? map_.VariableName(VarKind::kDim, static_cast<int64_t>(k))
                      : DefaultVariableName(VarKind::kRange, range);
    text += " = " + std::to_string(inputs[k]);
  }
  return text;
}

bool BijectionProver::Proves(std::vector<Interval> variables, Formula claim) {
  SolverQuery q{.context = flat_.context, .variables = std::move(variables), .names = {}};
  q.claim = std::move(claim);
  SolverResult answer = Decide(q, options_);
  strongest_ = std::max(strongest_, answer.engine);
  if (!disagreement_) disagreement_ = answer.disagreement;
  return answer.verdict == Verdict::kProved;
}

MapProofResult BijectionProver::Inside() {
  if (flat_.empty) return Settled(Verdict::kProved, Engine::kIntervalAnalysis);
  std::vector<Interval> variables = flat_.outer;
  llvm::append_range(variables, flat_.ranges);
  std::vector<Formula> inside;
  inside.reserve(shape_.size());
  for (size_t i = 0; i < shape_.size(); ++i) {
    inside.push_back(Formula::In(flat_.results[i], {0, shape_[i] - 1}));
  }
  SolverQuery q{.context = flat_.context, .variables = variables, .names = {}};
  q.claim = Formula::Implies(flat_.Domain(/*bounds=*/false), Formula::And(std::move(inside)));
  SolverResult found = Decide(q, options_);
  MapProofResult answer = Settled(found.verdict, found.engine);
  answer.reason = found.reason;
  answer.disagreement = found.disagreement;
  if (found.verdict != Verdict::kRefuted) return answer;
  llvm::ArrayRef<int64_t> point(found.counterexample);
  std::vector<int64_t> inputs = point.take_front(flat_.num_dims).vec();
  llvm::append_range(inputs, point.drop_front(flat_.num_outer()));
  answer.counterexample = MapCounterexample{
      .dims = point.take_front(flat_.num_dims).vec(),
      .runtime = point.slice(flat_.num_dims, flat_.num_outer() - flat_.num_dims).vec()};
  answer.counterexample->note = "outside the shape at " + Describe(inputs);
  FlattenedMap fixed = inputs_;
  for (size_t k = 0; k < inputs.size(); ++k) fixed.ranges[k] = Interval::Point(inputs[k]);
  PointSets sets(fixed);
  TupleSet there;
  sets.SetPoint(answer.counterexample->runtime);
  if (sets.Compute(there)) answer.counterexample->lhs = there.Sample({}, 1);
  return answer;
}

bool BijectionProver::CountsMatch() const {
  if (!flat_.constraints.empty() || flat_.empty) return false;
  std::vector<Interval> indices;
  for (int64_t size : shape_) indices.push_back({0, size - 1});
  std::optional<int64_t> points = CountBox(inputs_.ranges);
  return points && points == CountBox(indices);
}

namespace {

std::optional<MapProofResult> Refuse(const IndexingMap& a) {
  if (a.IsUndefined()) return MapProofResult{.reason = "the map is undefined"};
  return std::nullopt;
}

std::optional<MapProofResult> Refuse(const IndexingMap& a, llvm::ArrayRef<int64_t> shape) {
  if (auto refused = Refuse(a)) return refused;
  if (HasNegativeSize(shape)) return MapProofResult{.reason = kNegativeSize};
  if (!a.IsKnownEmpty() && shape.size() != a.results().size()) {
    return MapProofResult{.reason = "the map has " + std::to_string(a.results().size()) +
                                    " results and the shape " + std::to_string(shape.size()) +
                                    " dimensions"};
  }
  return std::nullopt;
}

MapProofResult Bijection(const IndexingMap& a, llvm::ArrayRef<int64_t> shape,
                         const DecideOptions& options) {
  BijectionProver prover(a, shape, options);
  MapProofResult inside = prover.Inside();
  if (inside.verdict != Verdict::kProved) return inside;
  MapProofResult injective = prover.Injective();
  if (injective.verdict != Verdict::kProved) return injective;
  Engine engine = std::max(inside.engine, injective.engine);
  if (prover.CountsMatch()) return {.verdict = Verdict::kProved, .engine = engine};
  MapProofResult surjective = prover.Surjective();
  surjective.engine = std::max(engine, surjective.engine);
  return surjective;
}

}  // namespace

MapProofResult ProveInjective(const IndexingMap& a, const DecideOptions& options) {
  if (auto refused = Refuse(a)) return *refused;
  return Timed([&] { return BijectionProver(a, {}, options).Injective(); });
}

MapProofResult ProveSurjective(const IndexingMap& a, llvm::ArrayRef<int64_t> shape,
                               const DecideOptions& options) {
  if (auto refused = Refuse(a, shape)) return *refused;
  return Timed([&] { return BijectionProver(a, shape, options).Surjective(); });
}

MapProofResult ProveBijection(const IndexingMap& a, llvm::ArrayRef<int64_t> shape,
                              const DecideOptions& options) {
  if (auto refused = Refuse(a, shape)) return *refused;
  return Timed([&] {
    return ProveOnce(MapClaim::kBijection, a, {}, shape, options,
                     [&] { return Bijection(a, shape, options); });
  });
}

}  // namespace affirm
