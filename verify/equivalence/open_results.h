// What HLO leaves open of a module's results, beside what value terms say: they hide reductions
// from no identity (verify/hlo/values), and sorts and scatters that leave something open have none.
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

// That a reduction of the side (A or B) was hidden, which begins with "; "; "" where none was.
std::string WhyHidden(llvm::StringRef side, const hlo_values::ComputationValues& values);

// Why the result may be open on its own: a reduction that may start from no identity. Empty where
// there is none.
std::string WhyReductionIsOpen(const hlo::Computation& computation);

// For each leaf of the results, the operation that sees the sign and the payload of a NaN that may
// be computed; empty where there is none.
std::vector<std::string> WhyBitsAreOpen(const hlo::Computation& computation);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_OPEN_RESULTS_H_
