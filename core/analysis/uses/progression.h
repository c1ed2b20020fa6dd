// The values that an expression takes while range variables run, as an arithmetic progression whose
// ends are expressions of the other variables. Internal to core/analysis.
//
// With s0 in [0, 4], d0 + 3 * s0 takes the values d0, d0 + 3, .., d0 + 12: first d0, size 5,
// stride 3. (d0 + s0) floordiv 8 takes one or two values: first d0 floordiv 8, size 2, stride 1,
// and last (d0 + 4) floordiv 8.
#ifndef AFFIRM_CORE_ANALYSIS_USES_PROGRESSION_H_
#define AFFIRM_CORE_ANALYSIS_USES_PROGRESSION_H_

#include <optional>
#include <string>
#include <vector>

#include "core/indexing/indexing_map.h"

namespace affirm::analysis {

// {first + stride * j : 0 <= j < size, first + stride * j <= last}, at each value of the dims and
// runtime variables that `first` and `last` are over.
struct Progression {
  SymbolicExpr first;
  int64_t size = 1;                       // at least 1
  int64_t stride = 1;                     // positive
  SymbolicExpr last;                      // null: no value is cut off
  std::string over_approximation_reason;  // empty: these are the values; else why they are a
                                          // superset of them

  bool IsPoint() const { return size == 1 && !last; }
};

// Affine bounds of a range variable, in addition to its interval: s in [lower, upper]. An end is an
// expression without range variables, or null for no bound.
struct AffineBounds {
  SymbolicExpr lower, upper;
};

// Whether an expression keeps its value while range variables run.
inline bool IsFixed(SymbolicExpr e) { return !e.HasVariables(VarKind::kRange); }

// `fn` of `e`, where fn is monotone: increasing if `rises`, else decreasing. It is applied to the
// operands of minima and maxima, so that these stay outermost: an increasing fn turns min(a, b)
// into min(fn(a), fn(b)).
SymbolicExpr ApplyMonotone(SymbolicExpr e, bool rises,
                           llvm::function_ref<SymbolicExpr(SymbolicExpr)> fn);

// Finds progressions over the domain of one map.
class Progressions {
 public:
  // `affine_bounds[i]` are the affine bounds of range variable i. Both must outlive the object.
  Progressions(const IndexingMap& map, const std::vector<AffineBounds>& affine_bounds)
      : map_(map), affine_bounds_(affine_bounds) {}

  // The values of `e`, while the range variables run independently within their bounds and cuts.
  // nullopt where not even an interval is known.
  std::optional<Progression> Of(SymbolicExpr e);
  // The greatest value, where there is one. Null when a constant leaves int64.
  SymbolicExpr Greatest(const Progression& p) const;
  // Conditions (without range variables) under which every range variable that Of met beside
  // others has a value; where one fails, the expression has no value.
  const std::vector<Constraint>& conditions() const { return conditions_; }

  // Records the condition that `p` has a value, unless that is known.
  void RequireSome(const Progression& p);
  // An expression without range variables, simplified over the map's domain.
  SymbolicExpr Simplified(SymbolicExpr e) const;

 private:
  std::optional<Progression> OfVariable(int64_t i);
  std::optional<Progression> OfSum(SymbolicExpr e);
  std::optional<Progression> Sum(Progression a, Progression b);
  std::optional<Progression> Scaled(const Progression& p, int64_t factor);
  std::optional<Progression> Quotient(const Progression& p, int64_t divisor);
  std::optional<Progression> Residue(Progression p, int64_t modulus);
  std::optional<Progression> Clamped(SymbolicExpr e);
  std::optional<Progression> Hull(SymbolicExpr e, const char* why);
  // From `first` to `last` in steps of one, with at most `size` values.
  Progression Contiguous(SymbolicExpr first, SymbolicExpr last, int64_t size) const;
  Interval RangeOf(SymbolicExpr e) const { return map_.RangeOf(Simplified(e)); }

  const IndexingMap& map_;
  const std::vector<AffineBounds>& affine_bounds_;
  std::vector<Constraint> conditions_;
};

}  // namespace affirm::analysis

#endif  // AFFIRM_CORE_ANALYSIS_USES_PROGRESSION_H_
