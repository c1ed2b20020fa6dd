// The forms that both sides of a proof write operations in: conversions, comparisons, constants.
//
// Values of floating and complex types are uninterpreted: an operation is applied to them,
//   pool.Apply(Op::kExponential, f32, {x})
// Integers and predicates are integer terms and conditions (machine.h), except for the operations
// that have no such form. The table of op.def lists all operations.
#ifndef AFFIRM_VERIFY_TERMS_OPERATIONS_H_
#define AFFIRM_VERIFY_TERMS_OPERATIONS_H_

#include <string>

#include "core/hlo/literal.h"
#include "core/hlo/opcode.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "verify/terms/scope.h"

namespace affirm::terms {

// Integers in values. `type` is an HLO type: an integer type or pred.
//
// An integer that the value holds, modulo the width.
Term CongruentInteger(Pool& pool, Term value);
// The integer, in the range of the type: 0 or 1 for pred.
Term IntegerIn(Scope& scope, Term value, hlo::PrimitiveType type);
// The value that holds the integer modulo the width.
Term ValueOfInteger(Scope& scope, Term integer, hlo::PrimitiveType type);

// a where the condition holds, else b. Of integers it is a choice of what they are written with, as
// in a kernel, which knows no range of a value that it hands on.
Term SelectValue(Scope& scope, Term condition, Term a, Term b);

// What `of` says of the integer that a choice of integers (kPick) takes; asked once of each.
Term ConditionOfPick(Pool& pool, Term pick, llvm::function_ref<Term(Term integer)> of);

// The number as a float: kConvert of an s64, or kConvertUnsigned of one where it may be too large.
// So it is the same from whatever width the number came. Whole numbers that double has are
// literals.
Term FloatOfInteger(Scope& scope, Term integer, hlo::PrimitiveType type);
// XLA's convert between two HLO types: between integers exact, from floats to integers kConvert or
// kConvertUnsigned, which saturate. Null where there is none.
Term Convert(Scope& scope, Term value, hlo::PrimitiveType from, hlo::PrimitiveType to);

// a == b, a < b, ... of floats or complex numbers, as a predicate. There are three operations,
// kCompareEq, kCompareLt and kCompareLe, which are false where an operand is NaN, and three in the
// total order, kCompareEqTotal, ...; other directions are written with them. Null for
// other directions than EQ NE LT LE GT GE.
Term CompareFloats(Pool& pool, llvm::StringRef direction, bool total_order, Term a, Term b);

// The value of the HLO type that has the bits of `value`, of the same width: kBitcast where it is
// between an integer and a float.
Term WithBits(Pool& pool, Term value, hlo::PrimitiveType type);

// The bits of a float as an integer of its width; any other value as it is. Two floats of the same
// bits are the same NaN, too.
Term BitsOf(Pool& pool, Term value);

// A part of a complex number, or the number from its parts: kReal, kImag, kComplex.
Term RealPart(Pool& pool, Term value);
Term ImaginaryPart(Pool& pool, Term value);
Term ComplexOf(Pool& pool, Term real, Term imaginary, hlo::PrimitiveType type);

// Element `linear`, in row-major order, of an array as a literal.
Term ElementOfLiteral(Pool& pool, const hlo::Literal& literal, int64_t linear);
// What constant arrays of a type with the same elements have in common, and no others: from the
// bytes of all elements one after the other. An element of such an array at a position that is no
// number is written with it (Operation::ElementOfConstant).
std::string ConstantDigest(hlo::PrimitiveType type, llvm::ArrayRef<uint8_t> bytes);

}  // namespace affirm::terms

#endif  // AFFIRM_VERIFY_TERMS_OPERATIONS_H_
