#include "verify/kernel/lift/licences.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "verify/kernel/lift/functions.h"

namespace affirm::kernel {

using terms::Kind;
using terms::Op;
using terms::Term;

namespace {

// Whether a value is one of the products, or contains one below unary operations and selects alone.
// Binary operations end the search.
bool MovesOneOf(Term value, const llvm::DenseSet<Term>& products) {
  bool found = false;
  terms::ForEachPart(value, [&](Term part) {
    found = products.contains(part);
    if (found) return terms::Visit::kStop;
    const bool computes = part->kind == Kind::kApply && part->args.size() > 1;
    const bool ends = computes || part->kind == Kind::kLoad || part->kind == Kind::kFold;
    return ends ? terms::Visit::kPast : terms::Visit::kInto;
  });
  return found;
}

// A factor with which a product is exact.
bool IsPlusOrMinusOne(const llvm::Value* factor) {
  using llvm::PatternMatch::m_SpecificFP;
  return llvm::PatternMatch::match(factor, m_SpecificFP(1.0)) ||
         llvm::PatternMatch::match(factor, m_SpecificFP(-1.0));
}

// Functions without rounding, whose result does not depend on order or grouping.
bool IsExactFunction(const llvm::CallBase& call) {
  const llvm::Function* function = call.getCalledFunction();
  if (!function) return false;
  if (!function->isDeclaration()) return true;  // instructions in its body have their own flags
  const Op operation = OperationOfFunction(function->getName());
  return operation == Op::kMaximum || operation == Op::kMinimum ||
         operation == Op::kMaximumNumber || operation == Op::kMinimumNumber ||
         operation == Op::kAbs || operation == Op::kCopysign;
}

}  // namespace

llvm::StringRef LibraryOf(llvm::StringRef function) {
  if (function.starts_with("__nv_")) return "libdevice";
  if (function.starts_with("__ocml_")) return "ROCm";
  if (function.starts_with("_Z")) return "OpenCL";
  if (function.starts_with("llvm.nvvm.")) return "PTX";
  if (function.starts_with("llvm.") || function.starts_with("xla.")) return "LLVM";
  return "C";
}

Licence LicenceOf(const llvm::Instruction& instruction) {
  const auto* math = llvm::dyn_cast<llvm::FPMathOperator>(&instruction);
  if (!math) return Licence::kNone;
  if (instruction.hasMetadata(llvm::LLVMContext::MD_fpmath)) return Licence::kValue;
  const bool order = math->hasAllowReassoc(), zeros = math->hasNoSignedZeros();
  auto value_if = [](bool open) { return open ? Licence::kValue : Licence::kNone; };
  switch (instruction.getOpcode()) {
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FMul:
      // With both, terms may cancel: (x + y) - x becomes y.
      if (order && zeros) return Licence::kValue;
      if (zeros) return Licence::kOrderAndZeros;
      return order ? Licence::kOrder : Licence::kNone;
    case llvm::Instruction::FSub:
      return value_if(order || zeros);
    case llvm::Instruction::FDiv:
    case llvm::Instruction::FRem:
      return value_if(order || zeros || math->hasAllowReciprocal() || math->hasApproxFunc());
    case llvm::Instruction::FPTrunc:
    case llvm::Instruction::FPExt:
      // A pair of inverse conversions may be dropped.
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
      if (call.getIntrinsicID() == llvm::Intrinsic::fmuladd) return Licence::kValue;
      const llvm::Function* function = call.getCalledFunction();
      return function && function->getName().starts_with("__nv_fast_") ? Licence::kError
                                                                       : Licence::kNone;
    }
    default:
      return Licence::kNone;  // comparisons
  }
}

Licence FusedProducts::LicenceOf(const llvm::Instruction& instruction, Term value) {
  const unsigned opcode = instruction.getOpcode();
  const bool sums = opcode == llvm::Instruction::FAdd || opcode == llvm::Instruction::FSub;
  const bool multiplies = opcode == llvm::Instruction::FMul;
  if ((sums || multiplies) && instruction.hasAllowContract()) {
    // A product counts even if its term is no multiplication, since the launch gives both factors.
    if (multiplies && llvm::none_of(instruction.operands(), IsPlusOrMinusOne))
      products_.insert(value);
    const bool fuses = sums && llvm::any_of(value->args, [&](Term operand) {
                         return MovesOneOf(operand, products_);
                       });
    if (fuses) return Licence::kValue;
  }
  return kernel::LicenceOf(instruction);
}

Licence FunctionLibraries::LicenceOf(llvm::StringRef function, Op operation,
                                     hlo::PrimitiveType type) {
  using enum hlo::PrimitiveType;
  // Fast functions have a licence of their own.
  if (!terms::IsApproximated(operation) || function.starts_with("__nv_fast_"))
    return Licence::kNone;
  const llvm::StringRef library = LibraryOf(function);
  const auto [first, is_new] = libraries_.try_emplace({operation, type}, library);
  const bool is_other = !is_new && first->second != library;
  return is_other || type == kF16 || type == kBF16 ? Licence::kValue : Licence::kNone;
}

Term WithLicence(terms::Pool& pool, Term value, Licence licence, int32_t instruction) {
  auto licensed = [&](Op op) {
    return pool.Apply(terms::Operation::Licensed(op, instruction), value->type, {value});
  };
  switch (licence) {
    case Licence::kNone:
      return value;
    case Licence::kOrder:
      return licensed(Op::kInSomeOrder);
    case Licence::kOrderAndZeros:
      return licensed(Op::kOpenZeroSign);
    case Licence::kError:
      return pool.Apply(Op::kWithinError, value->type, {value});
    case Licence::kValue:
      return licensed(Op::kApproximate);
  }
  return value;
}

}  // namespace affirm::kernel
