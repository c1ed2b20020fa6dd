// Results that HLO leaves open in one of two modules and not in the other. Value terms give an open
// result the value of the interpreter, which is one of several: that it is the other module's
// proves nothing.
//
//   reduce(x, 5), to_apply=add           // 5 may be added any number of times: it is no identity
//   add(reduce(x, 0), 5)                 // has one value
//
// Open are here
//
//   - reductions from what is no identity of what they combine by; where that is not known, as of a
//     parameter, only in B: what B makes of a reduction that A leaves open is not wrong;
//   - the sign and the payload of a NaN that is computed, where an operation sees them.
//
// Sorts and scatters that leave something open have no value terms: both modules have the same one,
// or nothing is proved.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_OPEN_RESULTS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_OPEN_RESULTS_H_

#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace affirm::equivalence {

// Why the result may be open on its own: a reduction that may start from no identity. Empty where
// there is none.
std::string WhyReductionIsOpen(const hlo::Computation& computation);

// For each leaf of the results of two computations of one signature, why it may be open in one of
// them and not in the other; empty where neither or both have such a reason.
// `have_same_value` proves that two computations of one signature have the value that the
// interpreter gives; it matches the open reductions of B with those of A.
using SameValueFunction =
    llvm::function_ref<bool(const hlo::Computation& a, const hlo::Computation& b)>;
std::vector<std::string> WhyOpenInOne(const hlo::Computation& a, const hlo::Computation& b,
                                      SameValueFunction have_same_value);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_OPEN_RESULTS_H_
