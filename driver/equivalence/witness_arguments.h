// The arguments of a witness that terms gave (verify/equivalence/witness.h).
#ifndef AFFIRM_DRIVER_EQUIVALENCE_WITNESS_ARGUMENTS_H_
#define AFFIRM_DRIVER_EQUIVALENCE_WITNESS_ARGUMENTS_H_

#include <string>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "verify/equivalence/witness.h"

namespace affirm::driver {

// Arguments of a seed in which the integers are those of the witness, and the two elements that are
// read differ where their type has two values.
std::vector<hlo::Literal> MakeWitnessArguments(const hlo::Computation& computation,
                                               const equivalence::Witness& witness, uint64_t seed);

// "the first reads x[5], the second reads x[3]".
std::string Describe(const hlo::Computation& computation, const equivalence::Witness& witness);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_EQUIVALENCE_WITNESS_ARGUMENTS_H_
