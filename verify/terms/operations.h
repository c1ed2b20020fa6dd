// Operations on values: the names that terms have for them, and the forms that both sides of a
// proof write conversions, comparisons and constants in.
//
// Values of floating and complex types are uninterpreted: an operation is applied under the name of
// its HLO opcode,
//   pool.Apply("exponential", f32, {x})
// Integers and predicates are integer terms and conditions (machine.h), except for the operations
// that have no such form. As values of integers have no sign, an operation that depends on it has
// two names: "divide" and "divide-unsigned". The table of operations.cc lists all of them.
#ifndef AFFIRM_VERIFY_TERMS_OPERATIONS_H_
#define AFFIRM_VERIFY_TERMS_OPERATIONS_H_

#include <string>

#include "core/hlo/literal.h"
#include "core/hlo/opcode.h"
#include "verify/terms/scope.h"

namespace affirm::terms {

struct Operation {
  hlo::Opcode opcode;
  // What integers have: nothing; an integer term, and where machine.h has none an operation under
  // the name, as folds have; or always such an operation. BySign: the name of that operation on
  // unsigned integers is another one.
  enum class OnIntegers : uint8_t { kNone, kTerm, kTermBySign, kNamed, kNamedBySign } on_integers;
  // What floats have: nothing, an operation under the name, or a form that the notes say.
  enum class OnFloats : uint8_t { kNone, kNamed, kForm } on_floats;
  llvm::StringLiteral notes = "";
  llvm::StringRef name() const { return hlo::Name(opcode); }
};
// Every elementwise opcode that has a value term, once.
llvm::ArrayRef<Operation> Operations();
// Null for other opcodes.
const Operation* FindOperation(hlo::Opcode opcode);

// The name of an operation whose operands have the HLO type: "add", "maximum-unsigned".
std::string OperationName(hlo::Opcode opcode, hlo::PrimitiveType type);
// The name of the operation that folds predicates, integers or other values of the HLO type: as
// OperationName, with "or" for the sum and the maximum of predicates and "and" for their product
// and minimum.
std::string FoldName(hlo::Opcode opcode, hlo::PrimitiveType type);

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

// The number as a float: "convert" of an s64, or "convert-unsigned" of one where it may be too
// large. So it is the same from whatever width the number came. Whole numbers that double has are
// literals.
Term FloatOfInteger(Scope& scope, Term integer, hlo::PrimitiveType type);
// XLA's convert between two HLO types: between integers exact, from floats to integers "convert" or
// "convert-unsigned", which saturate. Null where there is none.
Term Convert(Scope& scope, Term value, hlo::PrimitiveType from, hlo::PrimitiveType to);

// a == b, a < b, ... of floats or complex numbers, as a predicate. There are three operations,
// "compare-EQ", "compare-LT" and "compare-LE", which are false where an operand is NaN, and three
// in the total order, "compare-EQ-total", ...; other directions are written with them. Null for
// other directions than EQ NE LT LE GT GE.
Term CompareFloats(Pool& pool, llvm::StringRef direction, bool total_order, Term a, Term b);

// The value of the HLO type that has the bits of `value`, of the same width: "bitcast" where it is
// between an integer and a float.
Term WithBits(Pool& pool, Term value, hlo::PrimitiveType type);

// The type of the parts of a complex type.
hlo::PrimitiveType PartType(hlo::PrimitiveType type);
// A part of a complex number, or the number from its parts: "real", "imag", "complex".
Term RealPart(Pool& pool, Term value);
Term ImaginaryPart(Pool& pool, Term value);
Term ComplexOf(Pool& pool, Term real, Term imaginary, hlo::PrimitiveType type);

// Element `linear`, in row-major order, of an array as a literal.
Term ElementOfLiteral(Pool& pool, const hlo::Literal& literal, int64_t linear);
// The name of the operation that takes a position (an s64) to the element of an array of the type
// there, from the bytes of all elements one after the other: the same name for the same bytes. An
// element of a constant array at a position that is no number is written with it.
std::string ConstantName(hlo::PrimitiveType type, llvm::ArrayRef<uint8_t> bytes);

}  // namespace affirm::terms

#endif  // AFFIRM_VERIFY_TERMS_OPERATIONS_H_
