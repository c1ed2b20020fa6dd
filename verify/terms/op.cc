#include "verify/terms/op.h"

#include <cassert>

#include "verify/scalar/elementwise.h"

namespace affirm::terms {

namespace {

enum class Sign : uint8_t { kSigned, kUnsigned };

struct Row {
  llvm::StringLiteral text;
  hlo::Opcode opcode;
  Sign sign;
  bool commutes;
  bool on_floats;
};

constexpr Row kRows[] = {
    {"", hlo::Opcode::kUnknown, Sign::kSigned, false, false},
#define AFFIRM_OP(id, text, opcode, sign, commutes, on_floats) \
  {text, hlo::Opcode::opcode, Sign::sign, commutes, on_floats},
#include "verify/terms/op.def"
#undef AFFIRM_OP
};

const Row& RowOf(Op op) { return kRows[static_cast<size_t>(op)]; }

}  // namespace

llvm::StringRef Name(Op op) { return RowOf(op).text; }
hlo::Opcode OpcodeOf(Op op) { return RowOf(op).opcode; }
bool IsUnsigned(Op op) { return RowOf(op).sign == Sign::kUnsigned; }
bool IsCommutative(Op op) { return RowOf(op).commutes; }
bool IsOnFloats(Op op) { return RowOf(op).on_floats; }

Op OpOf(hlo::Opcode opcode, hlo::PrimitiveType type) {
  if (opcode == hlo::Opcode::kUnknown || opcode == hlo::Opcode::kCompare) return Op::kNone;
  // The one of the sign, or the only one.
  Op found = Op::kNone;
  for (size_t k = 0; k < std::size(kRows); ++k) {
    if (kRows[k].opcode != opcode) continue;
    const bool of_sign = (kRows[k].sign == Sign::kUnsigned) == hlo::IsUnsignedInt(type);
    if (of_sign || found == Op::kNone) found = static_cast<Op>(k);
  }
  return found;
}

Op FoldOpOf(hlo::Opcode opcode, hlo::PrimitiveType type) {
  if (type != hlo::PrimitiveType::kPred) return OpOf(opcode, type);
  if (opcode == hlo::Opcode::kAdd || opcode == hlo::Opcode::kMaximum) return Op::kOr;
  if (opcode == hlo::Opcode::kMultiply || opcode == hlo::Opcode::kMinimum) return Op::kAnd;
  return OpOf(opcode, type);
}

bool ComputesNans(Op op) {
  switch (op) {
    case Op::kAcos:
    case Op::kAcosh:
    case Op::kAdd:
    case Op::kAsin:
    case Op::kAsinh:
    case Op::kAtan2:
    case Op::kAtanh:
    case Op::kCbrt:
    case Op::kCosh:
    case Op::kCosine:
    case Op::kDivide:
    case Op::kErf:
    case Op::kExponential:
    case Op::kExponentialMinusOne:
    case Op::kLog:
    case Op::kLogPlusOne:
    case Op::kLogistic:
    case Op::kMultiply:
    case Op::kPower:
    case Op::kRemainder:
    case Op::kRsqrt:
    case Op::kSine:
    case Op::kSinh:
    case Op::kSqrt:
    case Op::kSubtract:
    case Op::kTan:
    case Op::kTanh:
      return true;
    default:
      return false;
  }
}

bool IsRoundedOnce(Op op) {
  switch (op) {
    case Op::kAbs:
    case Op::kAdd:
    case Op::kCeil:
    case Op::kConvert:
    case Op::kDivide:
    case Op::kFloor:
    case Op::kIsFinite:
    case Op::kMaximum:
    case Op::kMinimum:
    case Op::kMultiply:
    case Op::kNegate:
    case Op::kReducePrecision:
    case Op::kRoundNearestAfz:
    case Op::kRoundNearestEven:
    case Op::kSign:
    case Op::kSqrt:
    case Op::kSubtract:
      return true;
    default:
      return IsPartialComparison(op);
  }
}

bool IsApproximated(Op op) {
  switch (op) {
    case Op::kAtan:
    case Op::kDivideFlushing:
    case Op::kDivideFull:
    case Op::kExp2:
    case Op::kLog10:
    case Op::kLog2:
    case Op::kSqrtOfDevice:
      return true;
    default:
      return hlo::IsApproximated(OpcodeOf(op));
  }
}

Comparison ComparisonOf(Op op) {
  switch (op) {
    case Op::kCompareEq:
      return {"EQ"};
    case Op::kCompareLt:
      return {"LT"};
    case Op::kCompareLe:
      return {"LE"};
    case Op::kCompareEqTotal:
      return {"EQ", true};
    case Op::kCompareLtTotal:
      return {"LT", true};
    case Op::kCompareLeTotal:
      return {"LE", true};
    default:
      return {};
  }
}

Operation Operation::Licensed(Op op, int32_t instruction) {
  Operation made(op);
  made.second_ = instruction;
  return made;
}

Operation Operation::ReducePrecision(int exponent_bits, int mantissa_bits) {
  Operation made(Op::kReducePrecision);
  made.first_ = static_cast<int16_t>(exponent_bits);
  made.second_ = mantissa_bits;
  return made;
}

Operation Operation::ElementOfConstant(llvm::StringRef digest) {
  return Operation(Op::kElementOfConstant).WithText(digest);
}

Operation Operation::FoldByComputation(llvm::StringRef computation, hlo::Opcode order) {
  Operation made = Operation(Op::kFoldByComputation).WithText(computation);
  made.first_ = static_cast<int16_t>(order);
  return made;
}

Operation Operation::TakingNansForOne() const {
  assert(op_ == Op::kFoldByComputation);
  Operation made = *this;
  made.first_ = static_cast<int16_t>(made.first_ | kNansAreOne);
  return made;
}

Operation Operation::ResultOf(const Operation& fold, int64_t leaf) {
  assert(fold.op() == Op::kFoldByComputation);
  Operation made = fold;
  made.op_ = Op::kResultOfComputation;
  made.second_ = static_cast<int32_t>(leaf);
  return made;
}

Operation Operation::WithText(llvm::StringRef text) const {
  Operation made = *this;
  made.text_ = text;
  return made;
}

std::string ToString(const Operation& operation) {
  std::string text = Name(operation.op()).str();
  switch (operation.op()) {
    case Op::kReducePrecision:
      return text + "-" + std::to_string(operation.exponent_bits()) + "-" +
             std::to_string(operation.mantissa_bits());
    case Op::kElementOfConstant:
      return text + "-" + operation.digest().str();
    case Op::kFoldByComputation:
    case Op::kResultOfComputation: {
      std::string made = "computation " + operation.computation().str();
      if (operation.order() != hlo::Opcode::kUnknown)
        made += " in the order of " + hlo::Name(operation.order()).str();
      if (operation.op() == Op::kResultOfComputation)
        made += " leaf " + std::to_string(operation.leaf());
      return made;
    }
    default:
      return text;
  }
}

}  // namespace affirm::terms
