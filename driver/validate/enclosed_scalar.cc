#include "driver/validate/enclosed_scalar.h"

#include "llvm/ADT/STLExtras.h"
#include "verify/scalar/scalar.h"
#include "verify/terms/machine.h"

namespace affirm::driver {

using compare::TypedScalar;
using enclosure::Enclosure;
using hlo::PrimitiveType;

// A range that wraps around in the other type is no range there.
Enclosure Reordered(PrimitiveType from, PrimitiveType to, const Enclosure& a) {
  if (from == to || hlo::ScalarKindOf(from) != hlo::ScalarKind::kInt) return a;
  auto number = [](PrimitiveType type, int64_t i) -> terms::Int128 {
    return hlo::IntType::Of(type).is_signed ? i
                                            : static_cast<terms::Int128>(static_cast<uint64_t>(i));
  };
  auto wrapped = [&](int64_t i) {
    return static_cast<int64_t>(hlo::IntType::Of(to).Wrap(static_cast<uint64_t>(i)));
  };
  const int64_t lo = wrapped(a.lo), hi = wrapped(a.hi);
  const bool is_range = number(to, hi) - number(to, lo) == number(from, a.hi) - number(from, a.lo);
  return is_range ? Enclosure::Integers(lo, hi) : Enclosure::Whole(to);
}

EnclosedScalar EnclosedScalar::Point(const TypedScalar& scalar) {
  return {scalar, Enclosure::Of(scalar.type, scalar.value)};
}

EnclosedScalar EnclosedScalar::Whole(const TypedScalar& scalar) {
  return {scalar, Enclosure::Whole(scalar.type)};
}

llvm::Expected<std::shared_ptr<const EnclosedOperation>> EnclosedOperation::Resolve(
    const terms::Operation& operation, PrimitiveType type,
    llvm::ArrayRef<PrimitiveType> arg_types) {
  auto function = compare::ScalarOperations::Resolve(operation, type, arg_types);
  if (!function) return function.takeError();
  auto made = std::make_shared<EnclosedOperation>();
  made->function_ = std::move(*function);
  made->operation_ = compare::InstructionOf(operation, type, arg_types);
  if (made->operation_ == nullptr) return made;
  const hlo::Instruction& op = made->operation_->instruction;
  if (op.opcode == hlo::Opcode::kConvert) {
    made->exact_ = [from = op.operands[0]->shape.type, to = op.shape.type](const hlo::Scalar* x) {
      return hlo::Convert(*x, from, to);
    };
    return made;
  }
  auto exact = hlo::ResolveElementwise(op);
  if (exact) {
    made->exact_ = std::move(*exact);
  } else {  // a bitcast
    llvm::consumeError(exact.takeError());
    made->operation_.reset();
  }
  return made;
}

EnclosedScalar EnclosedOperation::Apply(llvm::ArrayRef<EnclosedScalar> args,
                                        enclosure::Freedom freedom) const {
  llvm::SmallVector<TypedScalar, 3> scalars;
  for (const EnclosedScalar& arg : args) scalars.push_back(arg.scalar);
  const TypedScalar value = function_(scalars);
  if (operation_ == nullptr) {
    const bool points = llvm::all_of(args, [](const EnclosedScalar& arg) { return arg.IsPoint(); });
    return points ? EnclosedScalar::Point(value) : EnclosedScalar::Whole(value);
  }
  return {value, EnclosureOf(args, freedom)};
}

Enclosure EnclosedOperation::EnclosureOf(llvm::ArrayRef<EnclosedScalar> args,
                                         enclosure::Freedom freedom) const {
  const hlo::Instruction& op = operation_->instruction;
  llvm::SmallVector<Enclosure, 3> enclosures;
  for (auto [arg, operand] : llvm::zip(args, op.operands))
    enclosures.push_back(Reordered(arg.scalar.type, operand->shape.type, arg.enclosure));
  const Enclosure result = enclosure::Elementwise(op, enclosures, exact_, freedom);
  return Reordered(op.shape.type, terms::TermType(op.shape.type), result);
}

enclosure::AnyOrderFold EnclosedOperation::Fold(enclosure::Freedom freedom) const {
  const hlo::Instruction& op = operation_->instruction;
  return enclosure::AnyOrderFold({&op, op.shape.type, false}, exact_, freedom);
}

}  // namespace affirm::driver
