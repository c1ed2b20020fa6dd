// StableHLO as HLO.
#ifndef AFFIRM_CORE_STABLEHLO_TO_HLO_H_
#define AFFIRM_CORE_STABLEHLO_TO_HLO_H_

#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo::stablehlo {

// A module as HLO text, and where the text that was read has what stands in each line of it.
struct HloText {
  std::string text;
  std::vector<SourceLocation> places;
};

// The module of @main, and one of each function that neither it nor one before calls, so that these
// can be verified too. Regions become computations. What a region takes from outside is computed
// again where it is a constant, and else passed: as a further value of a loop, or as the operand of
// a branch. Errors are "where:line:column: error: ..".
llvm::Expected<std::vector<HloText>> ToHlo(llvm::StringRef text, llvm::StringRef where);

}  // namespace affirm::hlo::stablehlo

#endif  // AFFIRM_CORE_STABLEHLO_TO_HLO_H_
