// Integers of a loop as expressions of the trip. Internal to core/analysis.
//
// In the body of `for (i = 3; i < 9; i += 2)` the carried integer i is t * 2 + 3 in trip t, counted
// from 0. A start `select(i < 0, i + 10, i)` is t * 2 + 3 too: i < 0 is false for t in [0, 2].
// Where an operation could wrap in some trip, nothing is known.
#ifndef AFFIRM_CORE_ANALYSIS_LOOPS_SCALAR_VALUES_H_
#define AFFIRM_CORE_ANALYSIS_LOOPS_SCALAR_VALUES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "core/analysis/loops/call_sites.h"
#include "core/indexing/range.h"
#include "core/symbolic/context.h"

namespace affirm::analysis {

// The integers that a type can hold, as far as int64 can represent them.
Interval ValuesOf(hlo::PrimitiveType type);

class ScalarValues {
 public:
  // Values in the computation at the top of `sites`, in trips `trips`. `carried` has the values of
  // the leaves of its parameter 0, over Dim(0), the trip.
  using Carried = std::map<int64_t, SymbolicExpr>;
  ScalarValues(const CallSites& sites, Carried carried, Interval trips, Context& context);

  // The value of an integer or predicate (of an array of one element), over Dim(0); a predicate is
  // 0 or 1. Null when it is not known in every trip.
  SymbolicExpr ValueOf(InstructionLeaf at);

  // The same modulo 2^width, for sums, differences and multiples alone, where Dim(k) is carried
  // leaf k: how a trip changes a counter, whether it wraps or not.
  SymbolicExpr ModularValueOf(InstructionLeaf at);

  // The op that computes a result: follows it into called computations, from their parameters to
  // the arguments, and through tuples and copies of scalars.
  InstructionLeaf Origin(InstructionLeaf at) const;

 private:
  SymbolicExpr Compute(InstructionLeaf at);
  SymbolicExpr Apply(const hlo::Instruction& op);
  SymbolicExpr ApplyCompare(const hlo::Instruction& op);
  SymbolicExpr ApplyLogic(const hlo::Instruction& op);
  SymbolicExpr ApplySelect(const hlo::Instruction& op);
  SymbolicExpr ApplyQuotient(const hlo::Instruction& op);
  SymbolicExpr Operand(const hlo::Instruction& op, size_t k) {
    return ValueOf({op.operands[k], 0});
  }
  // The value, when it fits the type in every trip.
  SymbolicExpr Fits(SymbolicExpr value, hlo::PrimitiveType type);

  const CallSites& sites_;
  Carried carried_;
  Context& context_;
  RangeAnalysis range_;
  bool modular_ = false;
  int depth_ = 0;
  std::map<std::pair<const hlo::Instruction*, int64_t>, SymbolicExpr> known_, modular_known_;
};

}  // namespace affirm::analysis

#endif  // AFFIRM_CORE_ANALYSIS_LOOPS_SCALAR_VALUES_H_
