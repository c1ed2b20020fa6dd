// Is the comparator of a sort a strict weak order, as HLO presumes? Of one that is none the result
// is open, so that whatever is proved of such a sort is proved of nothing.
//
//   a < b                                   is one: of numbers, and of floats without NaN
//   ka < kb or (ka == kb and va < vb)       is one, whatever k and v compute of an element
//   a <= b, a != b, true                    are none: a comes before a, or a before b before a
//
// Asked is what three elements x, y, z may be for each other:
//
//   not x < x,    x < y and y < z imply x < z,    x < z implies x < y or y < z
//
// Each value that is compared becomes an integer, its rank among all such values: a statement about
// all ranks holds for all elements. Comparisons such as < are assumed to see no NaN, as in every
// sort (docs/semantics.md), unless the caller says that some may be NaN. A value that is only
// tested for equality may be NaN: it is equal to nothing, and before nothing.
#ifndef AFFIRM_VERIFY_HLO_VALUES_STRICT_WEAK_ORDER_H_
#define AFFIRM_VERIFY_HLO_VALUES_STRICT_WEAK_ORDER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "core/hlo/module.h"

namespace affirm::hlo_values {

// nullopt where it is proved to be one, of the elements of all operands of a sort: the parameters
// are those of the first operand at two positions, then those of the second, ... Else what is not
// proved, which may hold nevertheless: "it is not known that no element comes before itself".
enum class NansCompared : uint8_t { kByEquality, kByAny };
std::optional<std::string> WhyNoStrictWeakOrder(const hlo::Computation& comparator,
                                                NansCompared nans = NansCompared::kByEquality);

}  // namespace affirm::hlo_values

#endif  // AFFIRM_VERIFY_HLO_VALUES_STRICT_WEAK_ORDER_H_
