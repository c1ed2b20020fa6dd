// What a combination of many values by one operation consists of.
#ifndef AFFIRM_VERIFY_COMPARE_FOLD_TERMS_H_
#define AFFIRM_VERIFY_COMPARE_FOLD_TERMS_H_

#include <optional>
#include <vector>

#include "llvm/ADT/DenseSet.h"
#include "verify/terms/fold_laws.h"
#include "verify/terms/scope.h"

namespace affirm::compare {

// Whether sums and products that are written as such, and are no folds, are combined in the order
// of the fold: a kernel's are one of the orders that HLO leaves open. An HLO module's are rounded
// as they stand.
enum class WrittenSums : uint8_t { kAreInAnyOrder, kAreRounded };

// The values that `value` combines by the operation, in no order: {a, b, c} for add(add(a, b), c),
// and for the same integers and conditions, which stand in sums, maxima and conjunctions. A value
// that is no such combination is one alone, and so are those of `whole`, which are looked for. Each
// value stands there as often as it counts; nullopt when they are more than `limit`, or count less
// than zero times.
std::optional<std::vector<terms::Term>> CombinedValues(
    terms::Scope& scope, terms::Op operation, terms::Term value,
    const llvm::DenseSet<terms::Term>& whole, int64_t limit,
    WrittenSums sums = WrittenSums::kAreInAnyOrder);

// How many values a fold's variable has.
terms::Int128 SizeOf(terms::Term variable);
// The sizes of a fold's variables multiplied; 0 where one does not begin at 0, or they are more
// than 2^62.
terms::Int128 NumPoints(llvm::ArrayRef<terms::Term> variables);

// Whether the term is a fold, or one combined with an initial value.
bool IsReduction(terms::Term term);
// Whether the term is a leaf of what a computation combines elements to, initial values first.
bool IsFoldByComputation(terms::Term term);

using terms::InItsOrder;
using terms::IsIdempotent;
using terms::IsIdentityOf;
using terms::IsNeverNegativeZero;
using terms::IsPositiveZero;

// A value that combines the bits of another one with a number, by "and", "or" or "xor", which is
// written as a sum (terms/machine.h): both as values. The value is null where it is a number alone;
// where it is no such sum, the number is that of NeutralBits.
struct BitsAndNumber {
  terms::Term value, number;
};
BitsAndNumber WithoutNumber(terms::Scope& scope, terms::Op operation, terms::Term value);
// What combining bits with changes nothing.
terms::Term NeutralBits(terms::Pool& pool, terms::Op operation, hlo::PrimitiveType type);

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_FOLD_TERMS_H_
