// Ranges of expressions over the domain of a map, by interval arithmetic and constraints.
//
// With d0 in [0, 9], s0 in [0, 3] and a constraint d0 + s0 in [0, 5], the range of d0 is [0, 5] and
// that of d0 * 2 + 1 is [1, 11].
#ifndef AFFIRM_CORE_INDEXING_RANGE_H_
#define AFFIRM_CORE_INDEXING_RANGE_H_

#include <string>

#include "core/indexing/indexing_map.h"
#include "core/symbolic/epoch_map.h"
#include "core/symbolic/interval.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace affirm {

// Intervals that contain every value that an expression takes while the variables are within their
// bounds and the constraints hold. Answers are remembered, so one analysis serves a whole map.
class RangeAnalysis {
 public:
  RangeAnalysis() = default;
  // Bounds and constraints of `map`.
  explicit RangeAnalysis(const IndexingMap& map);

  // Replaces everything that is known. The constraints at the positions in `left_out` are not used.
  void Reset(llvm::ArrayRef<Variable> dims, llvm::ArrayRef<Variable> ranges,
             llvm::ArrayRef<Variable> runtime, llvm::ArrayRef<Constraint> constraints,
             llvm::ArrayRef<size_t> left_out = {});
  void Reset(const IndexingMap& map, llvm::ArrayRef<size_t> left_out = {}) {
    Reset(map.dims(), map.ranges(), map.runtime(), map.constraints(), left_out);
  }
  // A faster Reset: its time does not depend on the number of constraints. Requires that the last
  // Reset used all of `map`, and that no constraint is a sum, since Reset also narrows the bounds
  // of variables in sums.
  void LeaveOut(const IndexingMap& map, llvm::ArrayRef<size_t> left_out);

  Interval Of(SymbolicExpr e) {
    if (e.IsConstant()) return Interval::Point(e.value());
    if (e.IsVariable()) return OfVariable(e);
    return OfParts(e);
  }

  // Whether the range of `e` is bounded and holds at most one value.
  bool IsPoint(SymbolicExpr e);
  bool IsPointVariable(SymbolicExpr e) const { return OfVariable(e).IsPointOrEmpty(); }
  // IsPoint for a multiple `c * x`. If no facts apply, it takes as many values as x.
  bool IsPointMultiple(SymbolicExpr e) {
    bool may_be =
        IsTouched(e) || (e.op(0).IsVariable() ? IsPointVariable(e.op(0)) : IsPoint(e.op(0)));
    return may_be && Of(e).IsPointOrEmpty();
  }

  // Whether constraints may narrow the range of `e` or of its parts.
  bool IsTouched(SymbolicExpr e) const {
    return (e.VariableBits() & fact_variables_) || closed_facts_;
  }

 private:
  Interval OfVariable(SymbolicExpr e) const {
    llvm::ArrayRef<Interval> vars = vars_[static_cast<int>(e.var_kind())];
    return static_cast<uint64_t>(e.value()) < vars.size() ? vars[e.value()] : Interval::All();
  }
  Interval OfParts(SymbolicExpr e);
  void Know(SymbolicExpr e, Interval bounds);
  void LearnFrom(const Constraint& sum, llvm::SmallVectorImpl<SymbolicExpr>& learned);
  Interval Compute(SymbolicExpr e);
  Interval FromParts(SymbolicExpr e);
  Interval FromConstraints(SymbolicExpr e) const;

  llvm::SmallVector<Interval, 8> vars_[3];  // ranges of variables, by VarKind
  EpochMap<Interval> facts_;                // ranges of expressions and variables, from constraints
  llvm::SmallVector<SymbolicExpr, 2> left_out_;  // keys of facts that are not used
  uint64_t fact_variables_ = 0;                  // VariableBits of the constraints
  bool closed_facts_ = false;                    // a constraint has no variables
  EpochMap<Interval> memo_;
};

// Why a divisor may be zero in the domain of `ranges`, or a modulus not positive: "the divisor 'd0'
// may be zero in the domain: it lies in [0, 3]". Empty if it cannot be.
std::string DivisorProblem(SymbolicExpr divisor, bool is_modulus, RangeAnalysis& ranges);
// The first such problem of a quotient or residue in `e`; empty if `e` has a value at every point.
std::string DivisorProblem(SymbolicExpr e, RangeAnalysis& ranges);

}  // namespace affirm

#endif  // AFFIRM_CORE_INDEXING_RANGE_H_
