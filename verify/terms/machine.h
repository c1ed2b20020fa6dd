// Machine integers as terms.
//
// A term represents an integer of `width` bits if it is congruent to it modulo 2^width; the results
// of these functions are representatives too. So sums, differences and products are those of the
// pool, and need no proof that nothing wraps. Where the sign or the size matters (in a quotient, a
// comparison, an address), Signed or Unsigned gives the representative in range, which is the term
// itself where its range is known.
//
//   // icmp ule i32 %v, 99 of a loaded %v, as a scatter's guard has it: 0 <= v and v <= 99
//   UnsignedLess(scope, pool.Number(99), v, 32);  // the negation
//
// An operation that has no integer term becomes an uninterpreted operation on values, with HLO's
// name. Types of terms have no sign, so unsigned operations are kDivideUnsigned and
// kRemainderUnsigned. Integers of more than 120 bits are unknown.
#ifndef AFFIRM_VERIFY_TERMS_MACHINE_H_
#define AFFIRM_VERIFY_TERMS_MACHINE_H_

#include "verify/terms/scope.h"

namespace affirm::terms {

// The same integer in [-2^(width-1), 2^(width-1) - 1], or in [0, 2^width - 1].
Term Signed(Scope& scope, Term a, int64_t width);
Term Unsigned(Scope& scope, Term a, int64_t width);
// A representative with coefficients in the signed range of the width, so that nested products stay
// small.
Term Congruent(Pool& pool, Term a, int64_t width);

// Conditions.
Term SignedLess(Scope& scope, Term a, Term b, int64_t width);    // a < b
Term UnsignedLess(Scope& scope, Term a, Term b, int64_t width);  // a < b
Term MachineEqual(Scope& scope, Term a, Term b, int64_t width);

// Division toward zero, and its remainder. By zero they are what XLA computes: all ones, and the
// dividend as remainder. LLVM IR's division by zero is undefined behavior, so that the divisor is
// not zero is an obligation of the lifter.
Term DivideSigned(Scope& scope, Term a, Term b, int64_t width);
Term RemainderSigned(Scope& scope, Term a, Term b, int64_t width);
Term DivideUnsigned(Scope& scope, Term a, Term b, int64_t width);
Term RemainderUnsigned(Scope& scope, Term a, Term b, int64_t width);

// a * b as a sum of products. Large powers and products of long sums become an operation on values.
Term Product(Scope& scope, Term a, Term b, int64_t width);
// a^b by repeated squaring, one step for each bit of b. A negative b gives 1/a^-b, rounded toward
// zero, and 0 for a = 0.
Term Power(Scope& scope, Term a, Term b, int64_t width, bool is_signed);

Term And(Scope& scope, Term a, Term b, int64_t width);
Term Or(Scope& scope, Term a, Term b, int64_t width);
Term Xor(Scope& scope, Term a, Term b, int64_t width);
// Shifts by the width or more follow XLA: 0, or all sign bits for an arithmetic shift.
Term ShiftLeft(Scope& scope, Term a, Term b, int64_t width);
Term ShiftRightLogical(Scope& scope, Term a, Term b, int64_t width);
Term ShiftRightArithmetic(Scope& scope, Term a, Term b, int64_t width);

// Applies an operation to two values of an integer type, as an integer term where it has one: facts
// may have made one possible since the operation was built. The uninterpreted operation otherwise.
Term OperationOnIntegers(Scope& scope, const Operation& operation, hlo::PrimitiveType type, Term a,
                         Term b);

// The integer type of a width (1: pred). TermType: the type of values of `type` in terms, where
// integers are signless, as in LLVM IR: u32 and s32 are both s32.
hlo::PrimitiveType IntegerType(int64_t width);
hlo::PrimitiveType TermType(hlo::PrimitiveType type);

}  // namespace affirm::terms

#endif  // AFFIRM_VERIFY_TERMS_MACHINE_H_
