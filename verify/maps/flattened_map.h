// A flattened map, which the proofs work on: all variables are Dim(k) of one numbering.
//
// (d0, d1)[s0]{rt0} -> (d0 + s0, d1 + rt0) flattened with the ranges right behind the rest has the
// outer variables Dim(0) = d0, Dim(1) = d1, Dim(2) = rt0 and the range Dim(3) = s0; its results are
// (Dim(0) + Dim(3), Dim(1) + Dim(2)).
#ifndef AFFIRM_VERIFY_MAPS_FLATTENED_MAP_H_
#define AFFIRM_VERIFY_MAPS_FLATTENED_MAP_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/indexing/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "verify/decide/formula.h"

namespace affirm {

// Dims are variables 0..num_dims-1, runtime variables follow; together they are the outer
// variables. Range variables stand at `first_range` and after, so that those of two maps can be
// told apart. Range variables that nothing uses, or that have one value, are gone.
struct FlattenedMap {
  Context* context = nullptr;
  int64_t num_dims = 0;
  int64_t first_range = 0;
  std::vector<Interval> outer, ranges;
  std::vector<SymbolicExpr> results;
  std::vector<Constraint> constraints;
  bool empty = false;  // known to be

  int64_t num_outer() const { return static_cast<int64_t>(outer.size()); }
  int64_t num_ranges() const { return static_cast<int64_t>(ranges.size()); }
  bool IsRange(int64_t variable) const {
    return variable >= first_range && variable < first_range + num_ranges();
  }
  // Does a range variable occur in e?
  bool UsesRange(SymbolicExpr e) const;
  // All constraints; with `bounds`, also the bounds of the outer variables.
  Formula Domain(bool bounds) const;
};

// `map` must not be undefined. Expressions are built in `context`, which need not be the map's.
// With `keep_unused`, range variables that nothing uses stay.
FlattenedMap Flatten(const IndexingMap& map, int64_t first_range, Context& context,
                     bool keep_unused = false);

// The same map with its range variables numbered from `first_range` on.
FlattenedMap MoveRanges(const FlattenedMap& map, int64_t first_range);

// Builds e in `context`, its variables replaced by what `fn` returns.
SymbolicExpr Rename(SymbolicExpr e, Context& context,
                    llvm::function_ref<SymbolicExpr(VarKind, int64_t)> fn);

// Replaces range variables by what `fn` says. False when an expression leaves what can be said.
bool ReplaceRanges(FlattenedMap& map, llvm::function_ref<SymbolicExpr(int64_t)> fn);

// The bounds of all variables, by their numbers.
std::vector<Interval> AllBounds(const FlattenedMap& map);

// A variable that an equality determines, and its value.
struct DeterminedVariable {
  SymbolicExpr variable, value;
};
// The variable that e == c determines: the first one that is a term of e, by itself or negated,
// that its value does not use, and that `accepts`. For 7 - d0 + d1 == 0 it is d0, with the value d1
// + 7.
std::optional<DeterminedVariable> Determined(
    SymbolicExpr e, int64_t c, llvm::function_ref<bool(const DeterminedVariable&)> accepts);

// The bounds of outer variables that contain those of both maps.
std::vector<Interval> OuterHull(const FlattenedMap& a, const FlattenedMap& b);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_MAPS_FLATTENED_MAP_H_
