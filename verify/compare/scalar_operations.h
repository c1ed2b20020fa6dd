// Operations on values, computed on numbers: by the scalar functions of verify/scalar.
//
//   ScalarOperations operations;
//   auto two = OfInteger(2, PrimitiveType::kS32);
//   operations.Apply(Op::kMultiply, PrimitiveType::kS32, {two, two});  // 4
//
// Integers are those of TermType: signed. An unsigned operation takes their bits for unsigned ones.
#ifndef AFFIRM_VERIFY_COMPARE_SCALAR_OPERATIONS_H_
#define AFFIRM_VERIFY_COMPARE_SCALAR_OPERATIONS_H_

#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "llvm/Support/Error.h"
#include "verify/scalar/elementwise.h"
#include "verify/terms/term.h"

namespace affirm::compare {

using terms::Int128;
using terms::Operation;

struct TypedScalar {
  hlo::PrimitiveType type;
  hlo::Scalar value;
};

// The integer modulo the width of an integer type, or a predicate.
TypedScalar OfInteger(Int128 integer, hlo::PrimitiveType type);
// A scalar of an HLO type as terms have it.
TypedScalar OfScalar(hlo::PrimitiveType type, const hlo::Scalar& value);
// The scalar as one of an HLO type of the same width.
hlo::Scalar AsType(const TypedScalar& x, hlo::PrimitiveType type);
// The value that the bits of a literal, or of an element in memory, are; complex types included.
TypedScalar OfBits(Int128 bits, hlo::PrimitiveType type);
// The bits of an integer or a float of at most 64 bits. Of a NaN, those of the type's default one.
uint64_t BitsOf(const TypedScalar& x);

// The instruction on scalars that an operation of value terms stands for. Its operands are those in
// `operands`, without instructions of their own.
struct ScalarInstruction {
  hlo::Instruction instruction;
  std::vector<hlo::Instruction> operands;
};
// nullptr for an operation that is none of HLO's on one element, such as kBitcast.
std::unique_ptr<ScalarInstruction> InstructionOf(const Operation& operation,
                                                 hlo::PrimitiveType type,
                                                 llvm::ArrayRef<hlo::PrimitiveType> arg_types);

class ScalarOperations {
 public:
  using Function = std::function<TypedScalar(llvm::ArrayRef<TypedScalar>)>;

  // The operation on operands of these types. An error for what is no operation on one
  // element of them.
  static llvm::Expected<Function> Resolve(const Operation& operation, hlo::PrimitiveType type,
                                          llvm::ArrayRef<hlo::PrimitiveType> arg_types);
  // The operations of kernels on floats that are no opcodes of HLO: kCopysign, kTruncate,
  // kMaximumNumber and kMinimumNumber (NaN loses, -0 is below +0; devices may give either zero),
  // kConvertInRange (which saturates where devices give poison). Null for others.
  static Function BeyondOpcodes(terms::Op op, hlo::PrimitiveType type);
  // What it gives; the operation is resolved once.
  llvm::Expected<TypedScalar> Apply(const Operation& operation, hlo::PrimitiveType type,
                                    llvm::ArrayRef<TypedScalar> args);

 private:
  // The operation with its payload, and the types of result and operands.
  using Key = std::tuple<terms::Op, uint64_t, hlo::PrimitiveType, std::vector<hlo::PrimitiveType>>;
  std::map<Key, Function> functions_;
};

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_SCALAR_OPERATIONS_H_
