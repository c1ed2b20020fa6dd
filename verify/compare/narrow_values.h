// Proves two values equal by enumerating the few bits of data that they depend on.
//
// The kernel widens an f8 with shifts and masks, the computation with convert: both are functions
// of the eight bits of one element, and 256 of them are tried.
#ifndef AFFIRM_VERIFY_COMPARE_NARROW_VALUES_H_
#define AFFIRM_VERIFY_COMPARE_NARROW_VALUES_H_

#include <optional>

#include "verify/compare/scalar_operations.h"
#include "verify/terms/scope.h"

namespace affirm::compare {

// Whether two values of one type are equal for all values of their loads and variables: integers,
// or floats bit by bit, with all NaNs equal. Loads for which `same_element` holds are one leaf.
// nullopt where the leaves have more than min(`most_bits`, 16) bits together, a value depends on
// anything else, or an operation may be rounded differently by devices.
//
// HLO does not specify the bits of a computed NaN; where these matter, several patterns are tried.
// `steps` is the fuel, in evaluated terms; nullopt when it is used up.
std::optional<bool> SameAtAllValues(
    terms::Term a, terms::Term b,
    llvm::function_ref<bool(terms::Term load, terms::Term other)> same_element, int64_t& steps,
    int64_t most_bits = 16);

// Evaluates both values at each point, which concatenates the bits of `leaves`. `see` gets both
// results and returns whether to go on. False where a value cannot be evaluated. `nan_pattern`, 0
// to 3, chooses the bits of computed NaNs.
//
//   EvaluateAt(a, b, {x}, same_element, {0x3c00, 0x7e00}, 0, [](auto& a, auto& b) { ... });
bool EvaluateAt(terms::Term a, terms::Term b, llvm::ArrayRef<terms::Term> leaves,
                llvm::function_ref<bool(terms::Term load, terms::Term other)> same_element,
                llvm::ArrayRef<uint64_t> points, size_t nan_pattern,
                llvm::function_ref<bool(const TypedScalar& a, const TypedScalar& b)> see);
// Whether two scalars of one type are equal, all NaNs being one.
bool SameScalar(const TypedScalar& a, const TypedScalar& b);

// Whether the terms are equal for all outcomes of their comparisons. Comparisons of `a` and `b`
// that `same_comparison` identifies have one outcome. An example is the one-hot
//   convert(s64(x == y))   and   bitcast(x == y ? 0x3f800000 : 0)
// False where `b` has loads outside of comparisons. Compared operands may have any width; a
// comparison that contains another one is evaluated.
bool SameByComparisons(terms::Term a, terms::Term b,
                       llvm::function_ref<bool(terms::Term of_a, terms::Term of_b)> same_comparison,
                       int64_t& steps);

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_NARROW_VALUES_H_
