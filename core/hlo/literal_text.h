// Reads literals. Internal to the parser.
#ifndef AFFIRM_CORE_HLO_LITERAL_TEXT_H_
#define AFFIRM_CORE_HLO_LITERAL_TEXT_H_

#include <optional>

#include "core/hlo/literal.h"
#include "core/hlo/scanner.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo {

// A literal of the given shape, whose braces and element count must fit the shape: "5",
// "{{1, 2}, {3, 4}}", "(1, {2, 3})". A scalar where an array is due fills the array, at the expense
// of `fill_budget` elements. "{...}", text that the printer left out, is nullopt.
llvm::Expected<std::optional<Literal>> ParseLiteral(Scanner& scanner, const Shape& shape,
                                                    int64_t& fill_budget);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_LITERAL_TEXT_H_
