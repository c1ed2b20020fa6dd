// The invariants, one group of leaves that depend on each other after the other, those that a group
// reads first. An element after t trips was computed from what the group had before the first trip,
// along a path of length t, and from what some trip u < t read of other leaves, along a path of
// length t - 1 - u.
#include "core/analysis/loops/carried_maps.h"

#include <algorithm>
#include <memory>
#include <set>

#include "core/analysis/computation.h"
#include "core/analysis/loops/last_write.h"
#include "core/analysis/loops/path_sets.h"
#include "core/analysis/loops/trip_count.h"
#include "core/analysis/loops/trip_maps.h"
#include "core/analysis/ops/op_helpers.h"
#include "core/hlo/trip_claim.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::analysis {

// Leaves may be asked for one after the other: what is known of those before stays.
class CarriedAnalysis {
 public:
  CarriedAnalysis(const hlo::Instruction& loop, Session& session)
      : loop_(loop), session_(session), context_(session.context), body_(loop, session) {}

  const CarriedMaps& Run(llvm::ArrayRef<int64_t> leaves) {
    for (const std::vector<int64_t>& group : Groups(Explore(leaves))) Solve(group);
    out_.trips = body_.trips();
    out_.values = body_.values();
    return out_;
  }

 private:
  bool HasTrip() const { return body_.trips().has_value(); }
  int64_t trips() const { return *body_.trips(); }
  const hlo::Shape& ShapeOf(int64_t leaf) const { return *LeafShape(loop_.shape, leaf); }

  // The maps of the body from these leaves and those that they lead to. Answers, in order, those
  // that were not explored before; what was does not lead to them.
  std::set<int64_t> Explore(llvm::ArrayRef<int64_t> leaves);
  // The groups of leaves that depend on each other, each after the groups that it reads.
  std::vector<std::vector<int64_t>> Groups(const std::set<int64_t>& leaves) const;
  void Solve(const std::vector<int64_t>& group);
  bool SolveByLastWrite(int64_t leaf);
  bool SolveByPaths(const std::vector<int64_t>& group);
  void SolveByBounds(const std::vector<int64_t>& group);
  void MarkUnknown(int64_t leaf);

  // The edges of the body within a group; those that depend on the trip are widened to all trips.
  GroupEdges EdgesWithin(const std::vector<int64_t>& group, bool& depends_on_trip) const;
  // The paths of length n, of which all of length n + k * period are (period 0: of length n alone).
  void AddPaths(int64_t leaf, const std::vector<LabeledMap>& paths, int64_t n, int64_t period,
                const std::vector<int64_t>& group);
  // Edges of the body that lead out of the group, and from there to the operand. `path` leads to
  // (index, trip u).
  void AddReads(int64_t leaf, const LabeledMap& path, const std::vector<int64_t>& group);
  void AddRead(int64_t leaf, const LabeledMap& path, const LabeledMap& edge);
  // Whether an edge leads from elements alone that the trip writes.
  static bool OnlyWhereWritten(const IndexingMap& edge, const LastWrite& write);
  // Whether what an edge reads, and what that was computed from, is the same in every trip.
  bool IsSameInEveryTrip(const LabeledMap& edge);
  void Add(int64_t leaf, LabeledMap map);

  const hlo::Instruction& loop_;
  Session& session_;
  Context& context_;
  TripMaps body_;
  std::map<int64_t, std::vector<LabeledMap>> edges_;  // of the body, by the leaf that it gives
  CarriedMaps out_;
};

std::set<int64_t> CarriedAnalysis::Explore(llvm::ArrayRef<int64_t> leaves) {
  std::set<int64_t> explored;
  std::vector<int64_t> next(leaves.begin(), leaves.end());
  while (!next.empty()) {
    const int64_t leaf = next.back();
    next.pop_back();
    const auto [at, is_new] = edges_.try_emplace(leaf);
    if (!is_new) continue;
    explored.insert(leaf);
    if (HasTrip() && trips() == 0) continue;
    at->second = body_.From(leaf);
    for (const LabeledMap& edge : at->second) next.push_back(edge.leaf);
  }
  return explored;
}

std::vector<std::vector<int64_t>> CarriedAnalysis::Groups(const std::set<int64_t>& leaves) const {
  std::map<int64_t, std::map<int64_t, bool>> reaches;
  for (int64_t leaf : leaves) {
    std::vector<int64_t> next = {leaf};
    reaches[leaf][leaf] = true;
    while (!next.empty()) {
      const int64_t at = next.back();
      next.pop_back();
      for (const LabeledMap& edge : edges_.at(at)) {
        if (!leaves.contains(edge.leaf)) continue;
        if (reaches[leaf].try_emplace(edge.leaf, true).second) next.push_back(edge.leaf);
      }
    }
  }
  auto needs = [&](int64_t a, int64_t b) { return reaches[a].count(b) > 0; };
  std::vector<std::vector<int64_t>> groups;
  std::map<int64_t, bool> placed;
  for (int64_t leaf : leaves) {
    if (placed[leaf]) continue;
    std::vector<int64_t> group;
    for (int64_t other : leaves) {
      if (needs(leaf, other) && needs(other, leaf)) {
        group.push_back(other);
        placed[other] = true;
      }
    }
    groups.push_back(std::move(group));
  }
  // A group reaches more leaves than any group that it depends on, and so comes after it.
  std::stable_sort(groups.begin(), groups.end(), [&](const auto& a, const auto& b) {
    return reaches[a[0]].size() < reaches[b[0]].size();
  });
  return groups;
}

void CarriedAnalysis::Add(int64_t leaf, LabeledMap map) {
  std::vector<LabeledMap>& list = out_.maps[leaf];
  const bool is_unknown = llvm::any_of(
      list, [&](const LabeledMap& m) { return m.leaf == map.leaf && m.map.IsUndefined(); });
  if (map.map.IsKnownEmpty() || is_unknown) return;
  if (map.map.IsUndefined()) {
    llvm::erase_if(list, [&](const LabeledMap& m) { return m.leaf == map.leaf; });
  }
  AddDistinct(list, std::move(map));
}

void CarriedAnalysis::MarkUnknown(int64_t leaf) {
  std::vector<int64_t> next = {leaf};
  std::map<int64_t, bool> seen = {{leaf, true}};
  while (!next.empty()) {
    const int64_t at = next.back();
    next.pop_back();
    Add(leaf, Unknown(at));
    for (const LabeledMap& edge : edges_.at(at)) {
      if (seen.try_emplace(edge.leaf, true).second) next.push_back(edge.leaf);
    }
  }
}

void CarriedAnalysis::Solve(const std::vector<int64_t>& group) {
  for (int64_t leaf : group) {
    for (const LabeledMap& edge : edges_.at(leaf)) {
      if (!edge.map.IsUndefined()) continue;
      for (int64_t other : group) MarkUnknown(other);
      return;
    }
  }
  if (HasTrip() && trips() == 0) {
    for (int64_t leaf : group) {
      const IndexingMap same = IndexingMap::Identity(context_, ShapeOf(leaf).dims);
      Add(leaf, Exact(WithDim(same, {0, 0}), leaf));
    }
    return;
  }
  if (group.size() == 1 && SolveByLastWrite(group[0])) return;
  if (!SolveByPaths(group)) SolveByBounds(group);
}

bool CarriedAnalysis::SolveByLastWrite(int64_t leaf) {
  if (!HasTrip()) return false;
  const LabeledMap* keeps = nullptr;
  for (const LabeledMap& edge : edges_.at(leaf)) {
    if (edge.leaf != leaf) continue;
    if (keeps || edge.exactness != Exactness::kExact) return false;
    keeps = &edge;
  }
  if (!keeps || keeps->map.constraints().empty()) return false;
  const std::optional<LastWrite> write = FindLastWrite(keeps->map);
  if (!write) return false;
  const IndexingMap here =
      WithDim(IndexingMap::Identity(context_, ShapeOf(leaf).dims), {0, trips()});
  // Elements outside of the bounds are overwritten too, and the constraint does not say so.
  if (!llvm::equal(llvm::ArrayRef(keeps->map.dims()).drop_back(),
                   llvm::ArrayRef(here.dims()).drop_back())) {
    return false;
  }
  IndexingMap kept = here;
  const Interval bounds = here.RangeOf(write->kept.expr).Intersect(write->kept.bounds);
  kept.AddConstraint(write->kept.expr, bounds);
  Add(leaf, Exact(Canonical(kept), leaf));
  for (const LabeledMap& edge : edges_.at(leaf)) {
    if (edge.leaf == leaf) continue;
    // In a trip that writes the element; in the last one, if every trip reads the same; in any.
    NextTrip next;
    const SymbolicExpr t = context_.Dim(std::ssize(here.dims()) - 1);
    if (OnlyWhereWritten(edge.map, *write)) {
      next = {write->trip, write->written, std::nullopt};
    } else if (IsSameInEveryTrip(edge)) {
      next = {t - 1, {{t - 1, {0, trips() - 1}}}, std::nullopt};
    } else {
      const SymbolicExpr u = context_.Range(0);
      next = {u, {write->KeptAfter(u), {t - u, {1, trips()}}}, Interval{0, trips() - 1}};
    }
    AddRead(leaf, Exact(WithTripResult(here, next), leaf), edge);
  }
  return true;
}

bool CarriedAnalysis::OnlyWhereWritten(const IndexingMap& edge, const LastWrite& write) {
  return llvm::all_of(write.keeping, [&](SymbolicExpr e) {
    return edge.RangeOf(e).Within({kInt64Min, 0}) || edge.RangeOf(-e).Within({0, kInt64Max});
  });
}

bool CarriedAnalysis::IsSameInEveryTrip(const LabeledMap& edge) {
  auto uses_trip = [](const IndexingMap& map, int64_t last_trip) {
    const int64_t trip = std::ssize(map.dims()) - 1;
    auto uses = [&](SymbolicExpr e) { return e.Uses(VarKind::kDim, trip); };
    return map.dims()[trip].bounds != Interval{0, last_trip} || llvm::any_of(map.results(), uses) ||
           llvm::any_of(map.constraints(), [&](const Constraint& c) { return uses(c.expr); });
  };
  return !uses_trip(edge.map, trips() - 1) &&
         llvm::none_of(out_.maps[edge.leaf], [&](const LabeledMap& rest) {
           return rest.map.state() == IndexingMap::State::kNormal && uses_trip(rest.map, trips());
         });
}

GroupEdges CarriedAnalysis::EdgesWithin(const std::vector<int64_t>& group,
                                        bool& depends_on_trip) const {
  GroupEdges within;
  for (int64_t leaf : group) {
    std::vector<LabeledMap>& list = within[leaf];
    for (const LabeledMap& edge : edges_.at(leaf)) {
      if (!llvm::is_contained(group, edge.leaf)) continue;
      if (!HasTrip()) {
        AddDistinct(list, edge);
        continue;
      }
      // The trip becomes a range variable that the results may name.
      const IndexingMap& map = edge.map;
      const int64_t trip = std::ssize(map.dims()) - 1;
      std::vector<Variable> dims(map.dims().begin(), map.dims().end() - 1);
      std::vector<Variable> ranges = map.ranges();
      const SymbolicExpr any = context_.Range(std::ssize(ranges));
      ranges.push_back(map.dims()[trip]);
      bool used = map.dims()[trip].bounds != Interval{0, trips() - 1};
      auto fn = [&](VarKind kind, int64_t i) {
        if (kind != VarKind::kDim || i != trip) return SymbolicExpr();
        used = true;
        return any;
      };
      LabeledMap any_trip = edge;
      any_trip.map = OverVariables(map, fn, std::move(dims), std::move(ranges),
                                   AllOf(map.runtime()), map.results());
      depends_on_trip |= used;
      any_trip.map = Canonical(any_trip.map);
      if (used) any_trip.exactness = Weaker(edge.exactness, Exactness::kOverApproximate);
      AddDistinct(list, std::move(any_trip));
    }
  }
  return within;
}

bool CarriedAnalysis::SolveByPaths(const std::vector<int64_t>& group) {
  bool depends_on_trip = false;
  const GroupEdges edges = EdgesWithin(group, depends_on_trip);
  std::map<int64_t, hlo::Shape> shapes;
  for (int64_t leaf : group) shapes[leaf] = ShapeOf(leaf);
  const std::optional<PathSets> sets = FindPathSets(edges, shapes, session_);
  if (!sets) return false;
  for (int64_t leaf : group) {
    for (size_t n = 0; n < sets->steps.size(); ++n) {
      const int64_t length = static_cast<int64_t>(n);
      const int64_t period = length < sets->first_repeated() ? 0 : sets->period;
      AddPaths(leaf, sets->steps[n].at(leaf), length, period, group);
    }
  }
  return true;
}

void CarriedAnalysis::SolveByBounds(const std::vector<int64_t>& group) {
  bool depends_on_trip = false;
  const GroupEdges edges = EdgesWithin(group, depends_on_trip);
  std::map<int64_t, hlo::Shape> shapes;
  for (int64_t leaf : group) shapes[leaf] = ShapeOf(leaf);
  const GroupEdges paths = BoundPaths(edges, shapes, session_);
  for (int64_t leaf : group) AddPaths(leaf, paths.at(leaf), 0, 1, group);
}

void CarriedAnalysis::AddPaths(int64_t leaf, const std::vector<LabeledMap>& paths, int64_t n,
                               int64_t period, const std::vector<int64_t>& group) {
  for (const LabeledMap& path : paths) {
    if (!HasTrip()) {
      // After any number of trips: how many is not known, so this may not be read, unless it is
      // what every trip hands on.
      LabeledMap any = path;
      if (n > 0 || period != 1) any.exactness = Weaker(any.exactness, Exactness::kOverApproximate);
      Add(leaf, any);
      any.exactness = Weaker(any.exactness, Exactness::kOverApproximate);
      AddReads(leaf, any, group);
      continue;
    }
    const IndexingMap here = WithDim(path.map, {0, trips()});
    const SymbolicExpr t = context_.Dim(std::ssize(here.dims()) - 1);
    LabeledMap first = path;
    if (here.state() == IndexingMap::State::kNormal) {
      first.map = here;
      first.map.AddConstraint(t - n, period == 0 ? Interval{0, 0} : Interval{0, trips()});
      if (period > 1) first.map.AddConstraint((t - n).Mod(period), {0, 0});
      first.map = Canonical(first.map);
    }
    Add(leaf, first);
    NextTrip next;
    if (period == 0) {
      next.trip = t - (n + 1);
      next.constraints = {{next.trip, {0, trips() - 1}}};
    } else {
      next.trip = context_.Range(std::ssize(here.ranges()));
      next.any = Interval{0, trips() - 1};
      const SymbolicExpr between = t - next.trip - (n + 1);
      next.constraints = {{between, {0, trips() - 1}}};
      if (period > 1) next.constraints.push_back({between.Mod(period), {0, 0}});
    }
    LabeledMap in_trip = path;
    in_trip.map = WithTripResult(here, next);
    AddReads(leaf, in_trip, group);
  }
}

void CarriedAnalysis::AddReads(int64_t leaf, const LabeledMap& path,
                               const std::vector<int64_t>& group) {
  for (const LabeledMap& edge : edges_.at(path.leaf)) {
    if (!llvm::is_contained(group, edge.leaf)) AddRead(leaf, path, edge);
  }
}

void CarriedAnalysis::AddRead(int64_t leaf, const LabeledMap& path, const LabeledMap& edge) {
  LabeledMap body = edge;
  if (HasTrip() && edge.map.state() == IndexingMap::State::kNormal) {
    const SymbolicExpr trip = context_.Dim(std::ssize(edge.map.dims()) - 1);
    body.map = WithTripResult(edge.map, {trip, {}, std::nullopt});
  }
  const LabeledMap read = ComposeLabeled(path, body);
  for (const LabeledMap& rest : out_.maps[edge.leaf]) Add(leaf, ComposeLabeled(read, rest));
}

std::shared_ptr<const CarriedMaps> AnalyzeCarried(const hlo::Instruction& loop,
                                                  llvm::ArrayRef<int64_t> leaves,
                                                  Session& session) {
  if (loop.opcode != hlo::Opcode::kWhile || !PartsOf(loop)) return std::make_shared<CarriedMaps>();
  Session& exact = session.OfExactMaps();
  const int64_t cut_off = exact.nesting->cut_off;
  ++exact.nesting->depth;
  std::shared_ptr<CarriedAnalysis> kept = exact.loops[&loop];
  if (!kept) kept = exact.loops[&loop] = std::make_shared<CarriedAnalysis>(loop, exact);
  const CarriedMaps& carried = kept->Run(leaves);
  if (exact.nesting->cut_off != cut_off) exact.loops.erase(&loop);
  --exact.nesting->depth;
  return {kept, &carried};
}

}  // namespace affirm::analysis

namespace affirm {

CarriedMaps AnalyzeCarried(const hlo::Instruction& loop, llvm::ArrayRef<int64_t> leaves,
                           Context& context) {
  analysis::Session session{.context = context, .options = {.exact = true}};
  return *analysis::AnalyzeCarried(loop, leaves, session);
}

TripCount TripCountOf(const hlo::Instruction& loop, Context& context) {
  if (loop.opcode != hlo::Opcode::kWhile) return {};
  const std::vector<analysis::Counter> counters = analysis::CountersOf(loop, context);
  return {analysis::TripsByCondition(loop, counters, context), hlo::ClaimedTrips(loop)};
}

IndexingMap AfterAllTrips(const CarriedMaps& carried, const IndexingMap& map) {
  return carried.trips ? analysis::WithLastDim(map, *carried.trips) : map;
}

}  // namespace affirm
