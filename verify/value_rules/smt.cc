#include "verify/value_rules/smt.h"

#include <z3++.h>

#include <cmath>
#include <map>
#include <optional>

#include "core/hlo/float_format.h"
#include "llvm/ADT/DenseMap.h"

namespace affirm::value_rules {

namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;

// Bits of the exponent and of the significand with its hidden one; of formats as those of IEEE 754.
std::optional<std::pair<unsigned, unsigned>> FormatOf(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kF8E5M2:
      return std::pair(5U, 3U);
    case PrimitiveType::kF16:
      return std::pair(5U, 11U);
    case PrimitiveType::kBF16:
      return std::pair(8U, 8U);
    case PrimitiveType::kF32:
      return std::pair(8U, 24U);
    case PrimitiveType::kF64:
      return std::pair(11U, 53U);
    default:
      return std::nullopt;
  }
}

class Encoder {
 public:
  explicit Encoder(const Instance& instance) : instance_(instance) {
    context_.set_rounding_mode(z3::RNE);
  }

  // False where some operation is not said: see problem().
  bool Encode() {
    for (const auto& op : instance_.computation().instructions) {
      if (op.get() == instance_.computation().root) break;
      auto value = ValueOf(*op);
      if (!value) {
        problem_ = hlo::Name(op->opcode).str() + " of " + hlo::Name(op->shape.type).str() +
                   " has no form in Z3";
        return false;
      }
      values_.emplace(op.get(), *value);
    }
    return true;
  }

  SmtAnswer Check(unsigned rlimit, unsigned wall_ms) {
    z3::solver solver(context_);
    z3::params limits(context_);
    limits.set("rlimit", rlimit);
    limits.set("timeout", wall_ms);
    limits.set("random_seed", 0U);
    solver.set(limits);
    solver.add(At(instance_.condition()));
    // The theory's equality of floats: NaN is NaN, and -0.0 is not 0.0.
    solver.add(At(instance_.left()) != At(instance_.right()));
    switch (solver.check()) {
      case z3::unsat:
        return {.kind = SmtAnswer::Kind::kEqual};
      case z3::unknown:
        return {.reason = "z3: " + solver.reason_unknown()};
      case z3::sat:
        break;
    }
    SmtAnswer answer{.kind = SmtAnswer::Kind::kDifferent};
    const z3::model model = solver.get_model();
    for (const z3::expr& variable : variables_)
      answer.bits.push_back(model.eval(variable, true).get_numeral_uint64());
    return answer;
  }

  const std::string& problem() const { return problem_; }

 private:
  using Expr = std::optional<z3::expr>;

  static unsigned Width(PrimitiveType type) {
    return type == PrimitiveType::kPred ? 1 : static_cast<unsigned>(hlo::BitWidth(type));
  }
  z3::sort FloatSort(PrimitiveType type) {
    const auto [exponent, significand] = *FormatOf(type);
    return context_.fpa_sort(exponent, significand);
  }
  z3::expr At(const Instruction& op) const { return values_.at(&op); }
  z3::expr Bits(uint64_t bits, unsigned width) {
    return context_.bv_val(static_cast<uint64_t>(bits), width);
  }
  // The value with the bits: a Bool, a bit-vector, a float.
  Expr OfBits(const z3::expr& bits, PrimitiveType type) {
    if (type == PrimitiveType::kPred) return bits == Bits(1, 1);
    if (hlo::IsInt(type)) return bits;
    if (!FormatOf(type)) return std::nullopt;
    return bits.mk_from_ieee_bv(FloatSort(type));
  }

  Expr ValueOf(const Instruction& op) {
    const PrimitiveType type = op.shape.type;
    if (op.opcode == Opcode::kParameter) {
      variables_.push_back(context_.bv_const(op.name.c_str(), Width(type)));
      return OfBits(variables_.back(), type);
    }
    if (op.opcode == Opcode::kConstant) {
      const uint64_t bits = hlo::IsFloat(type) ? hlo::EncodeFloat(type, op.literal->GetFloat(0))
                                               : static_cast<uint64_t>(op.literal->GetInt(0));
      const unsigned width = Width(type);
      return OfBits(Bits(width < 64 ? bits & ((uint64_t{1} << width) - 1) : bits, width), type);
    }
    const PrimitiveType of = op.operands[0]->shape.type;
    const z3::expr a = At(*op.operands[0]);
    if (op.opcode == Opcode::kSelect) return z3::ite(a, At(*op.operands[1]), At(*op.operands[2]));
    if (op.opcode == Opcode::kConvert) return Convert(a, of, type);
    if (op.opcode == Opcode::kReducePrecision) return ReducePrecision(op, a);
    if (op.operands.size() == 3) return Clamp(op);
    if (op.operands.size() == 1) {
      if (of == PrimitiveType::kPred) return op.opcode == Opcode::kNot ? Expr(!a) : std::nullopt;
      return hlo::IsInt(of) ? UnaryInteger(op.opcode, of, a) : UnaryFloat(op.opcode, of, a);
    }
    const z3::expr b = At(*op.operands[1]);
    if (op.opcode == Opcode::kCompare) return Compare(op.attributes.comparison_direction, of, a, b);
    if (of == PrimitiveType::kPred) return BinaryPredicate(op.opcode, a, b);
    return hlo::IsInt(of) ? BinaryInteger(op.opcode, of, a, b) : BinaryFloat(op.opcode, of, a, b);
  }

  Expr Clamp(const Instruction& op) {
    if (op.opcode != Opcode::kClamp) return std::nullopt;
    const PrimitiveType type = op.shape.type;
    auto binary = [&](Opcode opcode, const z3::expr& x, const z3::expr& y) {
      return hlo::IsInt(type) ? BinaryInteger(opcode, type, x, y) : BinaryFloat(opcode, type, x, y);
    };
    if (type == PrimitiveType::kPred) return std::nullopt;
    const Expr raised = binary(Opcode::kMaximum, At(*op.operands[1]), At(*op.operands[0]));
    return raised ? binary(Opcode::kMinimum, *raised, At(*op.operands[2])) : std::nullopt;
  }

  // To fewer bits of the mantissa, to nearest, ties to even: a carry goes into the exponent. An
  // exponent of fewer bits is not said.
  Expr ReducePrecision(const Instruction& op, const z3::expr& a) {
    const auto format = FormatOf(op.shape.type);
    if (!format) return std::nullopt;
    const auto [exponent, significand] = *format;
    const auto kept = static_cast<unsigned>(op.attributes.mantissa_bits), all = significand - 1;
    if (op.attributes.exponent_bits < exponent) return std::nullopt;
    if (kept >= all) return a;
    const unsigned width = Width(op.shape.type), dropped = all - kept;
    const z3::expr bits = Wrap(Z3_mk_fpa_to_ieee_bv(context_, a));
    const z3::expr last = z3::zext(bits.extract(dropped, dropped), width - 1);
    const z3::expr half = Bits((uint64_t{1} << (dropped - 1)) - 1, width);
    const z3::expr rounded = bits + half + last;
    const z3::expr cut = z3::concat(rounded.extract(width - 1, dropped), Bits(0, dropped));
    // Without a mantissa a NaN becomes an infinity with its sign, which Z3's one NaN does not have:
    // what is proved holds for both.
    const double infinity = HUGE_VAL;
    const z3::expr of_nan =
        kept > 0 ? a
                 : z3::ite(context_.bool_const(("sign of " + op.name).c_str()),
                           Number(-infinity, op.shape.type), Number(infinity, op.shape.type));
    return z3::ite(IsNan(a), of_nan, cut.mk_from_ieee_bv(FloatSort(op.shape.type)));
  }

  Expr BinaryPredicate(Opcode opcode, const z3::expr& a, const z3::expr& b) {
    switch (opcode) {
      case Opcode::kAnd:
      case Opcode::kMultiply:
      case Opcode::kMinimum:
        return a && b;
      case Opcode::kOr:
      case Opcode::kAdd:
      case Opcode::kMaximum:
        return a || b;
      case Opcode::kXor:
        return a != b;
      default:
        return std::nullopt;
    }
  }

  Expr Compare(llvm::StringRef direction, PrimitiveType type, const z3::expr& a,
               const z3::expr& b) {
    if (direction == "GT") return Compare("LT", type, b, a);
    if (direction == "GE") return Compare("LE", type, b, a);
    if (direction == "NE") return !*Compare("EQ", type, a, b);
    if (hlo::IsFloat(type)) {
      if (direction == "EQ") return z3::fp_eq(a, b);
      return direction == "LT" ? a < b : a <= b;
    }
    if (direction == "EQ") return a == b;
    if (type == PrimitiveType::kPred)  // false before true
      return direction == "LT" ? !a && b : !a || b;
    const bool is_signed = hlo::IsSignedInt(type);
    if (direction == "LT") return is_signed ? z3::slt(a, b) : z3::ult(a, b);
    return is_signed ? z3::sle(a, b) : z3::ule(a, b);
  }

  // ---- integers

  Expr UnaryInteger(Opcode opcode, PrimitiveType type, const z3::expr& a) {
    const unsigned width = Width(type);
    const z3::expr zero = Bits(0, width), one = Bits(1, width);
    const bool is_signed = hlo::IsSignedInt(type);
    switch (opcode) {
      case Opcode::kAbs:
        return is_signed ? z3::ite(z3::slt(a, zero), -a, a) : a;
      case Opcode::kNegate:
        return -a;
      case Opcode::kNot:
        return ~a;
      case Opcode::kSign:
        if (!is_signed) return z3::ite(a == zero, zero, one);
        return z3::ite(a == zero, zero, z3::ite(z3::slt(a, zero), -one, one));
      case Opcode::kCopy:
        return a;
      case Opcode::kPopcnt: {
        z3::expr sum = zero;
        for (unsigned bit = 0; bit < width; ++bit)
          sum = sum + z3::ite(a.extract(bit, bit) == Bits(1, 1), one, zero);
        return sum;
      }
      case Opcode::kCountLeadingZeros: {
        z3::expr count = Bits(width, width);
        for (unsigned bit = 0; bit < width; ++bit)
          count = z3::ite(a.extract(bit, bit) == Bits(1, 1), Bits(width - 1 - bit, width), count);
        return count;
      }
      default:
        return std::nullopt;
    }
  }

  // x / 0 is all ones, x rem 0 is x; the lowest by -1 is itself, and leaves nothing.
  Expr BinaryInteger(Opcode opcode, PrimitiveType type, const z3::expr& a, const z3::expr& b) {
    const unsigned width = Width(type);
    const z3::expr zero = Bits(0, width);
    const bool is_signed = hlo::IsSignedInt(type);
    const z3::expr less = is_signed ? z3::slt(a, b) : z3::ult(a, b);
    auto shifted = [&](const z3::expr& inside, const z3::expr& beyond) {
      return z3::ite(z3::ult(b, Bits(width, width)), inside, beyond);
    };
    switch (opcode) {
      case Opcode::kAdd:
        return a + b;
      case Opcode::kSubtract:
        return a - b;
      case Opcode::kMultiply:
        return a * b;
      case Opcode::kDivide:
        return z3::ite(b == zero, ~zero, is_signed ? a / b : z3::udiv(a, b));
      case Opcode::kRemainder:
        return z3::ite(b == zero, a, is_signed ? z3::srem(a, b) : z3::urem(a, b));
      case Opcode::kMaximum:
        return z3::ite(less, b, a);
      case Opcode::kMinimum:
        return z3::ite(less, a, b);
      case Opcode::kAnd:
        return a & b;
      case Opcode::kOr:
        return a | b;
      case Opcode::kXor:
        return a ^ b;
      case Opcode::kShiftLeft:
        return shifted(z3::shl(a, b), zero);
      case Opcode::kShiftRightLogical:
        return shifted(z3::lshr(a, b), zero);
      case Opcode::kShiftRightArithmetic:
        return shifted(z3::ashr(a, b), z3::ite(z3::slt(a, zero), ~zero, zero));
      default:
        return std::nullopt;
    }
  }

  // ---- floats

  z3::expr IsNan(const z3::expr& a) { return !z3::fp_eq(a, a); }
  z3::expr Number(double value, PrimitiveType type) {
    return *OfBits(Bits(hlo::EncodeFloat(type, value), Width(type)), type);
  }
  z3::expr Wrap(Z3_ast ast) { return {context_, ast}; }
  z3::expr Rounded(Z3_ast (*mode)(Z3_context), const z3::expr& a) {
    return Wrap(Z3_mk_fpa_round_to_integral(context_, Wrap(mode(context_)), a));
  }

  Expr UnaryFloat(Opcode opcode, PrimitiveType type, const z3::expr& a) {
    switch (opcode) {
      case Opcode::kAbs:
        return Wrap(Z3_mk_fpa_abs(context_, a));
      case Opcode::kNegate:
        return -a;
      case Opcode::kCopy:
        return a;
      case Opcode::kSqrt:
        return z3::sqrt(a, Wrap(Z3_mk_fpa_round_nearest_ties_to_even(context_)));
      case Opcode::kFloor:
        return Rounded(Z3_mk_fpa_round_toward_negative, a);
      case Opcode::kCeil:
        return Rounded(Z3_mk_fpa_round_toward_positive, a);
      case Opcode::kRoundNearestEven:
        return Rounded(Z3_mk_fpa_round_nearest_ties_to_even, a);
      case Opcode::kRoundNearestAfz:
        return Rounded(Z3_mk_fpa_round_nearest_ties_to_away, a);
      case Opcode::kIsFinite:
        return Wrap(Z3_mk_fpa_abs(context_, a)) < Number(HUGE_VAL, type);
      case Opcode::kSign: {
        const z3::expr zero = Number(0, type);
        return z3::ite(IsNan(a) || z3::fp_eq(a, zero), a,
                       z3::ite(a < zero, Number(-1, type), Number(1, type)));
      }
      default:
        return std::nullopt;
    }
  }

  // A NaN wins, and -0.0 is below 0.0.
  z3::expr Extremum(bool greatest, PrimitiveType type, const z3::expr& a, const z3::expr& b) {
    const z3::expr zero = Number(0, type), negative_zero = Number(-0.0, type);
    const z3::expr of_zeros =
        greatest ? z3::ite(a == negative_zero, b, a) : z3::ite(a == negative_zero, a, b);
    const z3::expr other = greatest ? z3::ite(a < b, b, a) : z3::ite(b < a, b, a);
    return z3::ite(
        IsNan(a), a,
        z3::ite(IsNan(b), b, z3::ite(z3::fp_eq(a, zero) && z3::fp_eq(b, zero), of_zeros, other)));
  }

  Expr BinaryFloat(Opcode opcode, PrimitiveType type, const z3::expr& a, const z3::expr& b) {
    switch (opcode) {
      case Opcode::kAdd:
        return a + b;
      case Opcode::kSubtract:
        return a - b;
      case Opcode::kMultiply:
        return a * b;
      case Opcode::kDivide:
        return a / b;
      case Opcode::kMaximum:
        return Extremum(true, type, a, b);
      case Opcode::kMinimum:
        return Extremum(false, type, a, b);
      default:
        return std::nullopt;
    }
  }

  Expr Convert(const z3::expr& a, PrimitiveType from, PrimitiveType to) {
    if (from == to) return a;
    const bool to_float = hlo::IsFloat(to);
    if (to_float && !FormatOf(to)) return std::nullopt;
    const z3::expr nearest = Wrap(Z3_mk_fpa_round_nearest_ties_to_even(context_));
    if (from == PrimitiveType::kPred) {
      if (to_float) return z3::ite(a, Number(1, to), Number(0, to));
      return z3::ite(a, Bits(1, Width(to)), Bits(0, Width(to)));
    }
    if (hlo::IsInt(from)) {
      if (to == PrimitiveType::kPred) return a != Bits(0, Width(from));
      if (to_float) {
        // Wider ones are rounded to f64 first.
        if (Width(from) > 32) return std::nullopt;
        return hlo::IsSignedInt(from)
                   ? Wrap(Z3_mk_fpa_to_fp_signed(context_, nearest, a, FloatSort(to)))
                   : Wrap(Z3_mk_fpa_to_fp_unsigned(context_, nearest, a, FloatSort(to)));
      }
      const unsigned before = Width(from), after = Width(to);
      if (after <= before) return a.extract(after - 1, 0);
      return hlo::IsSignedInt(from) ? z3::sext(a, after - before) : z3::zext(a, after - before);
    }
    if (to_float) return Wrap(Z3_mk_fpa_to_fp_float(context_, nearest, a, FloatSort(to)));
    if (to == PrimitiveType::kPred) return !z3::fp_eq(a, Number(0, from));
    return std::nullopt;
  }

  const Instance& instance_;
  z3::context context_;
  std::map<const Instruction*, z3::expr> values_;
  std::vector<z3::expr> variables_;
  std::string problem_;
};

}  // namespace

SmtAnswer AskZ3(const Instance& instance, unsigned rlimit, unsigned wall_ms) {
  try {
    Encoder encoder(instance);
    if (!encoder.Encode()) return {.reason = encoder.problem()};
    return encoder.Check(rlimit, wall_ms);
  } catch (const z3::exception& error) {
    return {.reason = std::string("z3: ") + error.msg()};
  }
}

}  // namespace affirm::value_rules
