// Values together with their provenance, the elements that they were computed from, for ops that
// call computations: the reads inside are reported as reads of the operands of the call.
#ifndef AFFIRM_VERIFY_REFERENCE_TRACE_H_
#define AFFIRM_VERIFY_REFERENCE_TRACE_H_

#include <compare>
#include <vector>

#include "verify/reference/ops.h"

namespace affirm::hlo {

// An error unless the arguments fit the computation's parameters.
llvm::Error CheckArguments(const Computation& computation,
                           llvm::ArrayRef<const Literal*> arguments);

// Reports to the observer that result leaves first_result, first_result + 1, ... are the leaves
// first_leaf, first_leaf + 1, ... of an operand; `shape` is that of all these leaves.
void ReadLeaves(const OpInvocation& call, const Shape& shape, int64_t first_result, int64_t operand,
                int64_t first_leaf);

// The elements of a tuple of the operands; reports them as read.
std::vector<Literal> ReadOperands(const OpInvocation& call);

// An element of an operand of the outer call.
struct SourceElement {
  int64_t operand, leaf, linear;
  friend auto operator<=>(const SourceElement&, const SourceElement&) = default;
};

// A value, and for each element of each of its array leaves the operand elements that it was
// computed from, directly or indirectly; sorted, distinct. Without an observer `sources` is empty.
struct Traced {
  using Sources = std::vector<SourceElement>;
  Literal value;
  std::vector<std::vector<Sources>> sources;
};

// Operand `operand` of a call: every element comes from itself.
Traced TracedOperand(const OpInvocation& call, int64_t operand);

// The result of a computation on arguments that have sources of their own. With `trace`, the
// sources of the result are computed.
llvm::Expected<Traced> InterpretTraced(const Computation& computation,
                                       llvm::ArrayRef<const Traced*> arguments, bool trace,
                                       const InterpretOptions* options = nullptr);

// Reports to the observer what every element of `result` was computed from. The leaves of `result`
// are those of the instruction's result from `first_leaf` on.
void ReportSources(const OpInvocation& call, const Traced& result, int64_t first_leaf = 0);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_TRACE_H_
