#include "verify/kernel/lift/licences.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Operator.h"
#include "verify/kernel/lift/functions.h"

namespace affirm::kernel {

using terms::Kind;
using terms::Term;

namespace {

// Names of operations on one value.
constexpr llvm::StringLiteral kInSomeOrder = "in-some-order", kWithinError = "within-error",
                              kApproximate = "approximate";

bool IsApplied(Term term, llvm::StringRef operation) {
  return term->kind == Kind::kApply && term->name == operation;
}

// A product that may be fused with the sum or difference that takes it: both must allow it.
bool FusesProduct(const llvm::Instruction& sum) {
  if (!llvm::cast<llvm::FPMathOperator>(sum).hasAllowContract()) return false;
  return llvm::any_of(sum.operands(), [](const llvm::Value* operand) {
    const auto* product = llvm::dyn_cast<llvm::Instruction>(operand);
    return product && product->getOpcode() == llvm::Instruction::FMul &&
           product->hasAllowContract();
  });
}

// Functions that round nothing, of which all orders and groupings are the same.
bool IsExactFunction(const llvm::CallBase& call) {
  const llvm::Function* function = call.getCalledFunction();
  if (!function) return false;
  if (!function->isDeclaration()) return true;  // what is in it has flags of its own
  const llvm::StringRef operation = OperationOfFunction(function->getName());
  return operation == "maximum" || operation == "minimum" || operation == "maximum-number" ||
         operation == "minimum-number" || operation == "abs" || operation == "copysign";
}

}  // namespace

Licence LicenceOf(const llvm::Instruction& instruction) {
  const auto* math = llvm::dyn_cast<llvm::FPMathOperator>(&instruction);
  if (!math) return Licence::kNone;
  if (instruction.hasMetadata(llvm::LLVMContext::MD_fpmath)) return Licence::kValue;
  const bool order = math->hasAllowReassoc(), zeros = math->hasNoSignedZeros();
  auto value_if = [](bool open) { return open ? Licence::kValue : Licence::kNone; };
  switch (instruction.getOpcode()) {
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FMul:
      // With both, what cancels is dropped: (x + y) - x becomes y.
      if (order && zeros) return Licence::kValue;
      return order || zeros || FusesProduct(instruction) ? Licence::kOrder : Licence::kNone;
    case llvm::Instruction::FSub:
      return value_if(order || zeros || FusesProduct(instruction));
    case llvm::Instruction::FDiv:
    case llvm::Instruction::FRem:
      return value_if(order || zeros || math->hasAllowReciprocal() || math->hasApproxFunc());
    case llvm::Instruction::FPTrunc:
    case llvm::Instruction::FPExt:
      // A conversion and its inverse may be left out.
      return value_if(order || zeros || math->hasAllowContract());
    case llvm::Instruction::FNeg:
      return value_if(order || zeros);
    case llvm::Instruction::PHI:
    case llvm::Instruction::Select:
      return value_if(zeros);
    case llvm::Instruction::Call: {
      const auto& call = llvm::cast<llvm::CallBase>(instruction);
      const bool exact = IsExactFunction(call);
      if (zeros || math->hasApproxFunc() ||
          (!exact && (order || math->hasAllowReciprocal() || math->hasAllowContract())))
        return Licence::kValue;
      if (call.getIntrinsicID() == llvm::Intrinsic::fmuladd) return Licence::kOrder;
      const llvm::Function* function = call.getCalledFunction();
      return function && function->getName().starts_with("__nv_fast_") ? Licence::kError
                                                                       : Licence::kNone;
    }
    default:
      return Licence::kNone;  // comparisons
  }
}

Term WithLicence(terms::Pool& pool, Term value, Licence licence) {
  switch (licence) {
    case Licence::kNone:
      return value;
    case Licence::kOrder:
      return pool.Apply(kInSomeOrder, value->type, {value});
    case Licence::kError:
      return pool.Apply(kWithinError, value->type, {value});
    case Licence::kValue:
      return pool.Apply(kApproximate, value->type, {value});
  }
  return value;
}

Term InItsOrder(Term value) { return IsApplied(value, kInSomeOrder) ? value->args[0] : value; }

// CUDA Math API, "Intrinsic Functions": __expf is wrong by 2 + floor(abs(1.173 * x)) ulp of f32,
// which is less than 2^7 ulp where the result is finite. Types of 16 bits drop 13 bits and more.
Term ToBeRounded(Term value, hlo::PrimitiveType type) {
  const bool is_short = type == hlo::PrimitiveType::kF16 || type == hlo::PrimitiveType::kBF16;
  const bool is_close = IsApplied(value, kWithinError) && IsApplied(value->args[0], "exponential");
  return is_short && is_close ? value->args[0] : value;
}

}  // namespace affirm::kernel
