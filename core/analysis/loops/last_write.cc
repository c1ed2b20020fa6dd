// A trip keeps an element where one of some linear terms is positive. It writes it where all of
// them are at most 0, which each says of the trip as an upper bound, a lower bound, or not at all.
#include "core/analysis/loops/last_write.h"

#include "llvm/ADT/STLExtras.h"

namespace affirm::analysis {
namespace {

// rest + step * trip.
struct InTrip {
  SymbolicExpr rest;
  int64_t step = 0;
};

std::optional<InTrip> SplitTrip(SymbolicExpr term, SymbolicExpr trip) {
  auto at = [&](int64_t t) {
    return term.Substitute([&](VarKind kind, int64_t i) {
      return kind == VarKind::kDim && i == trip.value() ? trip.context()->Constant(t)
                                                        : SymbolicExpr();
    });
  };
  const SymbolicExpr rest = at(0), step = at(1) - rest;
  if (!step.IsConstant() || rest + trip * step.value() != term) return std::nullopt;
  return InTrip{rest, step.value()};
}

// The constraint as terms one of which is positive.
std::optional<std::vector<SymbolicExpr>> PositiveTerms(const Constraint& c) {
  std::vector<SymbolicExpr> terms;
  const bool at_least = !c.bounds.HasUpper() && c.bounds.HasLower();
  const bool at_most = c.bounds.HasUpper() && !c.bounds.HasLower();
  if (at_least) {
    const bool is_max = c.expr.kind() == ExprKind::kMax;
    for (SymbolicExpr e : is_max ? c.expr.ops() : llvm::ArrayRef(c.expr)) {
      terms.push_back(e - (c.bounds.lower - 1));
    }
  } else if (at_most) {
    const bool is_min = c.expr.kind() == ExprKind::kMin;
    for (SymbolicExpr e : is_min ? c.expr.ops() : llvm::ArrayRef(c.expr)) {
      terms.push_back(-e + (c.bounds.upper + 1));
    }
  } else {
    return std::nullopt;
  }
  return terms;
}

}  // namespace

std::optional<LastWrite> FindLastWrite(const IndexingMap& keeps) {
  if (keeps.state() != IndexingMap::State::kNormal || !keeps.ranges().empty() ||
      !keeps.runtime().empty() || keeps.dims().empty() || keeps.constraints().size() > 1) {
    return std::nullopt;
  }
  Context& context = *keeps.context();
  const int64_t rank = std::ssize(keeps.dims()) - 1;
  if (std::ssize(keeps.results()) != rank) return std::nullopt;
  for (int64_t i = 0; i < rank; ++i) {
    if (keeps.results()[i] != context.Dim(i)) return std::nullopt;
  }
  // After t trips: the dim behind those of the array counts them, to one more than the trips.
  const SymbolicExpr trip = context.Dim(rank);
  const int64_t trips = keeps.dims()[rank].bounds.upper + 1;
  LastWrite out;
  out.first = {context.Constant(0)};
  out.last = {trip - 1};
  if (!keeps.constraints().empty()) {
    auto terms = PositiveTerms(keeps.constraints()[0]);
    if (!terms) return std::nullopt;
    IndexingMap free = keeps;
    free.SetConstraints({});
    for (SymbolicExpr term : *terms) {
      if (free.RangeOf(term).Within({kInt64Min, 0})) continue;
      const std::optional<InTrip> split = SplitTrip(term, trip);
      if (!split) return std::nullopt;
      out.keeping.push_back(term);
      // rest + step * u <= 0 where trip u writes.
      if (split->step > 0) {
        out.last.push_back((-split->rest).FloorDiv(split->step));
      } else if (split->step < 0) {
        out.first.push_back((split->rest + (-split->step - 1)).FloorDiv(-split->step));
      } else {
        out.never.push_back(split->rest);
      }
    }
  }
  // An element that one trip alone writes: that trip needs no minimum.
  const bool is_single =
      out.first.size() == 2 && out.last.size() == 2 && out.first[1] == out.last[1];
  std::vector<SymbolicExpr> kept = out.never;
  if (is_single) {
    out.trip = out.last[1];
    out.written = {{out.trip, {0, trips - 1}}, {out.trip - trip, {-trips, -1}}};
    kept.push_back(-out.trip);
    kept.push_back(out.trip - trip + 1);
  } else {
    out.trip = context.Min(out.last);
    out.written = {{context.Max(out.first) - out.trip, {kInt64Min, 0}}};
    kept.push_back(context.Max(out.first) - out.trip);
  }
  for (SymbolicExpr e : out.never) out.written.push_back({e, {kInt64Min, 0}});
  out.kept = {context.Max(kept), {1, kInt64Max}};
  return out;
}

Constraint LastWrite::KeptAfter(SymbolicExpr after) const {
  Context& context = *after.context();
  std::vector<SymbolicExpr> from = first, kept = never;
  from.push_back(after + 1);
  kept.push_back(context.Max(from) - context.Min(last));
  return {context.Max(kept), {1, kInt64Max}};
}

}  // namespace affirm::analysis
