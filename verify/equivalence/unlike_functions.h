// Why a function of one module is none of the other's. Internal to prove.cc.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_UNLIKE_FUNCTIONS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_UNLIKE_FUNCTIONS_H_

#include <string>

#include "core/hlo/module.h"
#include "llvm/ADT/DenseMap.h"

namespace affirm::equivalence {

// Instructions without value terms that stand for none of the other module, with a reason each.
using UnlikeFunctions = llvm::DenseMap<const hlo::Instruction*, std::string>;

// The reason of the first of them that `needed` is computed from, behind "; "; "" where there is
// none.
std::string WhyUnlike(const hlo::Instruction& needed, const UnlikeFunctions& unlike);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_UNLIKE_FUNCTIONS_H_
