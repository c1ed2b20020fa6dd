// Why an opaque operation of one module matches none of the other. Internal to prove.cc.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_UNLIKE_FUNCTIONS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_UNLIKE_FUNCTIONS_H_

#include <string>

#include "core/hlo/module.h"
#include "llvm/ADT/DenseMap.h"

namespace affirm::equivalence {

// Unmatched instructions without value terms, with a reason each.
using UnlikeFunctions = llvm::DenseMap<const hlo::Instruction*, std::string>;

// "; " and the reason of the first unmatched instruction that `needed` depends on; "" if there is
// none.
std::string WhyUnlike(const hlo::Instruction& needed, const UnlikeFunctions& unlike);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_UNLIKE_FUNCTIONS_H_
