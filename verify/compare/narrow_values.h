// Values that depend on few bits of data, compared at all of them.
//
// The kernel widens an f8 with shifts and masks, the computation with convert: both are functions
// of the eight bits of one element, and 256 of them are tried.
#ifndef AFFIRM_VERIFY_COMPARE_NARROW_VALUES_H_
#define AFFIRM_VERIFY_COMPARE_NARROW_VALUES_H_

#include <optional>

#include "verify/compare/scalar_operations.h"
#include "verify/terms/scope.h"

namespace affirm::compare {

// Whether two values of one type are the same at all values of the elements that they are computed
// from, and of the variables: integers, or floats bit by bit, NaNs being one. Elements that
// `same_element` holds of are one. nullopt where these have more than `most_bits`, or 16, in all,
// or where a value depends on something else, or is computed by an operation whose result devices
// may round differently.
//
// A NaN that was computed has bits that no one says; where these matter, several are tried. `steps`
// is how many terms may still be evaluated; nullopt when it is used up.
std::optional<bool> SameAtAllValues(
    terms::Term a, terms::Term b,
    llvm::function_ref<bool(terms::Term load, terms::Term other)> same_element, int64_t& steps,
    int64_t most_bits = 16);

// Computes both values at each point: bit k of a point is bit k of the elements and other values in
// `leaves`, one after the other. `see` gets them, and says whether to go on. False where one of
// them cannot be computed. A computed NaN has the bits of a pattern, 0 to 3.
//
//   EvaluateAt(a, b, {x}, same_element, {0x3c00, 0x7e00}, 0, [](auto& a, auto& b) { ... });
bool EvaluateAt(terms::Term a, terms::Term b, llvm::ArrayRef<terms::Term> leaves,
                llvm::function_ref<bool(terms::Term load, terms::Term other)> same_element,
                llvm::ArrayRef<uint64_t> points, size_t nan_pattern,
                llvm::function_ref<bool(const TypedScalar& a, const TypedScalar& b)> see);
// Whether two scalars of one type are equal, all NaNs being one.
bool SameScalar(const TypedScalar& a, const TypedScalar& b);

// Whether the terms are the same whatever the comparisons in them give, each of `a` that
// `same_comparison` finds the same as one of `b` giving what that gives: the one-hot
//   convert(s64(x == y))   and   bitcast(x == y ? 0x3f800000 : 0)
// Only where the second has no elements but in comparisons. What is compared may be of any width;
// comparisons of what other comparisons give are computed.
bool SameByComparisons(terms::Term a, terms::Term b,
                       llvm::function_ref<bool(terms::Term of_a, terms::Term of_b)> same_comparison,
                       int64_t& steps);

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_NARROW_VALUES_H_
