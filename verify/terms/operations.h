// Canonical terms for conversions, comparisons and constants, used by both sides of a proof.
//
// Operations on floats and complex numbers are uninterpreted functions:
//   pool.Apply(Op::kExponential, f32, {x})
// Operations on integers and predicates are integer terms and conditions (machine.h) where these
// exist. The table of op.def lists all operations.
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
// An integer congruent to the value, modulo 2^width.
Term CongruentInteger(Pool& pool, Term value);
// The integer, in the range of the type: 0 or 1 for pred.
Term IntegerIn(Scope& scope, Term value, hlo::PrimitiveType type);
// The value of the type that is the integer modulo 2^width.
Term ValueOfInteger(Scope& scope, Term integer, hlo::PrimitiveType type);

// a where the condition holds, else b. For integers it picks between their integer terms, without a
// wrap into the type's range, as the lifting of a kernel does.
Term SelectValue(Scope& scope, Term condition, Term a, Term b);

// The answer of `of` about the integer that a choice of integers (kPick) takes; asked once of each.
Term ConditionOfPick(Pool& pool, Term pick, llvm::function_ref<Term(Term integer)> of);

// The number as a float: kConvert of an s64, or kConvertUnsigned of one where it may be too large.
// So it is the same from whatever width the number came. Whole numbers that double has are
// literals.
Term FloatOfInteger(Scope& scope, Term integer, hlo::PrimitiveType type);
// XLA's convert between two HLO types: between integers modulo 2^width; from floats to integers
// kConvert or kConvertUnsigned, which saturate. Null where the term language has none.
Term Convert(Scope& scope, Term value, hlo::PrimitiveType from, hlo::PrimitiveType to);

// a == b, a < b, ... of floats or complex numbers, as a predicate. The partial order has three
// operations, kCompareEq, kCompareLt and kCompareLe, which are false where an operand is NaN; the
// total order has kCompareEqTotal, ...; the other directions are expressed by these. Null for
// directions other than EQ NE LT LE GT GE.
Term CompareFloats(Pool& pool, llvm::StringRef direction, bool total_order, Term a, Term b);

// Reinterprets the bits of `value` as an HLO type of the same width: kBitcast between integers and
// floats.
Term WithBits(Pool& pool, Term value, hlo::PrimitiveType type);

// The bits of a float as an integer of its width; any other value unchanged. Equal bits mean equal
// floats, NaN payloads included.
Term BitsOf(Pool& pool, Term value);

// The parts of a complex number, and the number from its parts: kReal, kImag, kComplex.
Term RealPart(Pool& pool, Term value);
Term ImaginaryPart(Pool& pool, Term value);
Term ComplexOf(Pool& pool, Term real, Term imaginary, hlo::PrimitiveType type);

// Element `linear`, in row-major order, of an HLO literal.
Term ElementOfLiteral(Pool& pool, const hlo::Literal& literal, int64_t linear);
// A digest of a constant array's type and elements, from the concatenated bytes of the elements. It
// names the array in an element at an index that is not constant (Operation::ElementOfConstant).
std::string ConstantDigest(hlo::PrimitiveType type, llvm::ArrayRef<uint8_t> bytes);

}  // namespace affirm::terms

#endif  // AFFIRM_VERIFY_TERMS_OPERATIONS_H_
