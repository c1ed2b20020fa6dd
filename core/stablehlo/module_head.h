// The first line of a module of HLO, of a module of StableHLO.
#ifndef AFFIRM_CORE_STABLEHLO_MODULE_HEAD_H_
#define AFFIRM_CORE_STABLEHLO_MODULE_HEAD_H_

#include <string>

#include "core/stablehlo/program.h"

namespace affirm::hlo::stablehlo {

// The name, which arguments `main` may write over, and how many copies of the program there are.
std::string HeadOf(const Program& program, const Function& main);

}  // namespace affirm::hlo::stablehlo

#endif  // AFFIRM_CORE_STABLEHLO_MODULE_HEAD_H_
