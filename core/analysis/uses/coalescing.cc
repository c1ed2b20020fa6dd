// Counts the sectors of each warp, by visiting all accesses or from the form of the address.
#include "core/analysis/uses/coalescing.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/analysis/layout.h"
#include "core/indexing/transform.h"
#include "core/simplify/simplify.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm {
namespace {

// The position of the dim that is the thread's index: th_x, or the first.
int64_t ThreadDim(const IndexingMap& map) {
  auto it = llvm::find_if(map.dims(), [](const Variable& v) { return v.name == "th_x"; });
  return it == map.dims().end() ? 0 : it - map.dims().begin();
}

// Threads stand in rows of more than one dim.
bool HasThreadRows(const IndexingMap& map) {
  return llvm::any_of(map.dims(), [](const Variable& v) {
    return (v.name == "th_y" || v.name == "th_z") && !v.bounds.IsPoint();
  });
}

// One access: the sectors that the threads of one warp touch at once, and how few they could be.
struct WarpAccess {
  int64_t sectors = 0, ideal = 0;
  bool is_contiguous = true;
};

WarpAccess AccessOf(std::vector<int64_t>& positions, int64_t bits, const MemoryModel& model) {
  llvm::sort(positions);
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  int128 sector_bits = int128{model.sector_bytes} * 8;
  WarpAccess out;
  int128 next = 0;  // the first sector that has not been counted
  for (size_t i = 0; i < positions.size(); ++i) {
    int128 begin = int128{positions[i]} * bits, end = begin + bits - 1;
    int128 from = FloorDivUnchecked(begin, sector_bits), to = FloorDivUnchecked(end, sector_bits);
    if (i > 0) from = std::max(from, next);
    out.sectors += static_cast<int64_t>(std::max<int128>(to - from + 1, 0));
    next = to + 1;
    if (i > 0 && positions[i] != positions[i - 1] + 1) out.is_contiguous = false;
  }
  int128 all = int128{bits} * static_cast<int64_t>(positions.size());
  out.ideal = static_cast<int64_t>(CeilDivUnchecked(all, sector_bits));
  return out;
}

// The map with blocks and range variables as dims, and the thread as the only range variable: its
// points come warp by warp.
IndexingMap WarpByWarp(const IndexingMap& map, int64_t thread) {
  Context& context = *map.context();
  int64_t shift = static_cast<int64_t>(map.dims().size());
  std::vector<Variable> dims = map.dims();
  dims[thread] = {Interval::Point(0), "", std::nullopt};
  llvm::append_range(dims, map.ranges());
  auto fn = [&](VarKind kind, int64_t i) {
    if (kind == VarKind::kRange) return context.Dim(shift + i);
    return kind == VarKind::kDim && i == thread ? context.Range(0) : SymbolicExpr();
  };
  std::vector<Constraint> constraints;
  for (const Constraint& c : map.constraints()) {
    constraints.push_back({c.expr.Substitute(fn), c.bounds});
  }
  return IndexingMap(context, {map.results()[0].Substitute(fn)}, std::move(dims),
                     {map.dims()[thread]}, map.runtime(), constraints);
}

// Visits every access; nullopt when there are too many, or a position has no value.
std::optional<Coalescing> Visit(const IndexingMap& warps, int64_t bits, const MemoryModel& model) {
  Coalescing out;
  out.evidence = Coalescing::Evidence::kVisited;
  out.is_contiguous = true;
  std::vector<int64_t> positions, block;
  int64_t warp = -1;
  bool ok = true;
  auto finish = [&] {
    if (positions.empty()) return;
    WarpAccess access = AccessOf(positions, bits, model);
    ++out.accesses;
    out.sectors += access.sectors;
    out.ideal_sectors += access.ideal;
    out.max_sectors = std::max(out.max_sectors, access.sectors);
    out.max_ideal_sectors = std::max(out.max_ideal_sectors, access.ideal);
    out.is_contiguous = out.is_contiguous && access.is_contiguous;
    positions.clear();
  };
  bool complete = warps.ForEachPoint(
      [&](llvm::ArrayRef<int64_t> at, llvm::ArrayRef<int64_t> thread, auto) {
        if (thread[0] / model.warp_threads != warp || at != llvm::ArrayRef<int64_t>(block)) {
          finish();
          warp = thread[0] / model.warp_threads;
          block = at.vec();
        }
        auto value = warps.results()[0].Evaluate(at, thread);
        ok = ok && value.value;
        if (ok) positions.push_back(*value.value);
        return ok;
      },
      kMaxVisitedPoints);
  finish();
  return complete && ok ? std::optional(out) : std::nullopt;
}

Coalescing Unknown(std::string reason) {
  Coalescing out;
  out.reason = std::move(reason);
  return out;
}

// The map with thread = warp_threads * warp + lane: the warp in place of the thread's dim, the lane
// behind all range variables.
IndexingMap WithLanes(const IndexingMap& map, int64_t thread, int64_t warp_threads) {
  Context& context = *map.context();
  SymbolicExpr lane = context.Range(static_cast<int64_t>(map.ranges().size()));
  SymbolicExpr by = context.Dim(thread) * warp_threads + lane;
  auto fn = [&](VarKind kind, int64_t i) {
    return kind == VarKind::kDim && i == thread ? by : SymbolicExpr();
  };
  std::vector<Variable> dims = map.dims(), ranges = map.ranges();
  std::vector<Constraint> constraints;
  for (const Constraint& c : map.constraints()) {
    constraints.push_back({c.expr.Substitute(fn), c.bounds});
  }
  constraints.push_back({by, dims[thread].bounds});
  dims[thread].bounds = {0, dims[thread].bounds.upper / warp_threads};
  ranges.push_back({{0, warp_threads - 1}, "", std::nullopt});
  return Simplify(IndexingMap(context, {map.results()[0].Substitute(fn)}, std::move(dims),
                              std::move(ranges), map.runtime(), constraints));
}

// A position that is the sum of a part of the lane alone and one without it, for all alignments of
// the second.
Coalescing ByStructure(const IndexingMap& map, int64_t bits, const MemoryModel& model,
                       std::string reason) {
  int64_t thread = ThreadDim(map), lane = static_cast<int64_t>(map.ranges().size());
  IndexingMap lanes = WithLanes(map, thread, model.warp_threads);
  if (lanes.state() != IndexingMap::State::kNormal) return Unknown("no thread takes part");
  SymbolicExpr position = lanes.results()[0], own = map.context()->Constant(0), base = own;
  SymbolicExpr one[] = {position};
  bool is_sum = position.kind() == ExprKind::kAdd;
  if (is_sum) base = base + position.value();
  for (SymbolicExpr term : is_sum ? position.ops() : llvm::ArrayRef<SymbolicExpr>(one)) {
    SymbolicExpr& part = term.Uses(VarKind::kRange, lane) ? own : base;
    part = part + term;
  }
  bool depends = own.HasVariables(VarKind::kDim) || own.HasVariables(VarKind::kRuntime);
  for (int64_t i = 0; i < lane; ++i) depends = depends || own.Uses(VarKind::kRange, i);
  if (depends) return Unknown(reason + ", and the steps between threads differ from warp to warp");
  // Guards of lanes alone are evaluated for each; a block that ends in a warp has whole ones too.
  const SymbolicExpr all =
      map.context()->Dim(thread) * model.warp_threads + map.context()->Range(lane);
  std::vector<Constraint> of_lanes;
  for (const Constraint& c : lanes.constraints()) {
    if (!c.expr.Uses(VarKind::kRange, lane) || c.expr == all) continue;
    bool alone = !c.expr.HasVariables(VarKind::kDim) && !c.expr.HasVariables(VarKind::kRuntime);
    for (int64_t i = 0; i < lane; ++i) alone = alone && !c.expr.Uses(VarKind::kRange, i);
    if (!alone) return Unknown(reason + ", and who takes part differs from warp to warp");
    of_lanes.push_back(c);
  }

  // Positions that start sectors repeat after `period` elements.
  int64_t sector_bits = model.sector_bytes * 8, period = sector_bits / std::gcd(sector_bits, bits);
  IndexingMap alignment = lanes.WithResults({base.Mod(period)});
  Interval shifts = alignment.RangeOf(Simplify(alignment).results()[0]).Intersect({0, period - 1});
  Coalescing out;
  out.evidence = Coalescing::Evidence::kStructure;
  out.reason = std::move(reason);
  const Interval of_lane = lanes.ranges()[lane].bounds;
  const int64_t first = std::max<int64_t>(of_lane.lower, 0),
                last = std::min<int64_t>(
                    {of_lane.upper, model.warp_threads - 1, map.dims()[thread].bounds.upper});
  std::vector<int64_t> at(lane + 1, 0), positions;
  for (int64_t shift = shifts.lower; shift <= shifts.upper; ++shift) {
    positions.clear();
    for (at[lane] = first; at[lane] <= last; ++at[lane]) {
      const bool takes_part = llvm::all_of(of_lanes, [&](const Constraint& c) {
        const auto number = c.expr.Evaluate({}, at);
        return number.value && c.bounds.Contains(*number.value);
      });
      if (!takes_part) continue;
      auto value = own.Evaluate({}, at);
      if (!value.value) return Unknown(out.reason);
      positions.push_back(*value.value + shift);
    }
    WarpAccess access = AccessOf(positions, bits, model);
    out.max_sectors = std::max(out.max_sectors, access.sectors);
    out.max_ideal_sectors = access.ideal;
    out.is_contiguous = access.is_contiguous;
  }
  return out;
}

}  // namespace

const char* Name(Coalescing::Evidence evidence) {
  switch (evidence) {
    case Coalescing::Evidence::kVisited:
      return "visited";
    case Coalescing::Evidence::kStructure:
      return "structure";
    case Coalescing::Evidence::kUnknown:
      return "unknown";
  }
  return "unknown";
}

Coalescing CoalescingOf(const IndexingMap& addresses, int64_t bits, const MemoryModel& model) {
  if (addresses.IsUndefined()) return Unknown("the map is not known");
  Coalescing nothing;
  nothing.evidence = Coalescing::Evidence::kVisited;
  nothing.is_contiguous = true;
  if (addresses.IsKnownEmpty()) return nothing;
  if (addresses.results().size() != 1 || bits < 1 || model.warp_threads < 1 ||
      model.sector_bytes < 1) {
    return Unknown("expected one position in memory, and elements, warps and sectors of some size");
  }
  if (addresses.dims().empty() || HasThreadRows(addresses)) {
    return Unknown("expected threads of a block along one dim, th_x");
  }
  const Interval& threads = addresses.dims()[ThreadDim(addresses)].bounds;
  if (threads.lower < 0 || !threads.HasUpper()) return Unknown("expected bounds for the thread");
  if (addresses.runtime().empty()) {
    if (auto visited = Visit(WarpByWarp(addresses, ThreadDim(addresses)), bits, model)) {
      return *visited;
    }
    return ByStructure(addresses, bits, model, "there are too many accesses to visit");
  }
  return ByStructure(addresses, bits, model, "positions depend on runtime values");
}

IndexingMap ToMemory(const IndexingMap& elements, const hlo::Shape& shape) {
  if (elements.IsUndefined()) return elements;
  const IndexingMap positions = Compose(elements, LogicalToLinear(shape, *elements.context()));
  // A variable that no position depends on counts too: each of its values is an access.
  return positions.state() == IndexingMap::State::kNormal ? Simplify(positions) : positions;
}

}  // namespace affirm
