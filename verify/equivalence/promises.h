// What instructions say of their operands that HLO does not check: a pass that says more than the
// module before it did makes results open that were not.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_PROMISES_H_
#define AFFIRM_VERIFY_EQUIVALENCE_PROMISES_H_

#include <string>

#include "core/hlo/module.h"
#include "verify/reference/interpreter.h"

namespace affirm::equivalence {

// The promises of B of a kind of which A has none. For a scatter with unique_indices=true in B,
// where no scatter of A has it, `held.unique_indices` is set.
struct Promises {
  hlo::InterpretOptions::Promises held;
  // The first of them that no proof covers, which looks at values alone: "scatter s of B, that its
  // indices are unique". Sorts are none of these, for they have no terms.
  std::string unproved;
  // Whether one execution decides them all: they are of the entry, and no parameter reaches the
  // indices.
  bool one_run_decides = true;
};
Promises NewPromises(const hlo::Computation& a, const hlo::Computation& b);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_PROMISES_H_
