// The operations by which values are folded, and the laws that a proof may use of each: one table.
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
// Null for an operation that folds nothing.
const FoldOperation* FindFoldOperation(Op op);

bool IsIdempotent(Op operation);
// Whether combining with the value by the operation gives the other operand, to the bit (NaNs are
// one): 0 for a sum of integers, -0.0 for one of floats, -inf for the maximum of floats.
bool IsIdentityOf(Op operation, Term value);
// Whether the value is what HLO requires of the initial value of a reduction by the operation, for
// which it may be combined any number of times: an identity, a zero of either sign for a sum, for a
// maximum or minimum a float so far out that it stands for an infinity. nullopt where the value is
// no number, or the operation folds nothing.
std::optional<bool> MayBeAnyNumberOfTimes(Op operation, Term value);
// Whether the value is the number 0.0 of a type of floats, which -0.0 is not. In a sum it changes
// the sum of zeros that are all negative, and nothing else; beside another 0.0 it changes nothing.
bool IsPositiveZero(Term value);
// Whether a float is not -0.0, whatever its operands are: then no sum in which it stands is.
bool IsNeverNegativeZero(Term value);
// The sum or product whose operands may be combined in other orders (Op::kInSomeOrder,
// Op::kOpenZeroSign), or that is one value in another one (Op::kRounded); other terms as they are.
Term InItsOrder(Term value);

// The value that stands in a sum or a product as one (Op::kRounded); other terms as they are.
Term WithoutRounding(Term value);

// Sums and products of floats are rounded, so that the order counts in which they are combined.
bool RoundsInOrder(Op operation, hlo::PrimitiveType type);
// Does the term combine a fold by its operation with what the fold starts with? The order of these
// is as open as that of the fold: add(init, fold-add) is what HLO's reduce gives, and a loop that
// starts with `init`.
bool IsFoldWithStart(Term term);
// The operand of a sum or a product that is written as such, an `add` of HLO or an `fadd`: a fold
// by the same operation, with a start or without, is one value in it (Op::kRounded), since what it
// combines is combined with nothing else:
//
//   add(reduce(p, 0), q)  is  add(rounded(add(0, fold-add)), q),  and no fold of p and q
Term AsOneValue(Pool& pool, Op operation, Term operand);

// The fold, or the sum or product of folds by its operation with what they start with, whose
// variables are named by their number: loops that differ in names alone are one term. Other terms
// as they are.
Term WithNumberedVariables(Scope& scope, Term reduction);

}  // namespace affirm::terms

#endif  // AFFIRM_VERIFY_TERMS_FOLD_LAWS_H_
