// The single edits that make a written map simpler, and what counts as simpler.
#ifndef AFFIRM_FUZZ_REDUCER_MAP_EDITS_H_
#define AFFIRM_FUZZ_REDUCER_MAP_EDITS_H_

#include <string>
#include <tuple>
#include <vector>

#include "core/indexing/map_text.h"

namespace affirm::fuzz {

// The maps that one edit away are simpler, the most effective edits first: without a constraint, a
// result or a variable (a constant stands in for it), with a dim for another variable, with a part
// of a term in the place of the term, with numbers nearer to zero, with narrower bounds. Of
//   (d0, d1) -> (d0 + d1 mod 6), domain: d0 in [0, 3], d1 in [0, 9]
// among others (d0) -> (d0), (d0) -> (d0 mod 6) and (d0, d1) -> (d0 + d1 mod 3). Each is legal
// unless its divisors are not constants. A map that is known-empty or undefined has none.
std::vector<WrittenMap> SimplerMaps(const WrittenMap& map, Context& context);

// How complicated a map is: variables, constraints, results, nodes of terms, variables that are no
// dims, digits of all numbers, their distance from zero. Compared in this order.
using MapComplexity = std::tuple<size_t, size_t, size_t, size_t, size_t, size_t, double>;
MapComplexity ComplexityOf(const WrittenMap& map);

}  // namespace affirm::fuzz

#endif  // AFFIRM_FUZZ_REDUCER_MAP_EDITS_H_
