// Checks observations of computed NaNs, whose sign and payload HLO leaves open. Terms make the bits
// of x + y a function of x and y, and those of x * 1 those of x. On a device, two instructions with
// one term may produce different NaNs:
//
//   s = add(x, y)   t = add(y, x)   ROOT r = xor(bitcast-convert(s), bitcast-convert(t))
//
// is 0 as a term, but need not be 0. So the observed value must be computed by one instruction of
// each module; the two are then replaced by one arbitrary array.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_COMPUTED_NANS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_COMPUTED_NANS_H_

#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "verify/equivalence/prove.h"

namespace affirm::equivalence {

// For two computations of one signature that are equal up to NaN bits: for each leaf of the result,
// why these bits may differ; empty if they do not.
std::vector<std::string> WhyNaNsAreOpen(const hlo::Computation& a, const hlo::Computation& b,
                                        const ProveOptions& options);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_COMPUTED_NANS_H_
