// Runtime variables of a map under construction. Internal to core/analysis.
//
// A dynamic-slice of 4 elements of f32[10] at the scalar `i` has the map
//   (d0){rt0} -> (d0 + rt0),  domain: d0 in [0, 3], rt0 in [0, 6]
// where rt0 is the value of `i`, clamped to [0, 6].
#ifndef AFFIRM_CORE_ANALYSIS_RUNTIME_INDICES_H_
#define AFFIRM_CORE_ANALYSIS_RUNTIME_INDICES_H_

#include <vector>

#include "core/analysis/ops/op_maps.h"

namespace affirm::analysis {

// Collects the run-time indices of an op, for a map with the given dims and range variables.
class RuntimeIndices {
 public:
  RuntimeIndices(Session& session, llvm::ArrayRef<int64_t> dims,
                 llvm::ArrayRef<int64_t> ranges = {})
      : session_(session), dims_(dims), ranges_(ranges) {}

  // The element of `producer` at `producer_index`, clamped to [0, limit] as XLA clamps starts of
  // slices (XLA operation semantics, "DynamicSlice"): a runtime variable with its producer, or the
  // value itself if it is constant and folding is on.
  SymbolicExpr Add(const hlo::Instruction& producer, llvm::ArrayRef<SymbolicExpr> producer_index,
                   int64_t limit);

  // The map with these results over the collected variables.
  IndexingMap Build(llvm::ArrayRef<SymbolicExpr> results,
                    llvm::ArrayRef<Constraint> constraints = {}) const;

 private:
  Session& session_;
  std::vector<int64_t> dims_;
  std::vector<int64_t> ranges_;
  std::vector<Variable> runtime_;
};

}  // namespace affirm::analysis

#endif  // AFFIRM_CORE_ANALYSIS_RUNTIME_INDICES_H_
