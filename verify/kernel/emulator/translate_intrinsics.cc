// LLVM's intrinsics on integers and floats, conversions of small floats, and mathematical
// functions.
#include <optional>

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "verify/kernel/emulator/math_functions.h"
#include "verify/kernel/emulator/translate_impl.h"
#include "verify/kernel/library_types.h"
#include "verify/kernel/small_float_pairs.h"

namespace affirm::kernel {
namespace {

// The function of an intrinsic of two integers; nothing for others.
std::optional<IntegerFunction> BinaryFunctionOf(llvm::Intrinsic::ID id) {
  switch (id) {
    case llvm::Intrinsic::smin:
      return IntegerFunction::kSMin;
    case llvm::Intrinsic::smax:
      return IntegerFunction::kSMax;
    case llvm::Intrinsic::umin:
      return IntegerFunction::kUMin;
    case llvm::Intrinsic::umax:
      return IntegerFunction::kUMax;
    case llvm::Intrinsic::sadd_sat:
      return IntegerFunction::kSAddSat;
    case llvm::Intrinsic::uadd_sat:
      return IntegerFunction::kUAddSat;
    case llvm::Intrinsic::ssub_sat:
      return IntegerFunction::kSSubSat;
    case llvm::Intrinsic::usub_sat:
      return IntegerFunction::kUSubSat;
    case llvm::Intrinsic::nvvm_mulhi_i:
    case llvm::Intrinsic::nvvm_mulhi_ll:
      return IntegerFunction::kMulHighSigned;
    case llvm::Intrinsic::nvvm_mulhi_ui:
    case llvm::Intrinsic::nvvm_mulhi_ull:
      return IntegerFunction::kMulHighUnsigned;
    default:
      return std::nullopt;
  }
}

}  // namespace

llvm::Expected<bool> Translator::TranslateSmallFloats(const llvm::CallBase& call,
                                                      llvm::StringRef name) {
  const std::optional<SmallFloatPair> pair = FindSmallFloatPair(name);
  if (!pair) return false;
  const uint8_t small = static_cast<uint8_t>(pair->small);
  const uint8_t kind = pair->wide == hlo::PrimitiveType::kF16 ? kHalf : kFloat;
  Operands from;
  for (const llvm::Use& argument : llvm::reverse(call.args())) {  // the lower byte first
    auto values = Get(argument);
    if (!values) return values.takeError();
    from.append(values->begin(), values->end());
  }
  if (!pair->narrows) from = RepackTo(std::move(from), {16}, {8, 8});
  Operands to;
  for (Operand operand : from) {
    const uint32_t dst = NewRegister();
    to.push_back(Register(dst));
    Code& code = Emit(pair->narrows ? Op::kToSmall : Op::kFromSmall);
    code.aux = pair->narrows ? kind : small;
    code.width = pair->narrows ? small : kind;
    code.dst = dst;
    code.a = operand;
  }
  if (pair->narrows) to = RepackTo(std::move(to), {8, 8}, {16});
  Define(&call, std::move(to));
  return true;
}

llvm::Expected<bool> Translator::TranslateFloatIntrinsic(const llvm::CallBase& call,
                                                         llvm::StringRef name) {
  auto kind = KindOf(call.getType());
  if (name.starts_with("llvm.is.fpclass.")) {
    Code code{.op = Op::kFpClass};
    code.aux = *KindOf(call.getArgOperand(0)->getType());
    code.imm =
        static_cast<int64_t>(llvm::cast<llvm::ConstantInt>(call.getArgOperand(1))->getZExtValue());
    if (llvm::Error error = EmitPerScalar(call, 1, code)) return error;
    return true;
  }
  if (name.starts_with("llvm.fptosi.sat.") || name.starts_with("llvm.fptoui.sat.")) {
    auto from = KindOf(call.getArgOperand(0)->getType());
    const unsigned bits = call.getType()->getScalarSizeInBits();
    if (!from || bits > 64) return false;
    Code code{.op = Op::kFpToInt, .width = static_cast<uint8_t>(bits), .aux = *from};
    code.flags = kSaturating | (name.starts_with("llvm.fptosi") ? kSigned : 0);
    if (llvm::Error error = EmitPerScalar(call, 1, code)) return error;
    return true;
  }
  std::optional<FloatFunction> function = FindFloatFunction(name);
  if (!function || !kind) return false;
  Code code{.op = Op::kFloatBinary, .width = *kind, .aux = static_cast<uint8_t>(*function)};
  if (llvm::Error error = EmitPerScalar(call, 2, code)) return error;
  return true;
}

llvm::Expected<bool> Translator::TranslateMath(const llvm::CallBase& call, llvm::StringRef name) {
  auto kind = KindOf(call.getType());
  const MathFunction* function =
      HasTypeOfItsName(*call.getCalledFunction()) ? FindMathFunction(name) : nullptr;
  if (function == nullptr || !kind) return false;
  for (const llvm::Use& argument : call.args()) {
    if (KindOf(argument->getType()) != kind) return false;
  }
  if (static_cast<int>(call.arg_size()) != function->arity) return false;
  constexpr Op kOfArity[] = {Op::kMathUnary, Op::kMathBinary, Op::kMathTernary};
  Code code{.op = kOfArity[function->arity - 1], .width = *kind};
  code.imm = function - MathFunctions().data();
  if (llvm::Error error = EmitPerScalar(call, call.arg_size(), code)) return error;
  return true;
}

llvm::Expected<bool> Translator::TranslateIntegerIntrinsic(const llvm::IntrinsicInst& call) {
  if (!call.getType()->isIntOrIntVectorTy() || call.getType()->getScalarSizeInBits() > 64) {
    return false;
  }
  Code code{.op = Op::kIntrinsicBinary};
  code.width = static_cast<uint8_t>(call.getType()->getScalarSizeInBits());
  auto unary = [&](IntegerFunction function, bool has_flag) {
    code.op = Op::kIntrinsicUnary;
    code.aux = static_cast<uint8_t>(function);
    if (has_flag && llvm::cast<llvm::ConstantInt>(call.getArgOperand(1))->isOne()) {
      code.flags = kPoisonAtZero;
    }
    return EmitPerScalar(call, 1, code);
  };
  auto binary = [&](IntegerFunction function) {
    code.aux = static_cast<uint8_t>(function);
    return EmitPerScalar(call, 2, code);
  };
  auto funnel = [&](bool right) {
    code.op = Op::kFunnelShift;
    code.flags = right ? kSigned : 0;
    return EmitPerScalar(call, 3, code);
  };
  llvm::Error error = llvm::Error::success();
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::abs:
      error = unary(IntegerFunction::kAbs, true);
      break;
    case llvm::Intrinsic::ctpop:
      error = unary(IntegerFunction::kPopulation, false);
      break;
    case llvm::Intrinsic::ctlz:
      error = unary(IntegerFunction::kLeadingZeros, true);
      break;
    case llvm::Intrinsic::cttz:
      error = unary(IntegerFunction::kTrailingZeros, true);
      break;
    case llvm::Intrinsic::bitreverse:
      error = unary(IntegerFunction::kBitReverse, false);
      break;
    case llvm::Intrinsic::bswap:
      error = unary(IntegerFunction::kByteSwap, false);
      break;
    case llvm::Intrinsic::fshl:
      error = funnel(false);
      break;
    case llvm::Intrinsic::fshr:
      error = funnel(true);
      break;
    default: {
      const std::optional<IntegerFunction> function = BinaryFunctionOf(call.getIntrinsicID());
      if (!function) return false;
      error = binary(*function);
    }
  }
  if (error) return error;
  return true;
}

llvm::Expected<bool> Translator::TranslateOverflowIntrinsic(const llvm::IntrinsicInst& call) {
  auto* arithmetic = llvm::dyn_cast<llvm::WithOverflowInst>(&call);
  if (arithmetic == nullptr || !arithmetic->getLHS()->getType()->isIntegerTy() ||
      arithmetic->getLHS()->getType()->getIntegerBitWidth() > 64) {
    return false;
  }
  auto a = GetScalar(arithmetic->getLHS()), b = GetScalar(arithmetic->getRHS());
  if (!a) return llvm::joinErrors(a.takeError(), b.takeError());
  if (!b) return b.takeError();
  Op op = Op::kMul;
  if (arithmetic->getBinaryOp() == llvm::Instruction::Add) op = Op::kAdd;
  if (arithmetic->getBinaryOp() == llvm::Instruction::Sub) op = Op::kSub;
  const uint32_t dst = NewRegisters(2);
  Code& code = Emit(Op::kOverflowIntrinsic);
  code.aux = static_cast<uint8_t>(op);
  code.width = static_cast<uint8_t>(arithmetic->getLHS()->getType()->getIntegerBitWidth());
  code.flags = arithmetic->isSigned() ? kSigned : 0;
  code.a = *a;
  code.b = *b;
  code.dst = dst;
  Define(&call, dst, 2);
  return true;
}

}  // namespace affirm::kernel
