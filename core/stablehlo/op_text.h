// How operations of StableHLO without regions are written in HLO.
#ifndef AFFIRM_CORE_STABLEHLO_OP_TEXT_H_
#define AFFIRM_CORE_STABLEHLO_OP_TEXT_H_

#include <string>
#include <vector>

#include "core/stablehlo/program.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo::stablehlo {

// "{1,2}".
std::string InBraces(const std::vector<int64_t>& values);

// The attributes in HLO of an operation whose row has an opcode, computations aside:
// ", lhs_contracting_dims={1}, rhs_contracting_dims={0}" of a dot. The error has no place.
llvm::Expected<std::string> HloAttributes(const Operation& operation);

}  // namespace affirm::hlo::stablehlo

#endif  // AFFIRM_CORE_STABLEHLO_OP_TEXT_H_
