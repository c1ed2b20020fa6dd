// Ranges of expressions over the domain of a map.
#ifndef AFFIRM_CORE_INDEXING_RANGE_H_
#define AFFIRM_CORE_INDEXING_RANGE_H_

#include "core/indexing/indexing_map.h"
#include "core/symbolic/epoch_map.h"
#include "core/symbolic/interval.h"
#include "llvm/ADT/ArrayRef.h"

namespace affirm {

// Intervals that contain every value that an expression takes while the variables are within their
// bounds and the constraints hold. Answers are remembered, so one analysis serves a whole map.
class RangeAnalysis {
 public:
  RangeAnalysis() = default;
  // Bounds and constraints of `map`, which must outlive the analysis.
  explicit RangeAnalysis(const IndexingMap& map);

  // Replaces everything that is known. The variables must outlive the analysis; the constraints at
  // the positions in `left_out` are not used.
  void Reset(llvm::ArrayRef<Variable> dims, llvm::ArrayRef<Variable> ranges,
             llvm::ArrayRef<Variable> runtime, llvm::ArrayRef<Constraint> constraints,
             llvm::ArrayRef<size_t> left_out = {});
  void Reset(const IndexingMap& map, llvm::ArrayRef<size_t> left_out = {}) {
    Reset(map.dims(), map.ranges(), map.runtime(), map.constraints(), left_out);
  }

  Interval Of(SymbolicExpr e);

 private:
  void Know(SymbolicExpr e, Interval bounds);
  void LearnFrom(const Constraint& sum);
  Interval Compute(SymbolicExpr e);
  Interval OfSum(SymbolicExpr e);
  Interval FromConstraints(SymbolicExpr e) const;

  llvm::ArrayRef<Variable> vars_[3];
  EpochMap<Interval> facts_;  // what constraints say of expressions and of variables
  EpochMap<Interval> memo_;
};

}  // namespace affirm

#endif  // AFFIRM_CORE_INDEXING_RANGE_H_
