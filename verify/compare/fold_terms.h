// Flattens a tree of one operation into its leaves, as the multiset that a reduction combines.
#ifndef AFFIRM_VERIFY_COMPARE_FOLD_TERMS_H_
#define AFFIRM_VERIFY_COMPARE_FOLD_TERMS_H_

#include <optional>
#include <vector>

#include "llvm/ADT/DenseSet.h"
#include "verify/terms/fold_laws.h"
#include "verify/terms/scope.h"

namespace affirm::compare {

// Whether a tree of float adds or multiplies may be taken for a reduction, whose order is open. A
// tree in a kernel is one order of the computation's reduction. In an HLO module each add rounds as
// it stands.
enum class WrittenSums : uint8_t { kAreInAnyOrder, kAreRounded };

// The multiset of the leaves that `value` combines by the operation: {a, b, c} for
// add(add(a, b), c). Integers and conditions are taken from sums, maxima and conjunctions. A value
// of another form is a leaf, and so are the terms in `whole`. nullopt where there are more than
// `limit` leaves, or a sum has a negative coefficient.
std::optional<std::vector<terms::Term>> CombinedValues(
    terms::Scope& scope, terms::Op operation, terms::Term value,
    const llvm::DenseSet<terms::Term>& whole, int64_t limit,
    WrittenSums sums = WrittenSums::kAreInAnyOrder);

// How many values a fold's variable has.
terms::Int128 SizeOf(terms::Term variable);
// The product of the variables' sizes; 0 where one does not begin at 0 or is empty, or the product
// exceeds 2^62.
terms::Int128 NumPoints(llvm::ArrayRef<terms::Term> variables);

// Whether the term is a fold, or one combined with an initial value.
bool IsReduction(terms::Term term);
// Whether the term is one result of a fold by a called computation (kResultOfComputation).
bool IsFoldByComputation(terms::Term term);

using terms::InItsOrder;
using terms::IsIdempotent;
using terms::IsIdentityOf;
using terms::IsNeverNegativeZero;
using terms::IsPositiveZero;

// The operands of `value op constant` for a bitwise and, or, xor, which terms write as a sum
// (terms/machine.h). `value` is null for a constant alone. For any other term, `number` is
// NeutralBits.
struct BitsAndNumber {
  terms::Term value, number;
};
BitsAndNumber WithoutNumber(terms::Scope& scope, terms::Op operation, terms::Term value);
// The neutral element of a bitwise operation: all ones for "and", else 0.
terms::Term NeutralBits(terms::Pool& pool, terms::Op operation, hlo::PrimitiveType type);

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_FOLD_TERMS_H_
