#include "verify/logic/nan_bits.h"

#include "core/hlo/float_format.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::logic {

using terms::Kind;
using terms::Op;
using terms::Term;

bool MayBeNan(Term term) {
  return term->sort() == terms::Sort::kValue && terms::IntegerWidth(term->type) == 0;
}

bool ShowsNanBits(Term term) {
  if (llvm::none_of(term->args, MayBeNan)) return false;
  if (term->kind == Kind::kInteger || term->kind == Kind::kHolds) return true;
  if (term->kind != Kind::kApply && term->kind != Kind::kFold) return false;
  switch (term->op()) {
    case Op::kBitsBeyond:
      return true;
    case Op::kFoldByComputation:
    case Op::kResultOfComputation:
      return !term->operation.takes_nans_for_one();
    default:
      return terms::SeesNanBits(term->operation);
  }
}

bool ShowsZeroSign(Term term, size_t operand) {
  if (operand >= term->args.size() || !MayBeNan(term->args[operand])) return false;
  if (term->kind == Kind::kSelect) return false;
  if (term->kind != Kind::kApply && term->kind != Kind::kFold) return true;
  // Complex roots and logarithms have a branch cut, where the sign of a zero selects the side.
  if (hlo::IsComplex(term->args[operand]->type)) return true;
  switch (term->op()) {
    case Op::kDivide:
      return operand != 0;
    case Op::kAbs:
    case Op::kAdd:
    case Op::kCeil:
    case Op::kCompareEq:
    case Op::kCompareLe:
    case Op::kCompareLt:
    case Op::kConvert:
    case Op::kConvertInRange:
    case Op::kConvertInRangeUnsigned:
    case Op::kConvertUnsigned:
    case Op::kCosh:
    case Op::kCosine:
    case Op::kErf:
    case Op::kExponential:
    case Op::kExponentialMinusOne:
    case Op::kFloor:
    case Op::kIsFinite:
    case Op::kLog:
    case Op::kLogistic:
    case Op::kLogPlusOne:
    case Op::kMaximum:
    case Op::kMinimum:
    case Op::kMultiply:
    case Op::kNegate:
    case Op::kReducePrecision:
    case Op::kRounded:
    case Op::kRoundNearestAfz:
    case Op::kRoundNearestEven:
    case Op::kSign:
    case Op::kSine:
    case Op::kSinh:
    case Op::kSqrt:
    case Op::kSubtract:
    case Op::kTan:
    case Op::kTanh:
      return false;
    default:
      return true;
  }
}

bool HidesZeroSign(Term term, size_t operand) {
  if (term->kind != Kind::kApply || operand >= term->args.size()) return false;
  if (!hlo::IsFloat(term->args[operand]->type)) return false;
  switch (term->op()) {
    case Op::kAbs:
    case Op::kCosh:
    case Op::kCosine:
    case Op::kExponential:
    case Op::kLogistic:
      return true;
    case Op::kAdd:
    case Op::kSubtract: {
      const Term other = term->args[1 - operand];
      return other->kind == Kind::kLiteral && hlo::IsFloat(other->type) &&
             hlo::DecodeFloat(other->type, static_cast<uint64_t>(other->number)) != 0;
    }
    default:
      return false;
  }
}

Equality AfterReplacing(Term term, size_t operand, Equality equality) {
  const bool hides = equality == Equality::kZerosAreOne && HidesZeroSign(term, operand);
  return hides ? Equality::kNansAreOne : equality;
}

bool MayReplace(Term term, size_t operand, Equality equality) {
  switch (equality) {
    case Equality::kZerosAreOne:
      return !ShowsNanBits(term) && !ShowsZeroSign(term, operand);
    case Equality::kNansAreOne:
      return !ShowsNanBits(term);
    case Equality::kBits:
      return true;
  }
  return false;
}

}  // namespace affirm::logic
