// Preconditions that instructions state of their operands and HLO does not check: a pass that adds
// one makes results open that were not.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_PROMISES_H_
#define AFFIRM_VERIFY_EQUIVALENCE_PROMISES_H_

#include <string>

#include "core/hlo/module.h"
#include "core/hlo/operand_promises.h"
#include "verify/equivalence/prove.h"

namespace affirm::equivalence {

// The promises of B that A does not make: each instruction of B with unique_indices=true or
// indices_are_sorted=true whose indices no instruction of A says the same of, and that constant
// indices do not keep. Instructions of computations that loops and branches call are matched where
// the calls are proved to be the same.
struct Promises {
  // The promises that B's executions must keep, on arguments on which A keeps it.
  hlo::OperandPromises held;
  // The first of them: "scatter s of B, that its indices are unique". Beside these, that replicas
  // are given the same parameter, and that a product may round more than the one of A that it
  // stands for. Sorts are none of these, for they have no terms.
  std::string unproved;
};
// `proof` is that of the two, by ProveEquivalent with these options; it is not looked at where they
// are one graph (same_structure.h).
Promises NewPromises(const hlo::Computation& a, const hlo::Computation& b,
                     const EquivalenceProof& proof, const ProveOptions& options);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_PROMISES_H_
