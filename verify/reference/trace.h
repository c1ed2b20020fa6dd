// Values together with what they were computed from, for ops that call computations.
#ifndef AFFIRM_VERIFY_REFERENCE_TRACE_H_
#define AFFIRM_VERIFY_REFERENCE_TRACE_H_

#include <compare>
#include <vector>

#include "verify/reference/ops.h"

namespace affirm::hlo {

// An error unless the arguments fit the computation's parameters.
llvm::Error CheckArguments(const Computation& computation,
                           llvm::ArrayRef<const Literal*> arguments);

// Tells the observer that result leaves first_result, first_result + 1, ... are the leaves
// first_leaf, ... of an operand, of shape `shape`.
void ReadLeaves(const Call& call, const Shape& shape, int64_t first_result, int64_t operand,
                int64_t first_leaf);

// The operands in a row, as a tuple of them holds them; tells the observer so.
std::vector<Literal> ReadOperands(const Call& call);

// An element of an operand of the outer call.
struct SourceElement {
  int64_t operand, leaf, linear;
  friend auto operator<=>(const SourceElement&, const SourceElement&) = default;
};

// A value, and for each element of each of its leaves the elements that it was computed from,
// directly or through others; sorted, distinct. Without an observer `sources` is empty.
struct Traced {
  using Sources = std::vector<SourceElement>;
  Literal value;
  std::vector<std::vector<Sources>> sources;
};

// Operand `operand` of a call: every element comes from itself.
Traced TracedOperand(const Call& call, int64_t operand);

// The result of a computation on arguments that carry their own sources; they are followed when
// `trace`.
llvm::Expected<Traced> InterpretTraced(const Computation& computation,
                                       llvm::ArrayRef<const Traced*> arguments, bool trace,
                                       const InterpretOptions* options = nullptr);

// Tells the call's observer what every element of the result was computed from; its leaves are
// those from `first_leaf` on of what the call gives.
void ReportSources(const Call& call, const Traced& result, int64_t first_leaf = 0);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_TRACE_H_
