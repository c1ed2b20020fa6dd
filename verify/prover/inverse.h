// The inverse of a map whose results are digits of its variables.
#ifndef AFFIRM_VERIFY_PROVER_INVERSE_H_
#define AFFIRM_VERIFY_PROVER_INVERSE_H_

#include <optional>
#include <vector>

#include "core/indexing/indexing_map.h"

namespace affirm::prover {

// The values of the dims and then the range variables at which result k is Range(k). Of
// (d0) -> (d0 floordiv 8, d0 mod 8) the inverse is {s0 * 8 + s1}. nullopt when a result is no sum
// of multiples of digits `(x floordiv a) mod b` of variables that start at 0. A guess: where the
// map is no bijection the values are wrong.
std::optional<std::vector<SymbolicExpr>> InverseOf(const IndexingMap& m);

}  // namespace affirm::prover

#endif  // AFFIRM_VERIFY_PROVER_INVERSE_H_
