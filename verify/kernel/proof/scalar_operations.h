// Operations on values, by name, computed on numbers: by the interpreter's scalar functions.
//
//   ScalarOperations operations;
//   auto two = OfInteger(2, PrimitiveType::kS32);
//   operations.Apply("multiply", PrimitiveType::kS32, {two, two});  // 4
//
// Integers are those of TermType: signed. An operation "-unsigned" takes their bits for unsigned
// ones.
#ifndef AFFIRM_VERIFY_KERNEL_PROOF_SCALAR_OPERATIONS_H_
#define AFFIRM_VERIFY_KERNEL_PROOF_SCALAR_OPERATIONS_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "llvm/Support/Error.h"
#include "verify/reference/elementwise.h"
#include "verify/terms/term.h"

namespace affirm::kernel {

using terms::Int128;

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
struct NamedOperation {
  hlo::Instruction instruction;
  std::vector<hlo::Instruction> operands;
};
// nullptr for a name that is none of an HLO operation on one element, such as "bitcast".
std::unique_ptr<NamedOperation> OperationNamed(llvm::StringRef name, hlo::PrimitiveType type,
                                               llvm::ArrayRef<hlo::PrimitiveType> arg_types);

class ScalarOperations {
 public:
  using Function = std::function<TypedScalar(llvm::ArrayRef<TypedScalar>)>;

  // The operation on operands of these types. An error for a name that is no operation on one
  // element of them.
  static llvm::Expected<Function> Resolve(llvm::StringRef name, hlo::PrimitiveType type,
                                          llvm::ArrayRef<hlo::PrimitiveType> arg_types);
  // What it gives; the operation is resolved once.
  llvm::Expected<TypedScalar> Apply(llvm::StringRef name, hlo::PrimitiveType type,
                                    llvm::ArrayRef<TypedScalar> args);

 private:
  std::map<std::string, Function> functions_;
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_PROOF_SCALAR_OPERATIONS_H_
