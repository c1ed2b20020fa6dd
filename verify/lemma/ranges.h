// Ranges of the integers of a statement, from those of operands alone.
//
//   RangesOf(statement)[k];  // of a node that is an integer, or a value of an integer type
#ifndef AFFIRM_VERIFY_LEMMA_RANGES_H_
#define AFFIRM_VERIFY_LEMMA_RANGES_H_

#include <optional>
#include <vector>

#include "verify/lemma/statement.h"

namespace affirm::lemma {

// The range of each node's integer at all points; kAnything for floats and conditions. nullopt
// where an integer may need more than 120 bits.
std::optional<std::vector<terms::Range>> RangesOf(const Statement& statement);

// The narrowest of 32, 64 and 128 bits whose signed integers hold the range.
int WidthFor(const terms::Range& range);

}  // namespace affirm::lemma

#endif  // AFFIRM_VERIFY_LEMMA_RANGES_H_
