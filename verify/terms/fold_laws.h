// One table of the operations that fold values, with the laws that a proof may use for each.
//
//   reduce(x, 0.0), to_apply=add     in any order: HLO's licence, although roundings differ
//   reduce(x, lowest), to_apply=max  in any order, to the bit; an element may count twice
//
// A test holds every exact law against the interpreter, for all values of small types. Combiners
// that are computations have the laws that verify/equivalence/combiner_laws.h proves.
#ifndef AFFIRM_VERIFY_TERMS_FOLD_LAWS_H_
#define AFFIRM_VERIFY_TERMS_FOLD_LAWS_H_

#include <optional>

#include "llvm/ADT/ArrayRef.h"
#include "verify/terms/scope.h"
#include "verify/terms/term.h"

namespace affirm::terms {

// Why values may be combined in any order and grouping.
enum class AnyOrder : uint8_t {
  kNever,
  kExact,     // the operation commutes and associates
  kLicensed,  // it commutes, and rounds: XLA operation semantics, "Reduce", leaves the order open
};

struct FoldOperation {
  Op op;
  AnyOrder on_integers, on_floats;  // predicates are integers
  bool idempotent;                  // combining with a value again changes nothing
};
llvm::ArrayRef<FoldOperation> FoldOperations();
// Null for an operation that is not in the table.
const FoldOperation* FindFoldOperation(Op op);

bool IsIdempotent(Op operation);
// Whether the value is an identity of the operation, to the bit up to NaN payloads: 0 for a sum of
// integers, -0.0 for a sum of floats, -inf for a maximum of floats.
bool IsIdentityOf(Op operation, Term value);
// Whether the value is an initial value as HLO requires it of a reduction, which may combine it any
// number of times: an identity; a zero of either sign for a sum; for a maximum or minimum a float
// of large magnitude, which stands for an infinity. nullopt where the value is not constant, or the
// operation is not in the table.
std::optional<bool> MayBeAnyNumberOfTimes(Op operation, Term value);
// Whether the value is the float literal 0.0, not -0.0. Adding it changes a sum of negative zeros
// alone, and not if that contains another 0.0.
bool IsPositiveZero(Term value);
// Whether a float is never -0.0, for all values of its operands. Then no sum that contains it is.
bool IsNeverNegativeZero(Term value);
// Strips the marks of an open order (Op::kInSomeOrder, Op::kOpenZeroSign) and of one value in a sum
// (Op::kRounded) from a term.
Term InItsOrder(Term value);

// Strips Op::kRounded alone.
Term WithoutRounding(Term value);

// Whether the result depends on the order: sums and products of floats round at each step.
bool RoundsInOrder(Op operation, hlo::PrimitiveType type);
// Whether the term combines a fold by its own operation with an initial value. Its order is as open
// as the fold's: add(init, fold-add) is the term of HLO's reduce, and of a loop that starts with
// `init`.
bool IsFoldWithStart(Term term);
// The operand of an explicit sum or product, such as HLO's `add` or an `fadd`. An operand that is a
// fold by the same operation is marked as one value (Op::kRounded), since its elements must not be
// reassociated with the other operand:
//
//   add(reduce(p, 0), q)  is  add(rounded(add(0, fold-add)), q),  and no fold of p and q
Term AsOneValue(Pool& pool, Op operation, Term operand);

// Renames the variables of a fold, with or without an initial value, by position, so that loops
// that differ in names alone become one term. Returns other terms unchanged.
Term WithNumberedVariables(Scope& scope, Term reduction);

}  // namespace affirm::terms

#endif  // AFFIRM_VERIFY_TERMS_FOLD_LAWS_H_
