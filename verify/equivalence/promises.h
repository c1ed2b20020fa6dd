// Unchecked preconditions on operands, such as unique_indices. A pass that adds one makes results
// undefined that were defined before.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_PROMISES_H_
#define AFFIRM_VERIFY_EQUIVALENCE_PROMISES_H_

#include <string>

#include "core/hlo/module.h"
#include "core/hlo/operand_promises.h"
#include "verify/equivalence/prove.h"

namespace affirm::equivalence {

// The preconditions that B adds: instructions of B with unique_indices=true or
// indices_are_sorted=true for whose indices A does not state the same, and which constant indices
// do not satisfy. Instructions of computations that loops and branches call are matched if the
// calls are proved equal.
struct Promises {
  // The preconditions that executions of B must satisfy, on arguments that satisfy A's.
  hlo::OperandPromises held;
  // The first of them: "scatter s of B, that its indices are unique". Also that replicas get equal
  // parameters, and that a product may round more than the one of A that it implements. Sorts are
  // not included, since they have no terms.
  std::string unproved;
};
// `proof` is the result of ProveEquivalent with these options; it is not used if both are one graph
// (same_structure.h).
Promises NewPromises(const hlo::Computation& a, const hlo::Computation& b,
                     const EquivalenceProof& proof, const ProveOptions& options);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_PROMISES_H_
