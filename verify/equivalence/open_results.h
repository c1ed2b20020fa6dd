// Freedoms of HLO in a module's results that value terms do not express: terms hide reductions
// whose initial value is no identity (verify/hlo/values), and sorts and scatters with open choices
// have no terms.
//
//   bitcast-convert(add(x, y))   // of a NaN the sign and the payload are open
//   bitcast-convert(x)           // of a parameter they are given
#ifndef AFFIRM_VERIFY_EQUIVALENCE_OPEN_RESULTS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_OPEN_RESULTS_H_

#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/StringRef.h"
#include "verify/hlo/values/values.h"

namespace affirm::equivalence {

// "; " and a text that a reduction of the side (A or B) was hidden; "" if none was.
std::string WhyHidden(llvm::StringRef side, const hlo_values::ComputationValues& values);

// Why the result may be open by itself: a reduction whose initial value may not be an identity.
// Empty if there is none.
std::string WhyReductionIsOpen(const hlo::Computation& computation);

// For each leaf of the results, the operation that observes the sign or payload of a NaN that may
// be computed; empty if there is none.
std::vector<std::string> WhyBitsAreOpen(const hlo::Computation& computation);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_OPEN_RESULTS_H_
