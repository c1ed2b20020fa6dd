// Counterexamples to a map proof: a refutation stands only when evaluation of the maps and of the
// relation at that point confirms it.
#include <algorithm>

#include "core/symbolic/context.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "verify/decide/evaluate.h"
#include "verify/hlo/proof/map_proof.h"
#include "verify/maps/point_set.h"

namespace affirm {
namespace {

constexpr int64_t kEvaluateLimit = int64_t{1} << 20;

}  // namespace

// Computes what the maps give and what the relation says at the point of a counterexample, and
// keeps it if they differ.
Verdict MapProof::ConfirmCounterexample(const SolverResult& answer, size_t only_map,
                                        bool every_map) {
  if (folded_) {
    AddReason("a runtime value may have been replaced by one that isn't known here");
    return Verdict::kUnknown;
  }
  std::vector<int64_t> point = answer.counterexample;
  MapCounterexample c;
  c.dims.assign(point.begin() + FirstX(), point.begin() + FirstX() + NumX());
  std::vector<int64_t> y(point.begin() + FirstY(), point.begin() + FirstY() + NumY());
  TupleSet given{.arity = NumY(), .count = 0, .values = {}};
  for (size_t k = 0; k < maps_.size(); ++k) {
    if (!every_map && k != only_map) continue;
    // The variables that are not ranges have their values from the counterexample.
    FlattenedMap flat = maps_[k].flat;
    std::vector<int64_t> outer = c.dims;
    for (int64_t v : maps_[k].runtime) outer.push_back(point[v]);
    auto fix = [&](SymbolicExpr e) {
      return Rename(e, *context_, [&](VarKind, int64_t v) {
        return flat.IsRange(v) ? context_->Dim(v) : context_->Constant(point[v]);
      });
    };
    for (SymbolicExpr& e : flat.results) e = fix(e);
    for (Constraint& constraint : flat.constraints) constraint.expr = fix(constraint.expr);
    PointSets sets(flat);
    TupleSet here;
    std::optional<int64_t> n = sets.NumRangePoints();
    sets.SetPoint(outer);
    if (!n || *n > 4 * kEvaluateLimit || !sets.Compute(here)) {
      AddReason("a counterexample could not be evaluated");
      return Verdict::kUnknown;
    }
    llvm::append_range(given.values, here.values);
    given.count += here.count;
    c.runtime.assign(outer.begin() + NumX(), outer.end());
  }
  SolverQuery q{.context = context_, .variables = variables_, .names = {}, .claim = Reads()};
  auto is_read = [&](llvm::ArrayRef<int64_t> index) {
    std::copy(index.begin(), index.end(), point.begin() + FirstY());
    return EvaluateClaim(q, point, kEvaluateLimit);
  };
  Normalize(given);
  TupleSet read{.arity = NumY(), .count = 0, .values = {}};
  std::optional<int64_t> size = CountBox(SpaceY());
  bool whole = size && *size <= kEvaluateLimit / 16;
  auto add_if_read = [&](llvm::ArrayRef<int64_t> index, int64_t) {
    if (is_read(index) != true) return true;
    llvm::append_range(read.values, index);
    ++read.count;
    return true;
  };
  if (whole) {
    ForEachInBox(SpaceY(), add_if_read);
  } else if (every_map) {
    add_if_read(y, 0);
  } else {
    for (int64_t i = 0; i < std::min<int64_t>(given.count, 1024); ++i) {
      bool inside = llvm::all_of(llvm::seq<int64_t>(0, NumY()),
                                 [&](int64_t j) { return SpaceY()[j].Contains(given[i][j]); });
      if (inside) add_if_read(given[i], 0);
    }
  }
  Normalize(read);
  bool differs = every_map ? !given.Includes(read) : !read.Includes(given);
  if (!differs) {
    AddReason("a counterexample was not confirmed");
    return Verdict::kUnknown;
  }
  FlattenedMap shape;
  shape.num_dims = NumX();
  std::vector<int64_t> outer = c.dims;
  llvm::append_range(outer, c.runtime);
  answer_.counterexample = MakeCounterexample(shape, outer, given, read);
  answer_.counterexample->lhs_truncated |= !whole;
  answer_.counterexample->rhs_truncated |= !whole;
  answer_.counterexample->note =
      every_map ? "an element that is read is not given" : "an element is given that is not read";
  return Verdict::kRefuted;
}

}  // namespace affirm
