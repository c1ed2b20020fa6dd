// Calls of libraries. Internal to the reader of StableHLO.
#ifndef AFFIRM_CORE_STABLEHLO_CUSTOM_CALL_H_
#define AFFIRM_CORE_STABLEHLO_CUSTOM_CALL_H_

#include <optional>
#include <string>
#include <vector>

#include "core/stablehlo/program.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo::stablehlo {

// The attributes of HLO's custom-call, without the computations that it calls:
// `, custom_call_target="f", custom_call_has_side_effect=true`. The error has no place.
llvm::Expected<std::string> CustomCallAttributes(const Operation& operation);

// The attributes of HLO's topk, where that is what a call stands for: XLA has it as a call of
// "mhlo.topk" with mhlo.attributes. Any other call with such attributes is an error.
llvm::Expected<std::optional<std::string>> TopKAttributes(const Operation& operation);

// The types of the results with the layouts that the library gives them.
std::vector<Type> ResultTypesWithLayouts(const Operation& operation);

}  // namespace affirm::hlo::stablehlo

#endif  // AFFIRM_CORE_STABLEHLO_CUSTOM_CALL_H_
