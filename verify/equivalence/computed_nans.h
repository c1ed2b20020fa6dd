// The sign and the payload of a NaN that an instruction computes, which HLO leaves open, and what
// reads them. A term gives the bits of x + y as a function of x and y, and those of x * 1 as those
// of x. In a device, two instructions of one term may give two NaNs:
//
//   s = add(x, y)   t = add(y, x)   ROOT r = xor(bitcast-convert(s), bitcast-convert(t))
//
// is 0 as a term, and need not be. So whatever is read has to be computed by one instruction of
// each module, which are then one array of which nothing else is known.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_COMPUTED_NANS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_COMPUTED_NANS_H_

#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "verify/equivalence/prove.h"

namespace affirm::equivalence {

// For each leaf of the results of two computations of one signature that are equal but for bits of
// NaNs, why these may differ; empty where they do not.
std::vector<std::string> WhyNaNsAreOpen(const hlo::Computation& a, const hlo::Computation& b,
                                        const ProveOptions& options);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_COMPUTED_NANS_H_
