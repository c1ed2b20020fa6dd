// How operations of StableHLO without regions are written in HLO.
#ifndef AFFIRM_CORE_STABLEHLO_OP_TEXT_H_
#define AFFIRM_CORE_STABLEHLO_OP_TEXT_H_

#include <optional>
#include <string>
#include <vector>

#include "core/stablehlo/program.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo::stablehlo {

// "dot" and ", lhs_contracting_dims={1}, rhs_contracting_dims={0}".
struct OpText {
  std::string opcode, attributes;
  std::optional<size_t> operands;  // how many of them HLO takes; none: all
};

// The text of an operation at operands of these types; nullopt for one that this does not know. The
// error has no place.
llvm::Expected<std::optional<OpText>> TextOf(const Operation& operation,
                                             const std::vector<Type>& operands);

// The attributes of an operation that combines elements by its first region (reduce, reduce_window,
// select_and_scatter, scatter, sort, map) without the computations; nullopt for any other.
std::optional<std::string> FoldAttributes(const Operation& operation,
                                          const std::vector<Type>& operands);

}  // namespace affirm::hlo::stablehlo

#endif  // AFFIRM_CORE_STABLEHLO_OP_TEXT_H_
