#include "verify/kernel/scalar_argument.h"

#include "core/symbolic/error.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/kernel/promises.h"
#include "verify/kernel/scalar_value.h"

namespace affirm::kernel {
namespace {

using hlo::PrimitiveType;

std::string TextOf(const llvm::Argument& argument) {
  std::string text;
  llvm::raw_string_ostream os(text);
  argument.getType()->print(os);
  if (argument.hasName()) os << " %" << argument.getName();
  return "argument " + std::to_string(argument.getArgNo()) + " of the kernel, '" + text + "',";
}

bool HasType(const llvm::Argument& argument, PrimitiveType type) {
  const llvm::Type& of = *argument.getType();
  switch (type) {
    case PrimitiveType::kPred:
      return of.isIntegerTy(1) || of.isIntegerTy(8);
    case PrimitiveType::kF16:
      return of.isHalfTy();
    case PrimitiveType::kBF16:
      return of.isBFloatTy();
    case PrimitiveType::kF32:
      return of.isFloatTy();
    case PrimitiveType::kF64:
      return of.isDoubleTy();
    default:
      return of.isIntegerTy(static_cast<unsigned>(hlo::BitWidth(type)));
  }
}

// The shape that a launch gives an argument of the type; empty where no scalar has it.
std::string ShapeFor(const llvm::Type& type) {
  for (const char* name : {"pred", "s4", "s8", "s16", "s32", "s64"}) {
    if (type.isIntegerTy(static_cast<unsigned>(hlo::BitWidth(hlo::PrimitiveTypeFromName(name)))))
      return std::string(name) + "[]";
  }
  if (type.isHalfTy()) return "f16[]";
  if (type.isBFloatTy()) return "bf16[]";
  if (type.isFloatTy()) return "f32[]";
  return type.isDoubleTy() ? "f64[]" : "";
}

llvm::Error CheckScalar(const llvm::Argument& argument, const ScalarParam& scalar) {
  auto fail = [&](const llvm::Twine& what) {
    return MakeError(scalar.where + ": error: parameter " + llvm::Twine(scalar.place) +
                     " is passed by value as " + hlo::Name(scalar.type) + "[], and " +
                     TextOf(argument) + what);
  };
  if (argument.getType()->isPointerTy())
    return fail(R"( is a pointer, expected the "role" "input" or "output")");
  if (HasType(argument, scalar.type)) return llvm::Error::success();
  const std::string shape = ShapeFor(*argument.getType());
  return fail(shape.empty() ? " has a type that no scalar has"
                            : " has another type, expected the shape " + shape);
}

llvm::Error CheckArgument(const KernelIr& ir, const Launch& launch,
                          const llvm::Argument& argument) {
  if (const ScalarParam* scalar = launch.ScalarOf(argument.getArgNo()))
    return CheckScalar(argument, *scalar);
  if (argument.getType()->isPointerTy()) return llvm::Error::success();
  const bool is_array = ParamOf(argument, launch) != nullptr;
  const std::string shape = ShapeFor(*argument.getType());
  return MakeError(
      ir.where + ":1:1: error: " + TextOf(argument) + " is passed by value, and the launch " +
      (is_array ? "has a buffer in its place" : "gives it no value") +
      (shape.empty()
           ? std::string()
           : R"(, expected {"role": "scalar", "shape": ")" + shape + R"(", "value": ...})"));
}

bool IsFloat(const llvm::Argument& argument) { return argument.getType()->isFloatingPointTy(); }

bool BreaksRange(const llvm::ConstantRange& promised, const ScalarParam& scalar) {
  const unsigned width = promised.getBitWidth();
  auto bits = [&](uint64_t of) { return llvm::APInt(width, of, false, /*implicitTrunc=*/true); };
  if (scalar.IsGiven()) return !promised.contains(bits(scalar.lo));
  // From lo up to hi, which wraps where the signed ones begin below zero.
  const llvm::ConstantRange given =
      llvm::ConstantRange::getNonEmpty(bits(scalar.lo), bits(scalar.hi) + 1);
  return !promised.contains(given);
}

bool BreaksClass(llvm::FPClassTest excluded, const ScalarParam& scalar) {
  if (excluded == llvm::fcNone) return false;
  // Any number between the ends, or one of these.
  if (!scalar.IsGiven()) return true;
  return (ScalarFloat(scalar.lo, scalar.type).classify() & excluded) != llvm::fcNone;
}

}  // namespace

llvm::Error CheckArguments(const KernelIr& ir, const Launch& launch) {
  for (const llvm::Argument& argument : ir.kernel->args()) {
    if (llvm::Error error = CheckArgument(ir, launch, argument)) return error;
  }
  const auto count = static_cast<int64_t>(ir.kernel->arg_size());
  if (count != launch.NumArguments()) {
    return MakeError(ir.where + ":1:1: error: the kernel '" + ir.kernel->getName() + "' has " +
                     llvm::Twine(count) + " arguments, and the launch " +
                     llvm::Twine(launch.NumArguments()));
  }
  for (const llvm::Argument& argument : ir.kernel->args()) {
    if (launch.ScalarOf(argument.getArgNo()) == nullptr && ParamOf(argument, launch) == nullptr)
      return MakeError(ir.where + ":1:1: error: " + TextOf(argument) +
                       " is no parameter of the launch");
  }
  return llvm::Error::success();
}

llvm::Constant* ConstantOf(const llvm::Argument& argument, uint64_t bits) {
  llvm::Type* type = argument.getType();
  const unsigned width = type->getPrimitiveSizeInBits().getFixedValue();
  const llvm::APInt value(width, bits, false, /*implicitTrunc=*/true);
  if (type->isIntegerTy()) return llvm::ConstantInt::get(type, value);
  return llvm::ConstantFP::get(type, llvm::APFloat(type->getFltSemantics(), value));
}

std::vector<BrokenScalarPromise> BrokenScalarPromises(const KernelIr& ir, const Launch& launch) {
  std::vector<BrokenScalarPromise> broken;
  for (const llvm::Argument& argument : ir.kernel->args()) {
    const ScalarParam* scalar = launch.ScalarOf(argument.getArgNo());
    if (scalar == nullptr) continue;
    std::string said;
    if (auto range = argument.getRange(); range && BreaksRange(*range, *scalar))
      llvm::raw_string_ostream(said) << "in " << *range;
    if (IsFloat(argument) && BreaksClass(argument.getNoFPClass(), *scalar))
      said = "of other classes of floats";
    if (said.empty()) continue;
    std::string given = ScalarValueText(scalar->lo, scalar->type);
    if (!scalar->IsGiven())
      given = "[" + given + ", " + ScalarValueText(scalar->hi, scalar->type) + "]";
    broken.push_back({argument.getArgNo(),
                      "argument " + std::to_string(argument.getArgNo()) + " is said to be " + said +
                          ", and the launch gives it " + given,
                      argument.hasAttribute(llvm::Attribute::NoUndef)});
  }
  return broken;
}

}  // namespace affirm::kernel
