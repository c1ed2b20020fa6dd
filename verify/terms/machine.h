// Machine integers as terms.
//
// An integer of `width` bits is held by any term that is congruent to it modulo 2^width; so are the
// results of these functions. Sums, differences and products therefore are those of the pool, and
// need no proof that nothing wraps. Where the sign or the size matters (in a quotient, a
// comparison, an address) Signed or Unsigned gives the term in its range, which costs nothing where
// the range is known.
//
//   // icmp ule i32 %v, 99 of a loaded %v, as a scatter's guard has it: 0 <= v and v <= 99
//   UnsignedLess(scope, pool.Number(99), v, 32);  // the negation
//
// What has no form as a term is an operation on values, under the name that HLO has for it; where
// types of HLO say whether an integer has a sign, and types of terms do not, the unsigned operation
// is kDivideUnsigned, kRemainderUnsigned. Widths of more than 120 bits are unknown integers.
#ifndef AFFIRM_VERIFY_TERMS_MACHINE_H_
#define AFFIRM_VERIFY_TERMS_MACHINE_H_

#include "verify/terms/scope.h"

namespace affirm::terms {

// The same integer in [-2^(width-1), 2^(width-1) - 1], or in [0, 2^width - 1].
Term Signed(Scope& scope, Term a, int64_t width);
Term Unsigned(Scope& scope, Term a, int64_t width);
// The same integer with coefficients in the signed range of the width, so that products of products
// stay small.
Term Congruent(Pool& pool, Term a, int64_t width);

// Conditions.
Term SignedLess(Scope& scope, Term a, Term b, int64_t width);    // a < b
Term UnsignedLess(Scope& scope, Term a, Term b, int64_t width);  // a < b
Term MachineEqual(Scope& scope, Term a, Term b, int64_t width);

// Quotients toward zero, and the remainders that belong to them. By zero they are XLA's: the
// quotient has all bits, and the remainder is the dividend; of a machine that it divides by no zero
// is an obligation.
Term DivideSigned(Scope& scope, Term a, Term b, int64_t width);
Term RemainderSigned(Scope& scope, Term a, Term b, int64_t width);
Term DivideUnsigned(Scope& scope, Term a, Term b, int64_t width);
Term RemainderUnsigned(Scope& scope, Term a, Term b, int64_t width);

// a * b as a sum of products, or as an operation on values where that would have no end: of powers,
// and of long sums.
Term Product(Scope& scope, Term a, Term b, int64_t width);
// a^b, as machines without such an instruction compute it: squares of a, one for each bit of b.
// With a sign, what a negative b gives is 1/a^-b, toward zero, and 0 of a zero.
Term Power(Scope& scope, Term a, Term b, int64_t width, bool is_signed);

Term And(Scope& scope, Term a, Term b, int64_t width);
Term Or(Scope& scope, Term a, Term b, int64_t width);
Term Xor(Scope& scope, Term a, Term b, int64_t width);
// By the width or more they are XLA's: no bit is left, but for the sign.
Term ShiftLeft(Scope& scope, Term a, Term b, int64_t width);
Term ShiftRightLogical(Scope& scope, Term a, Term b, int64_t width);
Term ShiftRightArithmetic(Scope& scope, Term a, Term b, int64_t width);

// The value of an operation on two values of an integer type that is written with an integer term
// where that is possible: what was an operation when its operands were not known may be a term now.
// The operation itself otherwise.
Term OperationOnIntegers(Scope& scope, const Operation& operation, hlo::PrimitiveType type, Term a,
                         Term b);

// The integer type of a width (1: pred), and the type that values of `type` have in terms: integers
// have no sign there, as in registers, so that u32 and s32 are both s32.
hlo::PrimitiveType IntegerType(int64_t width);
hlo::PrimitiveType TermType(hlo::PrimitiveType type);

}  // namespace affirm::terms

#endif  // AFFIRM_VERIFY_TERMS_MACHINE_H_
