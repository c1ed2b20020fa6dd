// The maps of the body, composed as those of a fusion are; then each runtime variable becomes an
// expression of the trip, stays (what it is does not change), or may have any value.
#include "core/analysis/loops/trip_maps.h"

#include <iterator>
#include <numeric>

#include "core/analysis/computation.h"
#include "core/analysis/loops/trip_count.h"
#include "core/analysis/ops/op_helpers.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::analysis {

IndexingMap OverVariables(const IndexingMap& map, SymbolicExpr::Substitution fn,
                          std::vector<Variable> dims, std::vector<Variable> ranges,
                          llvm::ArrayRef<int64_t> kept, llvm::ArrayRef<SymbolicExpr> results,
                          llvm::ArrayRef<Constraint> more) {
  Context& context = *map.context();
  std::vector<SymbolicExpr> now_runtime(map.runtime().size());
  for (size_t i = 0; i < kept.size(); ++i) {
    now_runtime[kept[i]] = context.Runtime(static_cast<int64_t>(i));
  }
  auto all = [&](VarKind kind, int64_t i) {
    SymbolicExpr e = fn(kind, i);
    return e || kind != VarKind::kRuntime ? e : now_runtime[i];
  };
  std::vector<Variable> runtime;
  for (int64_t i : kept) runtime.push_back(map.runtime()[i]);
  const std::vector<Variable> others = runtime;
  for (Variable& v : runtime) v = RebaseRuntimeSource(v, all, dims, ranges, others);
  std::vector<Constraint> constraints(more.begin(), more.end());
  for (const Constraint& c : map.constraints()) {
    constraints.push_back({c.expr.Substitute(all), c.bounds});
  }
  std::vector<SymbolicExpr> put;
  for (SymbolicExpr e : results) put.push_back(e.Substitute(all));
  return IndexingMap(context, put, std::move(dims), std::move(ranges), std::move(runtime),
                     constraints);
}

std::vector<int64_t> AllOf(const std::vector<Variable>& variables) {
  std::vector<int64_t> all(variables.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

namespace {

SymbolicExpr Unchanged(VarKind, int64_t) { return {}; }

}  // namespace

IndexingMap WithDim(const IndexingMap& map, Interval bounds) {
  if (map.state() != IndexingMap::State::kNormal) return map;
  std::vector<Variable> dims = map.dims();
  dims.push_back({bounds, "", std::nullopt});
  return OverVariables(map, Unchanged, std::move(dims), map.ranges(), AllOf(map.runtime()),
                       map.results());
}

IndexingMap WithLastDim(const IndexingMap& map, int64_t value) {
  if (map.state() != IndexingMap::State::kNormal) return map;
  const int64_t last = std::ssize(map.dims()) - 1;
  if (!map.dims()[last].bounds.Contains(value)) return IndexingMap::KnownEmpty(*map.context());
  auto fn = [&](VarKind kind, int64_t i) {
    return kind == VarKind::kDim && i == last ? map.context()->Constant(value) : SymbolicExpr();
  };
  std::vector<Variable> dims(map.dims().begin(), map.dims().end() - 1);
  return OverVariables(map, fn, std::move(dims), map.ranges(), AllOf(map.runtime()), map.results());
}

IndexingMap WithTripResult(const IndexingMap& map, const NextTrip& next) {
  if (map.state() != IndexingMap::State::kNormal) return map;
  std::vector<SymbolicExpr> results(map.results().begin(), map.results().end());
  results.push_back(next.trip);
  std::vector<Variable> ranges = map.ranges();
  if (next.any) ranges.push_back({*next.any, "", std::nullopt});
  return OverVariables(map, Unchanged, map.dims(), std::move(ranges), AllOf(map.runtime()), results,
                       next.constraints);
}

TripMaps::TripMaps(const hlo::Instruction& loop, Session& session)
    : session_(session),
      parts_(PartsOf(loop)),
      sites_(*parts_.body),
      is_body_shared_(IsCalledTwice(*parts_.body, session)) {
  const std::vector<Counter> counters = CountersOf(loop, session.context);
  trips_ = TripsByCondition(loop, counters, session.context);
  if (!trips_ || *trips_ == 0) return;
  ScalarValues::Carried carried;
  for (const Counter& counter : counters) {
    // One that wraps has no value in ScalarValues.
    carried[counter.leaf] = session.context.Dim(0) * counter.step + counter.first;
  }
  values_.emplace(sites_, std::move(carried), Interval{0, *trips_ - 1}, session.context);
}

bool TripMaps::IsInvariantLeaf(InstructionLeaf at) {
  while (InstructionLeaf next = HandedThrough(*at.op, at.leaf)) at = next;
  const auto key = std::make_pair(at.op, at.leaf);
  const auto [known, is_new] = invariant_.try_emplace(key, false);
  if (!is_new) return known->second;
  bool same = false;
  if (at.op->opcode == hlo::Opcode::kParameter) {
    const std::vector<InstructionLeaf> arguments = sites_.Arguments(*at.op, at.leaf);
    // Several calls may pass different arguments, even if each is invariant.
    same = at.op->parent == parts_.body ? IsPassedThrough(*parts_.body, at.leaf)
                                        : arguments.size() == 1 && IsInvariantLeaf(arguments[0]);
  } else if (at.op->called.empty() && at.op->opcode != hlo::Opcode::kRng &&
             at.op->opcode != hlo::Opcode::kRngGetAndUpdateState &&
             at.op->opcode != hlo::Opcode::kCustomCall && at.op->opcode != hlo::Opcode::kInfeed &&
             at.op->opcode != hlo::Opcode::kRecv && at.op->opcode != hlo::Opcode::kUnknown) {
    same = llvm::all_of(at.op->operands, [&](const hlo::Instruction* operand) {
      for (int64_t leaf = 0; leaf < hlo::NumLeaves(operand->shape); ++leaf) {
        if (!IsInvariantLeaf({operand, leaf})) return false;
      }
      return true;
    });
  }
  invariant_[key] = same;
  return same;
}

bool TripMaps::IsInvariant(const hlo::Instruction& op) {
  return op.shape.IsArray() && IsInvariantLeaf({&op, 0});
}

SymbolicExpr TripMaps::ValueInTrip(const RuntimeSource& source) {
  const hlo::Instruction* producer = sites_.Find(source.producer);
  if (!values_ || !producer || !producer->shape.IsScalar()) return {};
  const SymbolicExpr value = values_->ValueOf({producer, 0});
  if (!value) return {};
  // Both ends of the clamp; most are seen not to matter.
  RangeAnalysis range;
  const std::vector<Variable> trip = {{{0, *trips_ - 1}, "", std::nullopt}};
  range.Reset(trip, {}, {}, {});
  const Interval all = range.Of(value);
  SymbolicExpr clamped = value;
  if (!all.Within({source.clamp.lower, kInt64Max})) clamped = clamped.Max(source.clamp.lower);
  if (!all.Within({kInt64Min, source.clamp.upper})) clamped = clamped.Min(source.clamp.upper);
  const TripValue used{source.producer, source.clamp, clamped};
  if (!llvm::is_contained(used_, used)) used_.push_back(used);
  return clamped;
}

LabeledMap TripMaps::InTrip(const LabeledMap& labeled) {
  const IndexingMap& map = labeled.map;
  if (map.state() != IndexingMap::State::kNormal || labeled.replica_id) {
    return Unknown(labeled.leaf);
  }
  Context& context = session_.context;
  std::vector<Variable> dims = map.dims(), ranges = map.ranges();
  const SymbolicExpr trip = context.Dim(std::ssize(dims));
  if (trips_) dims.push_back({{0, *trips_ - 1}, "", std::nullopt});
  std::vector<SymbolicExpr> known(map.runtime().size());
  std::vector<int64_t> kept;
  std::vector<Constraint> more;
  LabeledMap out = labeled;
  for (size_t i = 0; i < known.size(); ++i) {
    const Variable& v = map.runtime()[i];
    if (!v.source) return Unknown(labeled.leaf);
    if (SymbolicExpr value = ValueInTrip(*v.source)) {
      known[i] = value.Substitute([&](VarKind, int64_t) { return trip; });
      if (v.bounds != v.source->clamp) more.push_back({known[i], v.bounds});
      continue;
    }
    const hlo::Instruction* producer = sites_.Find(v.source->producer);
    if (producer && !is_body_shared_ && IsInvariant(*producer)) {
      kept.push_back(static_cast<int64_t>(i));
      continue;
    }
    known[i] = context.Range(std::ssize(ranges));
    ranges.push_back({v.bounds, "", std::nullopt});
    out.exactness = Weaker(out.exactness, Exactness::kOverApproximate);
  }
  auto fn = [&](VarKind kind, int64_t i) {
    return kind == VarKind::kRuntime ? known[i] : SymbolicExpr();
  };
  out.map = Canonical(
      OverVariables(map, fn, std::move(dims), std::move(ranges), kept, map.results(), more));
  return out;
}

namespace {

// Drops maps that say of some elements what an exact map says of all: what is kept where a trip
// does not write is no news of an array that is read in full.
void DropNarrower(std::vector<LabeledMap>& maps) {
  auto is_narrower = [&](const LabeledMap& m) {
    return llvm::any_of(maps, [&](const LabeledMap& all) {
      if (all.leaf != m.leaf || all.exactness != Exactness::kExact) return false;
      return all.map.state() == IndexingMap::State::kNormal &&
             m.map.state() == IndexingMap::State::kNormal && all.map.ranges().empty() &&
             all.map.runtime().empty() && all.map.constraints().empty() &&
             !m.map.constraints().empty() && all.map.dims() == m.map.dims() &&
             all.map.results() == m.map.results();
    });
  };
  std::vector<LabeledMap> kept;
  llvm::copy_if(maps, std::back_inserter(kept),
                [&](const LabeledMap& m) { return !is_narrower(m); });
  maps = std::move(kept);
}

}  // namespace

std::vector<LabeledMap> TripMaps::From(int64_t leaf) {
  const InstructionIndexing body = ToParameters(*parts_.body, leaf, session_);
  std::vector<LabeledMap> maps;
  if (body.maps.size() != 1) {
    for (int64_t to = 0; to < hlo::NumLeaves(parts_.body->parameters[0]->shape); ++to) {
      maps.push_back(Unknown(to));
    }
    return maps;
  }
  for (const LabeledMap& m : body.maps[0]) {
    LabeledMap in_trip = InTrip(m);
    if (!in_trip.map.IsKnownEmpty()) AddDistinct(maps, std::move(in_trip));
  }
  DropNarrower(maps);
  return maps;
}

}  // namespace affirm::analysis
