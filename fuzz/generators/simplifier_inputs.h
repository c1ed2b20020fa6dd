// Random maps of the shapes on which simplifiers go wrong, as they would be written: small, with
// one or two things that are hard about them.
//
//   WrittenMap map = GenerateSimplifierInput(choices, context, TermLanguage::kAffine);
//   ToString(map);  // (d0)[s0] -> (d0 floordiv -3), domain: d0 in [0, 11], s0 in [0, 1],
//                   // d0 mod 4 in [3, 9], d0 + s0 * 2 in [-1, 7]
//
// The shapes: multipliers and divisors that are negative; residues partly or wholly out of range;
// constraints over several variables; constraints on one expression, overlapping or not; moduli
// whose least common multiple, and factors whose product, leaves int64; domains that are empty;
// runtime variables in results and in constraints; sizes of zero and one; range variables that
// nothing or only a constraint uses; bounds past 32 bits and near the limits of int64.
#ifndef AFFIRM_FUZZ_GENERATORS_SIMPLIFIER_INPUTS_H_
#define AFFIRM_FUZZ_GENERATORS_SIMPLIFIER_INPUTS_H_

#include "core/indexing/map_text.h"
#include "fuzz/generators/choices.h"

namespace affirm::fuzz {

// Which terms occur: sums, multiples, floordiv and mod by constants; or also ceildiv, min, max and
// products of variables, which not every implementation reads.
enum class TermLanguage : uint8_t { kAffine, kAll };

WrittenMap GenerateSimplifierInput(Choices& choices, Context& context, TermLanguage language);

}  // namespace affirm::fuzz

#endif  // AFFIRM_FUZZ_GENERATORS_SIMPLIFIER_INPUTS_H_
