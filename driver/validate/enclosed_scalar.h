// Operations of value terms on a number and on all numbers that roundings may make of it
// (verify/enclosure).
//
//   auto add = EnclosedOperation::Resolve(Op::kAdd, PrimitiveType::kF32, {kF32, kF32});
//   (*add)->Apply({one, tiny}, freedom)    // 1, in [1, 1.00000012]
#ifndef AFFIRM_DRIVER_VALIDATE_ENCLOSED_SCALAR_H_
#define AFFIRM_DRIVER_VALIDATE_ENCLOSED_SCALAR_H_

#include <memory>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "verify/compare/scalar_operations.h"
#include "verify/enclosure/folds.h"

namespace affirm::driver {

// A number of a type of terms (terms::TermType), and what roundings may make of it.
struct EnclosedScalar {
  compare::TypedScalar scalar;  // the interpreter's
  enclosure::Enclosure enclosure;

  // A number that is known to the bit.
  static EnclosedScalar Point(const compare::TypedScalar& scalar);
  // A number of which nothing else is known.
  static EnclosedScalar Whole(const compare::TypedScalar& scalar);
  bool IsPoint() const { return enclosure::IsPoint(scalar.type, enclosure); }
};

// The enclosure of an integer of one type as one of another of the same width, whose order is
// another, such as of s32 and u32. Of other types as it is.
enclosure::Enclosure Reordered(hlo::PrimitiveType from, hlo::PrimitiveType to,
                               const enclosure::Enclosure& a);

class EnclosedOperation {
 public:
  // An error for what is no operation on one element of these types.
  static llvm::Expected<std::shared_ptr<const EnclosedOperation>> Resolve(
      const terms::Operation& operation, hlo::PrimitiveType type,
      llvm::ArrayRef<hlo::PrimitiveType> arg_types);

  compare::TypedScalar ApplyTo(llvm::ArrayRef<compare::TypedScalar> args) const {
    return function_(args);
  }
  EnclosedScalar Apply(llvm::ArrayRef<EnclosedScalar> args, enclosure::Freedom freedom) const;
  // A fold of elements by it; the operation outlives the fold.
  enclosure::AnyOrderFold Fold(enclosure::Freedom freedom) const;

 private:
  enclosure::Enclosure EnclosureOf(llvm::ArrayRef<EnclosedScalar> args,
                                   enclosure::Freedom freedom) const;

  compare::ScalarOperations::Function function_;
  std::unique_ptr<compare::ScalarInstruction> operation_;  // null: of points alone
  hlo::ScalarOp exact_;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_VALIDATE_ENCLOSED_SCALAR_H_
