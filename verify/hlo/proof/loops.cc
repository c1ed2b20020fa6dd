// Induction: each claim is a comparison of unions of maps, over the index of an array and the trip.
#include "verify/hlo/proof/loops.h"

#include <algorithm>
#include <utility>

#include "core/hlo/leaves.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/proof/composition.h"
#include "verify/hlo/proof/paths.h"
#include "verify/hlo/proof/rebase_runtime_source.h"
#include "verify/hlo/proof/runtime_congruence.h"
#include "verify/hlo/proof/scalar_execution.h"
#include "verify/maps/flattened_map.h"

namespace affirm {
namespace {

// The new variables of a map.
struct Variables {
  std::vector<Variable> dims, ranges;
  std::vector<int64_t> kept;  // the runtime variables that stay
};

// The map with its variables replaced, `more` results behind its own, and more constraints.
IndexingMap Replace(const IndexingMap& map, const Variables& now,
                    llvm::function_ref<SymbolicExpr(VarKind, int64_t)> to,
                    llvm::ArrayRef<SymbolicExpr> more = {},
                    llvm::ArrayRef<Constraint> constraints = {}) {
  Context& context = *map.context();
  std::vector<Variable> runtime;
  runtime.reserve(now.kept.size());
  for (int64_t i : now.kept) runtime.push_back(map.runtime()[i]);
  const std::vector<Variable> others = runtime;
  for (Variable& v : runtime) v = RebaseRuntimeVariable(v, to, now.dims, now.ranges, others);
  std::vector<SymbolicExpr> results;
  for (SymbolicExpr e : map.results()) results.push_back(Rename(e, context, to));
  results.insert(results.end(), more.begin(), more.end());
  std::vector<Constraint> all(constraints.begin(), constraints.end());
  for (const Constraint& c : map.constraints()) {
    all.push_back({Rename(c.expr, context, to), c.bounds});
  }
  return IndexingMap(context, results, now.dims, now.ranges, std::move(runtime), all);
}

Variables SameVariables(const IndexingMap& map) {
  Variables same{map.dims(), map.ranges(), {}};
  for (int64_t i = 0; i < std::ssize(map.runtime()); ++i) same.kept.push_back(i);
  return same;
}

bool MakesNoClaim(const LabeledMap& m) {
  return m.exactness == Exactness::kUnknown || m.map.IsUndefined();
}

}  // namespace

LoopProof::LoopProof(const hlo::Instruction& loop, CarriedMaps carried, CallProofs& proofs)
    : loop_(loop),
      context_(proofs.context),
      options_(proofs.options),
      carried_(std::move(carried)),
      leaves_(hlo::LeafShapes(loop.shape)),
      invariants_(ComputationsOf(loop).body) {
  Run(proofs);
}

void LoopProof::Run(CallProofs& proofs) {
  if (!ComputationsOf(loop_).body) {
    problem_ = "the loop is not well-formed";
    return;
  }
  if (carried_.trips.value_or(0) < 0) problem_ = "no loop runs less than 0 times";
  if (carried_.trips && problem_.empty()) {
    problem_ = RefuteTrips(loop_, *carried_.trips, carried_.values, never_);
  }
  if (!problem_.empty()) return;
  is_body_shared_ = proofs.callers.AreSeveral(*ComputationsOf(loop_).body);
  for (const auto& [output, maps] : carried_.maps) FindBody(output, proofs);
  for (const auto& [output, maps] : carried_.maps) {
    for (const LabeledMap& m : maps) claims_[{output, m.leaf}].push_back(m);
  }
  // Each pair alone; then a pair holds when those hold that its step takes for granted.
  const int64_t leaves = std::ssize(leaves_);
  for (const auto& [output, maps] : carried_.maps) {
    for (int64_t leaf = 0; leaf < leaves; ++leaf) {
      proved_[{output, leaf}] = ProvePair({output, leaf});
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& [pair, answer] : proved_) {
      if (answer.verdict != Verdict::kProved) continue;
      for (int64_t through : needs_.at(pair.first)) {
        const auto needed = proved_.find({through, pair.second});
        if (needed != proved_.end() && needed->second.verdict == Verdict::kProved) continue;
        answer = {.reason = "what is read through leaf " + std::to_string(through) +
                            " of what is carried is not known"};
        changed = true;
        break;
      }
    }
  }
}

LabeledMap LoopProof::InTrip(const LabeledMap& labeled) const {
  const IndexingMap& map = labeled.map;
  Variables now{map.dims(), map.ranges(), {}};
  const SymbolicExpr trip = context_.Dim(std::ssize(now.dims));
  if (carried_.trips) now.dims.push_back({{0, *carried_.trips - 1}, "", std::nullopt});
  std::vector<SymbolicExpr> runtime(map.runtime().size());
  std::vector<Constraint> constraints;
  LabeledMap out = labeled;
  for (size_t i = 0; i < runtime.size(); ++i) {
    const Variable& v = map.runtime()[i];
    const auto value = llvm::find_if(carried_.values, [&](const TripValue& claim) {
      return v.source && claim.producer == v.source->producer && claim.clamp == v.source->clamp;
    });
    if (v.source && never_.contains(v.source->producer)) {
      // The users of this value never run, and read nothing.
      out.map = IndexingMap::KnownEmpty(context_);
      return out;
    }
    if (value != carried_.values.end() && carried_.trips) {
      runtime[i] = Rename(value->value, context_, [&](VarKind, int64_t) { return trip; });
      constraints.push_back({runtime[i], v.bounds});
    } else if (v.source && !is_body_shared_ && invariants_.Contains(v.source->producer)) {
      runtime[i] = context_.Runtime(std::ssize(now.kept));
      now.kept.push_back(static_cast<int64_t>(i));
    } else {
      // Any value that it can have: what is read is among this.
      runtime[i] = context_.Range(std::ssize(now.ranges));
      now.ranges.push_back({v.bounds, "", std::nullopt});
      out.exactness = std::max(out.exactness, Exactness::kOverApproximate);
    }
  }
  auto to = [&](VarKind kind, int64_t i) {
    return kind == VarKind::kRuntime ? runtime[i] : context_.Variable(kind, i);
  };
  out.map = Replace(map, now, to, {}, constraints);
  return out;
}

void LoopProof::FindBody(int64_t output, CallProofs& proofs) {
  std::vector<LabeledMap>& maps = body_[output];
  std::set<int64_t>& needs = needs_[output];
  if (carried_.trips && *carried_.trips == 0) return;
  const hlo::Computation& body = *ComputationsOf(loop_).body;
  const ParameterPaths& paths = PathsInOneRun(body, output, proofs);
  for (auto [leaf, of_leaf] : llvm::enumerate(paths.front())) {
    if (!of_leaf.problem.empty() || !of_leaf.maps.empty()) {
      needs.insert(static_cast<int64_t>(leaf));
    }
    is_widened_ |= of_leaf.is_widened;
    if (!of_leaf.problem.empty()) {
      body_problems_[{output, static_cast<int64_t>(leaf)}] = of_leaf.problem;
    }
    for (const LabeledMap& m : of_leaf.maps) maps.push_back(InTrip(m));
  }
}

llvm::ArrayRef<LabeledMap> LoopProof::Claims(Pair pair) const {
  const auto found = claims_.find(pair);
  if (found == claims_.end()) return {};
  return found->second;
}

LabeledMap LoopProof::Start(int64_t leaf) const {
  return {IndexingMap::Identity(context_, leaves_[leaf]->dims), Exactness::kExact, leaf,
          std::nullopt};
}

std::vector<LabeledMap> LoopProof::AtTrip(llvm::ArrayRef<LabeledMap> maps, int64_t trip) const {
  std::vector<LabeledMap> out;
  for (LabeledMap m : maps) {
    if (!carried_.trips || !IsNormal(m.map)) {
      out.push_back(std::move(m));
      continue;
    }
    Variables now = SameVariables(m.map);
    const int64_t last = std::ssize(now.dims) - 1;
    const SymbolicExpr at = context_.Constant(trip);
    const Constraint inside{at, now.dims[last].bounds};
    now.dims.pop_back();
    m.map = Replace(m.map, now,
                    [&](VarKind kind, int64_t i) {
                      return kind == VarKind::kDim && i == last ? at : context_.Variable(kind, i);
                    },
                    {}, {inside});
    out.push_back(std::move(m));
  }
  return out;
}

// Over (index, t) for t in [0, trips - 1]: what is claimed after t + 1 trips.
std::vector<LabeledMap> LoopProof::OneTripLater(llvm::ArrayRef<LabeledMap> maps) const {
  std::vector<LabeledMap> out;
  for (LabeledMap m : maps) {
    if (carried_.trips && IsNormal(m.map)) {
      Variables now = SameVariables(m.map);
      const int64_t last = std::ssize(now.dims) - 1;
      const SymbolicExpr later = context_.Dim(last) + 1;
      const Constraint inside{later, now.dims[last].bounds};
      now.dims[last].bounds = {0, *carried_.trips - 1};
      m.map =
          Replace(m.map, now,
                  [&](VarKind kind, int64_t i) {
                    return kind == VarKind::kDim && i == last ? later : context_.Variable(kind, i);
                  },
                  {}, {inside});
    }
    out.push_back(std::move(m));
  }
  return out;
}

MapProofResult LoopProof::Compare(llvm::ArrayRef<LabeledMap> read,
                                  llvm::ArrayRef<LabeledMap> claimed) const {
  if (read.empty() && claimed.empty()) return {.verdict = Verdict::kProved};
  return CompareWithPaths({read.vec(), ""}, claimed, options_);
}

MapProofResult LoopProof::ProvePair(Pair pair) const {
  const llvm::ArrayRef<LabeledMap> claims = Claims(pair);
  if (llvm::any_of(claims, MakesNoClaim)) return {.reason = "a map makes no claim"};
  for (int64_t through : needs_.at(pair.first)) {
    const auto problem = body_problems_.find({pair.first, through});
    if (problem == body_problems_.end() || Claims({through, pair.second}).empty()) continue;
    return {.reason = "in the body: " + problem->second};
  }
  // The index of the array, and the trip.
  const size_t dims = leaves_[pair.first]->dims.size() + (carried_.trips ? 1 : 0);
  for (const LabeledMap& m : claims) {
    if (IsNormal(m.map) && m.map.dims().size() != dims) return {.reason = "a map has other dims"};
  }
  std::vector<LabeledMap> start;
  if (pair.first == pair.second) start.push_back(Start(pair.first));
  MapProofResult base = Compare(start, AtTrip(claims, 0));
  if (base.verdict != Verdict::kProved) {
    if (base.reason.empty()) base.reason = "before the first trip";
    return base;
  }
  std::vector<LabeledMap> read;
  for (const LabeledMap& edge : body_.at(pair.first)) {
    LabeledMap body = edge;
    if (carried_.trips && IsNormal(edge.map)) {
      const SymbolicExpr trip = context_.Dim(std::ssize(edge.map.dims()) - 1);
      body.map =
          Replace(edge.map, SameVariables(edge.map),
                  [&](VarKind kind, int64_t i) { return context_.Variable(kind, i); }, {trip});
    }
    for (const LabeledMap& before : Claims({edge.leaf, pair.second})) {
      if (MakesNoClaim(before)) return {.reason = "a map makes no claim"};
      LabeledMap longer{ComposeByDefinition(body.map, before.map),
                        std::max(body.exactness, before.exactness), pair.second, std::nullopt};
      if (!llvm::is_contained(read, longer)) read.push_back(std::move(longer));
    }
  }
  if (carried_.trips && *carried_.trips == 0) return base;
  MapProofResult step = Compare(read, OneTripLater(claims));
  step.engine = std::max(step.engine, base.engine);
  return step;
}

MapProofResult LoopProof::Prove(int64_t output, int64_t leaf,
                                llvm::ArrayRef<LabeledMap> maps) const {
  if (!problem_.empty()) return {.reason = problem_};
  const auto found = proved_.find({output, leaf});
  if (found == proved_.end()) return {.reason = "no invariant of the loop is known"};
  if (found->second.verdict == Verdict::kUnknown) return found->second;
  if (found->second.verdict == Verdict::kRefuted) {
    // The counterexample is one of the invariant, at a trip, and not of these maps.
    std::string reason = is_widened_ ? "an invariant of the loop is not seen to hold for what is "
                                       "taken to be read in place of too many paths"
                                     : "an invariant of the loop does not hold";
    const MapProofResult& refuted = found->second;
    if (refuted.counterexample) {
      reason += ", at " + refuted.counterexample->ToString(IndexingMap::Undefined());
    }
    return {.reason = reason};
  }
  if (llvm::any_of(maps, MakesNoClaim)) return {.reason = "a map makes no claim"};
  MapProofResult end = Compare(AtTrip(Claims({output, leaf}), carried_.trips.value_or(0)), maps);
  end.engine = std::max(end.engine, found->second.engine);
  return end;
}

}  // namespace affirm
