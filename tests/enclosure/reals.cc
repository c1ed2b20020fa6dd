#include "tests/enclosure/reals.h"

namespace affirm::enclosure {

using hlo::Opcode;

namespace {

using UnaryFunction = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using BinaryFunction = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

UnaryFunction UnaryOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAbs:
      return mpfr_abs;
    case Opcode::kAcos:
      return mpfr_acos;
    case Opcode::kAcosh:
      return mpfr_acosh;
    case Opcode::kAsin:
      return mpfr_asin;
    case Opcode::kAsinh:
      return mpfr_asinh;
    case Opcode::kAtanh:
      return mpfr_atanh;
    case Opcode::kCbrt:
      return mpfr_cbrt;
    case Opcode::kCeil:
      return [](mpfr_ptr to, mpfr_srcptr a, mpfr_rnd_t) { return mpfr_ceil(to, a); };
    case Opcode::kCosh:
      return mpfr_cosh;
    case Opcode::kCosine:
      return mpfr_cos;
    case Opcode::kErf:
      return mpfr_erf;
    case Opcode::kExponential:
      return mpfr_exp;
    case Opcode::kExponentialMinusOne:
      return mpfr_expm1;
    case Opcode::kFloor:
      return [](mpfr_ptr to, mpfr_srcptr a, mpfr_rnd_t) { return mpfr_floor(to, a); };
    case Opcode::kLog:
      return mpfr_log;
    case Opcode::kLogPlusOne:
      return mpfr_log1p;
    case Opcode::kLogistic:
      return [](mpfr_ptr to, mpfr_srcptr a, mpfr_rnd_t mode) {
        mpfr_neg(to, a, mode);
        mpfr_exp(to, to, mode);
        mpfr_add_ui(to, to, 1, mode);
        return mpfr_ui_div(to, 1, to, mode);
      };
    case Opcode::kNegate:
      return mpfr_neg;
    case Opcode::kRsqrt:
      return mpfr_rec_sqrt;
    case Opcode::kSine:
      return mpfr_sin;
    case Opcode::kSinh:
      return mpfr_sinh;
    case Opcode::kSqrt:
      return mpfr_sqrt;
    case Opcode::kTan:
      return mpfr_tan;
    case Opcode::kTanh:
      return mpfr_tanh;
    default:
      return nullptr;
  }
}

// NaN where one operand is (MPFR has the other one).
int Extreme(BinaryFunction function, mpfr_ptr to, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t mode) {
  if (mpfr_nan_p(a) == 0 && mpfr_nan_p(b) == 0) return function(to, a, b, mode);
  mpfr_set_nan(to);
  return 0;
}

BinaryFunction BinaryOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
      return mpfr_add;
    case Opcode::kAtan2:
      return mpfr_atan2;
    case Opcode::kDivide:
      return mpfr_div;
    case Opcode::kMaximum:
      return [](mpfr_ptr to, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t mode) {
        return Extreme(mpfr_max, to, a, b, mode);
      };
    case Opcode::kMinimum:
      return [](mpfr_ptr to, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t mode) {
        return Extreme(mpfr_min, to, a, b, mode);
      };
    case Opcode::kMultiply:
      return mpfr_mul;
    case Opcode::kPower:
      return mpfr_pow;
    case Opcode::kRemainder:
      return mpfr_fmod;
    case Opcode::kSubtract:
      return mpfr_sub;
    default:
      return nullptr;
  }
}

}  // namespace

bool Real::IsIn(const Interval& a) const {
  if (IsNaN()) return a.nan;
  if (!a.HasNumbers()) return false;
  // A bound that is exact may be missed by the last of the bits.
  Real slack = *this;
  mpfr_abs(slack.get(), value_, MPFR_RNDU);
  mpfr_mul_2si(slack.get(), slack.get(), -kBits / 2, MPFR_RNDU);
  Real low, high;
  mpfr_sub(low.get(), value_, slack.get(), MPFR_RNDD);
  mpfr_add(high.get(), value_, slack.get(), MPFR_RNDU);
  return mpfr_cmp_d(high.get(), a.lo) >= 0 && mpfr_cmp_d(low.get(), a.hi) <= 0;
}

std::optional<Real> Apply(Opcode opcode, llvm::ArrayRef<Real> operands) {
  Real result;
  if (operands.size() == 1) {
    const UnaryFunction function = UnaryOf(opcode);
    if (function == nullptr) return std::nullopt;
    function(result.get(), operands[0].get(), MPFR_RNDN);
    return result;
  }
  const BinaryFunction function = operands.size() == 2 ? BinaryOf(opcode) : nullptr;
  if (function == nullptr) return std::nullopt;
  function(result.get(), operands[0].get(), operands[1].get(), MPFR_RNDN);
  return result;
}

}  // namespace affirm::enclosure
