// Ranges of expressions over the domain of a map.
#ifndef AFFIRM_CORE_INDEXING_RANGE_H_
#define AFFIRM_CORE_INDEXING_RANGE_H_

#include <vector>

#include "core/indexing/indexing_map.h"
#include "core/symbolic/interval.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"

namespace affirm {

// Intervals that contain every value that an expression takes while the variables are within their
// bounds and the constraints hold. Answers are remembered, so one analysis serves a whole map.
class RangeAnalysis {
 public:
  RangeAnalysis() = default;
  // Bounds and constraints of `map`.
  explicit RangeAnalysis(const IndexingMap& map);

  // Replaces everything that is known.
  void Reset(llvm::ArrayRef<Interval> dims, llvm::ArrayRef<Interval> ranges,
             llvm::ArrayRef<Interval> runtime, llvm::ArrayRef<Constraint> constraints);
  void SetBounds(VarKind kind, int64_t index, Interval bounds);

  Interval Of(SymbolicExpr e);
  // Like Of, but as if the constraint on `e` itself (and on what it's a shifted copy of) were not
  // there.
  Interval WithoutOwnConstraint(SymbolicExpr e);

 private:
  Interval Compute(SymbolicExpr e);
  Interval OfSum(SymbolicExpr e);
  Interval FromConstraints(SymbolicExpr e) const;

  std::vector<Interval> bounds_[3];
  llvm::DenseMap<SymbolicExpr, Interval> facts_;  // what constraints say of an expression
  llvm::DenseMap<SymbolicExpr, Interval> memo_;
};

}  // namespace affirm

#endif  // AFFIRM_CORE_INDEXING_RANGE_H_
