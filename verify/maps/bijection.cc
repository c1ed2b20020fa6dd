// Whether a map is injective, surjective, a bijection onto an array: by enumeration, by an inverse
// that is read off the results, by isl.
#include <algorithm>
#include <utility>

#include "core/symbolic/context.h"
#include "core/symbolic/text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/maps/flattened_map.h"
#include "verify/maps/isl_maps.h"
#include "verify/maps/map_queries.h"
#include "verify/maps/maps.h"
#include "verify/maps/point_set.h"
#include "verify/maps/portfolio_result.h"
#include "verify/maps/timing.h"
#include "verify/maps/witness.h"

namespace affirm {
namespace {

class BijectionProver {
 public:
  BijectionProver(const IndexingMap& map, llvm::ArrayRef<int64_t> shape,
                  const DecideOptions& options)
      : map_(map),
        flat_(Flatten(map, static_cast<int64_t>(map.dims().size() + map.runtime().size()),
                      *map.context(), /*keep_unused=*/true)),
        inputs_(InputsAsRanges(flat_)),
        shape_(shape),
        options_(options) {}

  MapProofResult Injective();
  MapProofResult Surjective();
  MapProofResult Inside();
  // For a map that is injective with all results inside the shape: whether it has as many points as
  // the shape has indices, and so is surjective.
  bool CountsMatch() const;

 private:
  bool Wants(Engine e) const { return !options_.only || *options_.only == e; }
  // The map with runtime variables as its only outer ones, and with dims and ranges, in this order,
  // as its ranges.
  static FlattenedMap InputsAsRanges(const FlattenedMap& flat);
  bool Proves(std::vector<Interval> variables, Formula claim);  // notes the engine
  bool InjectiveByInverse();   // a left inverse: it gives back the inputs from the result
  bool SurjectiveByInverse();  // a right inverse: it gives an input for each index
  bool InjectiveByEnumeration(MapProofResult& answer);
  bool SurjectiveByEnumeration(MapProofResult& answer);
  MapProofResult InjectiveByIsl();
  MapProofResult SurjectiveByIsl();
  // What the search for an inverse says.
  MapProofResult ByInverse(bool found) const {
    return found ? Settled(Verdict::kProved, strongest_)
                 : MapProofResult{.reason = "no inverse was found", .disagreement = disagreement_};
  }
  MapProofResult Settled(Verdict v, Engine e) const { return {.verdict = v, .engine = e}; }
  MapProofResult NotInjective(Engine engine, llvm::ArrayRef<int64_t> runtime,
                              llvm::ArrayRef<int64_t> first, llvm::ArrayRef<int64_t> second,
                              const WideTuple& result) const;
  MapProofResult NotSurjective(Engine engine, llvm::ArrayRef<int64_t> runtime,
                               llvm::ArrayRef<int64_t> index) const;
  std::string Describe(llvm::ArrayRef<int64_t> inputs) const;

  const IndexingMap& map_;
  FlattenedMap flat_, inputs_;
  llvm::ArrayRef<int64_t> shape_;
  const DecideOptions& options_;
  Engine strongest_ = Engine::kIntervalAnalysis;
  std::optional<EngineDisagreement> disagreement_;  // about a part of the query
};

std::string TupleText(const WideTuple& tuple) {
  std::string text = "(";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(tuple, os);
  return text + ")";
}

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

MapProofResult BijectionProver::NotSurjective(Engine engine, llvm::ArrayRef<int64_t> runtime,
                                              llvm::ArrayRef<int64_t> index) const {
  MapProofResult answer = Settled(Verdict::kRefuted, engine);
  answer.counterexample = MapCounterexample{.runtime = runtime.vec(), .rhs = {Widened(index)}};
  answer.counterexample->note = TupleText(Widened(index)) + " never appears";
  return answer;
}

bool BijectionProver::Proves(std::vector<Interval> variables, Formula claim) {
  SolverQuery q{.context = flat_.context, .variables = std::move(variables), .names = {}};
  q.claim = std::move(claim);
  SolverResult answer = Decide(q, options_);
  strongest_ = std::max(strongest_, answer.engine);
  if (!disagreement_) disagreement_ = answer.disagreement;
  return answer.verdict == Verdict::kProved;
}

bool BijectionProver::InjectiveByInverse() {
  int64_t others = inputs_.num_outer() + inputs_.num_ranges();
  std::vector<SymbolicExpr> targets;
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

bool BijectionProver::InjectiveByEnumeration(MapProofResult& answer) {
  int64_t limit = options_.budget.enumeration_points;
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
  const std::string& smt2 = options_.smt2_directory;
  if (!smt2.empty()) WriteSmtLib(InjectivityQuery(flat_), smt2);
  PortfolioResult portfolio(options_.cross_check);
  MapProofResult answer;
  bool enough =
      Wants(Engine::kEnumeration) && InjectiveByEnumeration(answer) && portfolio.Add(answer);
  enough = enough || portfolio.Add(ByInverse(InjectiveByInverse()));
  if (!enough && Wants(Engine::kIsl)) portfolio.Add(InjectiveByIsl());
  return portfolio.Take();
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

bool BijectionProver::SurjectiveByEnumeration(MapProofResult& answer) {
  int64_t limit = options_.budget.enumeration_points;
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
  const std::string& smt2 = options_.smt2_directory;
  if (!smt2.empty()) WriteSmtLib(SurjectivityQuery(flat_, shape_), smt2);
  PortfolioResult portfolio(options_.cross_check);
  MapProofResult answer;
  bool enough =
      Wants(Engine::kEnumeration) && SurjectiveByEnumeration(answer) && portfolio.Add(answer);
  enough = enough || portfolio.Add(ByInverse(SurjectiveByInverse()));
  if (!enough && Wants(Engine::kIsl)) portfolio.Add(SurjectiveByIsl());
  return portfolio.Take();
}

MapProofResult BijectionProver::SurjectiveByIsl() {
  IslResult finding = IslSurjective(flat_, shape_, options_.budget);
  if (finding.verdict == Verdict::kProved) return Settled(Verdict::kProved, Engine::kIsl);
  if (finding.verdict == Verdict::kUnknown) return {.reason = finding.reason};
  // That the index never appears is checked with the result fixed, by asking for an input that
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

MapProofResult BijectionProver::Inside() {
  if (flat_.empty) return Settled(Verdict::kProved, Engine::kIntervalAnalysis);
  std::vector<Interval> variables = flat_.outer;
  llvm::append_range(variables, flat_.ranges);
  std::vector<Formula> inside;
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

std::optional<MapProofResult> Refuse(const IndexingMap& a, std::optional<size_t> rank) {
  if (a.IsUndefined()) return MapProofResult{.reason = "the map is undefined"};
  if (rank && !a.IsKnownEmpty() && *rank != a.results().size()) {
    return MapProofResult{.reason = "the map has " + std::to_string(a.results().size()) +
                                    " results and the shape " + std::to_string(*rank) +
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
  if (auto refused = Refuse(a, std::nullopt)) return *refused;
  return Timed([&] { return BijectionProver(a, {}, options).Injective(); });
}

MapProofResult ProveSurjective(const IndexingMap& a, llvm::ArrayRef<int64_t> shape,
                               const DecideOptions& options) {
  if (auto refused = Refuse(a, shape.size())) return *refused;
  return Timed([&] { return BijectionProver(a, shape, options).Surjective(); });
}

MapProofResult ProveBijection(const IndexingMap& a, llvm::ArrayRef<int64_t> shape,
                              const DecideOptions& options) {
  if (auto refused = Refuse(a, shape.size())) return *refused;
  return Timed([&] { return Bijection(a, shape, options); });
}

}  // namespace affirm
