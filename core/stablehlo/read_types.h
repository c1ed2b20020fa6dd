// The types and the constants of StableHLO, as HLO has them.
#ifndef AFFIRM_CORE_STABLEHLO_READ_TYPES_H_
#define AFFIRM_CORE_STABLEHLO_READ_TYPES_H_

#include <string>

#include "core/hlo/scanner.h"
#include "core/stablehlo/program.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo::stablehlo {

// tensor<2x3xf32>. Sizes that are not known, tokens and tuples are errors.
llvm::Expected<Type> ReadType(Scanner& scanner);

// The contents of dense<..> as a literal of HLO of this type; of one element for all, that of its
// scalar. The error has no place.
struct Literal {
  std::string text;
  bool is_splat = false;
};
llvm::Expected<Literal> LiteralOf(llvm::StringRef dense, const Type& type);

}  // namespace affirm::hlo::stablehlo

#endif  // AFFIRM_CORE_STABLEHLO_READ_TYPES_H_
