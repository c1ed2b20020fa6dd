// Elementwise ops: the function of an instruction on single elements.
#include "verify/scalar/elementwise.h"

#include <cmath>

#include "core/hlo/attribute_rules.h"
#include "core/hlo/instruction_error.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/scalar/elementwise_compare.h"
#include "verify/scalar/elementwise_convert.h"
#include "verify/scalar/elementwise_rows.h"

namespace affirm::hlo {
namespace {

llvm::Error NoSuchType(const Instruction& instruction, PrimitiveType type) {
  // HLO defines no order here, and its producers and compilers differ.
  const bool has_order = instruction.opcode == Opcode::kMaximum ||
                         instruction.opcode == Opcode::kMinimum ||
                         instruction.opcode == Opcode::kClamp;
  const char* why = has_order && IsComplex(type)
                        ? ": StableHLO orders complex numbers by the real and then the imaginary "
                          "part, XLA:CPU by the real part alone"
                        : "";
  return Fail(instruction, "has no meaning on " + Name(type) + why);
}

ScalarOp ComplexOp(auto function32, auto function64, PrimitiveType type) {
  if (type == PrimitiveType::kC128) {
    return [function64](const Scalar* x) { return function64(x); };
  }
  return [function32](const Scalar* x) { return function32(x); };
}

template <typename T>
std::complex<T> ToComplex(const Scalar& x) {
  return {static_cast<T>(x.re), static_cast<T>(x.im)};
}

Scalar FromComplex(std::complex<double> z) { return {0, z.real(), z.imag()}; }

ScalarOp UnaryOp(const UnaryRow& row, PrimitiveType type) {
  const bool has_int = type == PrimitiveType::kPred ? row.on_pred : row.on_int != nullptr;
  if (ScalarKindOf(type) == ScalarKind::kInt && has_int) {
    return [f = row.on_int, t = IntType::Of(type)](const Scalar* x) {
      return Scalar{.i = t.Wrap(f(x[0].i, t))};
    };
  }
  if (type == PrimitiveType::kF64 && row.on_f64 != nullptr) {
    return [f = row.on_f64](const Scalar* x) { return Scalar{.re = f(x[0].re)}; };
  }
  if (IsFloat(type) && row.on_f32 != nullptr) {
    return [f = row.on_f32, type](const Scalar* x) {
      return Scalar{.re = RoundTo(type, f(static_cast<float>(x[0].re)))};
    };
  }
  if (IsComplex(type) && row.on_c64 != nullptr) {
    return ComplexOp(
        [f = row.on_c64](const Scalar* x) { return FromComplex(f(ToComplex<float>(x[0]))); },
        [f = row.on_c128](const Scalar* x) { return FromComplex(f(ToComplex<double>(x[0]))); },
        type);
  }
  return nullptr;
}

ScalarOp BinaryOp(const BinaryRow& row, PrimitiveType type) {
  const auto on_int = type == PrimitiveType::kPred ? row.on_pred : row.on_int;
  if (ScalarKindOf(type) == ScalarKind::kInt && on_int != nullptr) {
    return [on_int, t = IntType::Of(type)](const Scalar* x) {
      return Scalar{.i = t.Wrap(on_int(x[0].i, x[1].i, t))};
    };
  }
  if (type == PrimitiveType::kF64 && row.on_f64 != nullptr) {
    return [f = row.on_f64](const Scalar* x) { return Scalar{.re = f(x[0].re, x[1].re)}; };
  }
  if (IsFloat(type) && row.on_f32 != nullptr) {
    return [f = row.on_f32, type](const Scalar* x) {
      return Scalar{.re =
                        RoundTo(type, f(static_cast<float>(x[0].re), static_cast<float>(x[1].re)))};
    };
  }
  if (IsComplex(type) && row.on_c64 != nullptr) {
    return ComplexOp(
        [f = row.on_c64](const Scalar* x) {
          return FromComplex(f(ToComplex<float>(x[0]), ToComplex<float>(x[1])));
        },
        [f = row.on_c128](const Scalar* x) {
          return FromComplex(f(ToComplex<double>(x[0]), ToComplex<double>(x[1])));
        },
        type);
  }
  return nullptr;
}

llvm::Expected<ScalarOp> CompareOp(const Instruction& instruction, PrimitiveType type) {
  const std::string& direction = instruction.attributes.comparison_direction;
  const Comparison* found = Comparison::Find(direction);
  if (found == nullptr) return Fail(instruction, "has no direction " + direction);
  if (IsComplex(type) && direction != "EQ" && direction != "NE")
    return NoSuchType(instruction, type);
  Comparison comparison = *found;
  comparison.total_order = instruction.attributes.comparison_type == "TOTALORDER";
  switch (ScalarKindOf(type)) {
    case ScalarKind::kInt:
      return [comparison, t = IntType::Of(type)](const Scalar* x) {
        return Scalar{.i = comparison.Holds(x[0].i, x[1].i, t)};
      };
    case ScalarKind::kComplex:
      return [comparison](const Scalar* x) {
        return Scalar{.i = comparison.Holds(ToComplex<double>(x[0]), ToComplex<double>(x[1]))};
      };
    default:
      if (!comparison.total_order)
        return [comparison](const Scalar* x) {
          return Scalar{.i = comparison.Holds(x[0].re, x[1].re)};
        };
      return [comparison, type](const Scalar* x) {
        return Scalar{.i = comparison.Holds(TotalOrderKey(type, x[0].re),
                                            TotalOrderKey(type, x[1].re), IntType())};
      };
  }
}

llvm::Expected<ScalarOp> ClampOp(const Instruction& instruction, PrimitiveType type) {
  const ScalarOp maximum = BinaryOp(*FindBinary(Opcode::kMaximum), type);
  const ScalarOp minimum = BinaryOp(*FindBinary(Opcode::kMinimum), type);
  if (!maximum || !minimum) return NoSuchType(instruction, type);
  // min(max(x, low), high): the upper bound wins when the bounds cross.
  return [maximum, minimum](const Scalar* x) {
    const Scalar raised[] = {x[1], x[0]};
    const Scalar lowered[] = {maximum(raised), x[2]};
    return minimum(lowered);
  };
}

llvm::Expected<ScalarOp> ReducePrecisionOp(const Instruction& instruction, PrimitiveType type) {
  const int64_t exponent = instruction.attributes.exponent_bits;
  const int64_t mantissa = instruction.attributes.mantissa_bits;
  if (!IsFloat(type)) return NoSuchType(instruction, type);
  if (exponent < 1 || mantissa < 0) return Fail(instruction, "has bit counts out of range");
  // Types for which ReducePrecision is not defined go through f16, as XLA's do, or f32 where their
  // exponent is wider.
  const PrimitiveType wider =
      type == PrimitiveType::kF8E8M0FNU ? PrimitiveType::kF32 : PrimitiveType::kF16;
  const PrimitiveType by = HasReducePrecision(type) ? type : wider;
  return [=](const Scalar* x) {
    return Scalar{.re = RoundTo(type, ReducePrecision(x[0].re, by, exponent, mantissa))};
  };
}

llvm::Expected<ScalarOp> StochasticConvertOp(const Instruction& instruction, PrimitiveType from,
                                             PrimitiveType random, PrimitiveType to) {
  if (!IsFloat(from) || !IsInt(to) || !IsUnsignedInt(random)) return NoSuchType(instruction, to);
  return [bits = BitWidth(random), type = IntType::Of(to)](const Scalar* x) {
    return Scalar{.i = StochasticConvert(x[0].re, static_cast<uint64_t>(x[1].i), bits, type)};
  };
}

// The op by the tables of unary and binary ops; null when they have no such op or type.
ScalarOp TableOp(Opcode opcode, PrimitiveType type) {
  if (const UnaryRow* row = FindUnary(opcode)) return UnaryOp(*row, type);
  if (const BinaryRow* row = FindBinary(opcode)) return BinaryOp(*row, type);
  return nullptr;
}

// |z| in the precision of the parts.
ScalarOp ComplexAbs(PrimitiveType type) {
  return ComplexOp([](const Scalar* x) { return Scalar{.re = std::abs(ToComplex<float>(x[0]))}; },
                   [](const Scalar* x) { return Scalar{.re = std::abs(ToComplex<double>(x[0]))}; },
                   type);
}

}  // namespace

bool IsRoundedFromF32(Opcode opcode, PrimitiveType type) {
  if (!IsFloat(type) || type == PrimitiveType::kF32 || type == PrimitiveType::kF64) return false;
  const UnaryRow* unary = FindUnary(opcode);
  const BinaryRow* binary = FindBinary(opcode);
  return (unary != nullptr && unary->on_f32 != nullptr) ||
         (binary != nullptr && binary->on_f32 != nullptr);
}

bool IsApproximated(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAcos:
    case Opcode::kAcosh:
    case Opcode::kAsin:
    case Opcode::kAsinh:
    case Opcode::kAtan2:
    case Opcode::kAtanh:
    case Opcode::kCbrt:
    case Opcode::kCosh:
    case Opcode::kCosine:
    case Opcode::kErf:
    case Opcode::kExponential:
    case Opcode::kExponentialMinusOne:
    case Opcode::kLog:
    case Opcode::kLogPlusOne:
    case Opcode::kLogistic:
    case Opcode::kPower:
    case Opcode::kRsqrt:
    case Opcode::kSine:
    case Opcode::kSinh:
    case Opcode::kTan:
    case Opcode::kTanh:
      return true;
    default:
      return false;
  }
}

llvm::Expected<ScalarOp> ResolveElementwise(const Instruction& instruction) {
  const int arity = Arity(instruction.opcode);
  if (!IsElementwise(instruction.opcode) || arity != std::ssize(instruction.operands)) {
    return Fail(instruction, "is no elementwise op of its operands");
  }
  const std::string unmodeled = UnmodeledAttribute(instruction);
  if (!unmodeled.empty()) return Fail(instruction, "has values that depend on " + unmodeled);
  const PrimitiveType type = instruction.operands[0]->shape.type;
  const PrimitiveType second = instruction.operands[arity - 1]->shape.type;
  const PrimitiveType result = instruction.shape.type;
  switch (instruction.opcode) {
    case Opcode::kCopy:
      return [](const Scalar* x) { return x[0]; };
    case Opcode::kConvert:
      if (!CanConvert(type, result)) return NoSuchType(instruction, type);
      return [=](const Scalar* x) { return Convert(x[0], type, result); };
    case Opcode::kCompare:
      return CompareOp(instruction, type);
    case Opcode::kSelect:
      return [](const Scalar* x) { return x[0].i != 0 ? x[1] : x[2]; };
    case Opcode::kClamp:
      return ClampOp(instruction, type);
    case Opcode::kIsFinite:
      if (!IsFloat(type)) return NoSuchType(instruction, type);
      return [](const Scalar* x) { return Scalar{.i = std::isfinite(x[0].re)}; };
    case Opcode::kComplex:
      return [](const Scalar* x) { return Scalar{0, x[0].re, x[1].re}; };
    case Opcode::kReal:  // of an integer, itself
      return [](const Scalar* x) { return Scalar{.i = x[0].i, .re = x[0].re}; };
    case Opcode::kImag:
      return [](const Scalar* x) { return Scalar{.re = x[0].im}; };
    case Opcode::kReducePrecision:
      return ReducePrecisionOp(instruction, type);
    case Opcode::kStochasticConvert:
      return StochasticConvertOp(instruction, type, second, result);
    case Opcode::kAbs:
      if (IsComplex(type)) return ComplexAbs(type);
      break;
    default:
      break;
  }
  ScalarOp op = TableOp(instruction.opcode, type);
  if (!op) return NoSuchType(instruction, type);
  return op;
}

}  // namespace affirm::hlo
