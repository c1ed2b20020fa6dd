// Operations of the CHLO dialect that XLA computes by others. Internal to the reader of StableHLO.
#ifndef AFFIRM_CORE_STABLEHLO_EXPAND_H_
#define AFFIRM_CORE_STABLEHLO_EXPAND_H_

#include "core/stablehlo/computation.h"
#include "core/stablehlo/program.h"

namespace affirm::hlo::stablehlo {

// Writes chlo.sinh and the like of real numbers as jaxlib 0.10 does (StableHLO's pass
// chlo-legalize-to-stablehlo) and gives the result: chlo.square is multiply(x, x). The error has no
// place.
llvm::Expected<Value> ExpandChlo(const Operation& operation, const Value& operand, Computation& in);

}  // namespace affirm::hlo::stablehlo

#endif  // AFFIRM_CORE_STABLEHLO_EXPAND_H_
