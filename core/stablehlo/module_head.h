// The first line of a module of HLO, of a module of StableHLO.
#ifndef AFFIRM_CORE_STABLEHLO_MODULE_HEAD_H_
#define AFFIRM_CORE_STABLEHLO_MODULE_HEAD_H_

#include <string>

#include "core/stablehlo/program.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo::stablehlo {

// The name, which arguments `main` may write over, and how many copies of the program there are:
// "HloModule m, buffer_donor={ (0, {}) }, replica_count=2". The error has no place.
llvm::Expected<std::string> HeadOf(const Program& program, const Function& main);

// A symbol as HLO can have it: "_lambda_" of "<lambda>".
std::string HloName(llvm::StringRef symbol);

}  // namespace affirm::hlo::stablehlo

#endif  // AFFIRM_CORE_STABLEHLO_MODULE_HEAD_H_
