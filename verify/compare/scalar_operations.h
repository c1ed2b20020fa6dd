// Evaluates operations of value terms on scalars, by the functions of verify/scalar.
//
//   ScalarOperations operations;
//   auto two = OfInteger(2, PrimitiveType::kS32);
//   operations.Apply(Op::kMultiply, PrimitiveType::kS32, {two, two});  // 4
//
// Integers are signed, as terms have them. An unsigned operation reinterprets their bits.
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

// The integer modulo 2^width of the type, which is an integer type or pred.
TypedScalar OfInteger(Int128 integer, hlo::PrimitiveType type);
// Converts a scalar of an HLO type to the terms' representation.
TypedScalar OfScalar(hlo::PrimitiveType type, const hlo::Scalar& value);
// Converts it back to an HLO type of the same width.
hlo::Scalar AsType(const TypedScalar& x, hlo::PrimitiveType type);
// Decodes the bits of a literal or an element in memory; complex types included.
TypedScalar OfBits(Int128 bits, hlo::PrimitiveType type);
// Encodes an integer or a float of at most 64 bits; every NaN as the type's default NaN.
uint64_t BitsOf(const TypedScalar& x);

// The HLO instruction on scalars for an operation of value terms, with placeholder operands.
struct ScalarInstruction {
  hlo::Instruction instruction;
  std::vector<hlo::Instruction> operands;
};
// nullptr for an operation that is not an elementwise HLO op, such as kBitcast.
std::unique_ptr<ScalarInstruction> InstructionOf(const Operation& operation,
                                                 hlo::PrimitiveType type,
                                                 llvm::ArrayRef<hlo::PrimitiveType> arg_types);

class ScalarOperations {
 public:
  using Function = std::function<TypedScalar(llvm::ArrayRef<TypedScalar>)>;

  // The function for the operation on operands of these types. An error if it is not elementwise
  // on them.
  static llvm::Expected<Function> Resolve(const Operation& operation, hlo::PrimitiveType type,
                                          llvm::ArrayRef<hlo::PrimitiveType> arg_types);
  // Float operations of kernels without an HLO opcode: kCopysign, kTruncate; kMaximumNumber and
  // kMinimumNumber (a NaN loses; -0 is below +0, though devices may return either zero);
  // kConvertInRange (saturates where LLVM's result is poison). Null for others.
  static Function BeyondOpcodes(terms::Op op, hlo::PrimitiveType type);
  // Evaluates the operation; resolves it once.
  llvm::Expected<TypedScalar> Apply(const Operation& operation, hlo::PrimitiveType type,
                                    llvm::ArrayRef<TypedScalar> args);

 private:
  // The operation with its payload, and the types of result and operands.
  using Key = std::tuple<terms::Op, uint64_t, hlo::PrimitiveType, std::vector<hlo::PrimitiveType>>;
  std::map<Key, Function> functions_;
};

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_SCALAR_OPERATIONS_H_
