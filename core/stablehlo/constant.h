// The constants of StableHLO, as HLO has them.
#ifndef AFFIRM_CORE_STABLEHLO_CONSTANT_H_
#define AFFIRM_CORE_STABLEHLO_CONSTANT_H_

#include <string>

#include "core/stablehlo/type.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo::stablehlo {

struct Literal {
  std::string text;
  bool is_splat = false;
};

// The text between the brackets of dense<..> as a literal of HLO of this type; of a splat, that of
// its scalar.
// `[1, 0xff]` of tensor<2xi8> is "{1, -1}". A shape or a kind of number that the type does not have
// and a number out of its range are errors, without a place. A decimal is rounded to a double
// first, as MLIR does. In a string of hexadecimal digits an i1 is one byte, 00 or 01, as jaxlib
// 0.10 prints it.
llvm::Expected<Literal> LiteralOf(llvm::StringRef dense, const Type& type);

}  // namespace affirm::hlo::stablehlo

#endif  // AFFIRM_CORE_STABLEHLO_CONSTANT_H_
