#include "core/stablehlo/expand.h"

#include <cmath>

#include "core/hlo/float_format.h"
#include "core/symbolic/error.h"

namespace affirm::hlo::stablehlo {

using llvm::Expected;
using llvm::StringRef;

namespace {

// Operations on arrays of one type, which is that of the operand.
class Builder {
 public:
  Builder(Computation& in, const SourceLocation& at, const Type& type)
      : in_(in), at_(at), type_(type) {}

  Value operator()(StringRef opcode, const Value& x) const {
    return in_.AddArray(at_, type_, opcode, {x.name});
  }
  Value operator()(StringRef opcode, const Value& x, const Value& y) const {
    return in_.AddArray(at_, type_, opcode, {x.name, y.name});
  }
  Value Constant(double value) const {
    const Type scalar{type_.element, {}};
    const PrimitiveType type = type_.Primitive();
    Value one =
        in_.AddArray(at_, scalar, "constant", {FloatToText(type, EncodeFloat(type, value))});
    if (type_.sizes.empty()) return one;
    return in_.AddArray(at_, type_, "broadcast", {one.name}, ", dimensions={}");
  }
  Value Select(const Value& x, StringRef direction, const Value& y, const Value& yes,
               const Value& no) const {
    const Value choice = in_.AddArray(at_, {"pred", type_.sizes}, "compare", {x.name, y.name},
                                      (", direction=" + direction).str());
    return in_.AddArray(at_, type_, "select", {choice.name, yes.name, no.name});
  }
  Value Convert(const Value& x) const { return in_.AddArray(at_, type_, "convert", {x.name}); }
  // The largest finite value.
  double Largest() const {
    const PrimitiveType type = type_.Primitive();
    return type == PrimitiveType::kF16    ? 65504.0
           : type == PrimitiveType::kBF16 ? DecodeFloat(type, 0x7F7F)
           : type == PrimitiveType::kF32  ? DecodeFloat(type, 0x7F7FFFFF)
                                          : DecodeFloat(type, 0x7FEFFFFFFFFFFFFF);
  }

 private:
  Computation& in_;
  const SourceLocation& at_;
  const Type& type_;
};

const double kLog2 = std::log(2.0);

// e^x / 2 + e^-x / 2, each half inside of the exponent so that it is finite longer.
Value Cosh(const Builder& b, const Value& x) {
  const Value half = b.Constant(-kLog2);
  return b("add", b("exponential", b("add", x, half)), b("exponential", b("subtract", half, x)));
}

// As Cosh, and by e^x - 1 where |x| < 1.
Value Sinh(const Builder& b, const Value& x) {
  const Value one = b.Constant(1), half = b.Constant(-kLog2);
  const Value e = b("exponential-minus-one", x);
  const Value small = b("multiply", b("add", e, b("divide", e, b("add", e, one))), b.Constant(0.5));
  const Value large =
      b("subtract", b("exponential", b("add", x, half)), b("exponential", b("subtract", half, x)));
  return b.Select(b("abs", x), "LT", one, small, large);
}

// The root of (1 - x)(1 + x).
Value OtherSide(const Builder& b, const Value& x, const Value& one) {
  return b("sqrt", b("multiply", b("subtract", one, x), b("add", x, one)));
}

Value Asin(const Builder& b, const Value& x) {
  const Value one = b.Constant(1);
  const Value half = b("atan2", x, b("add", OtherSide(b, x, one), one));
  return b("add", half, half);
}

Value Acos(const Builder& b, const Value& x) {
  return b("atan2", OtherSide(b, x, b.Constant(1)), x);
}

Value Atan(const Builder& b, const Value& x) { return b("atan2", x, b.Constant(1)); }

Value Asinh(const Builder& b, const Value& x) {
  const Value one = b.Constant(1), size = b("abs", x);
  const Value large = b("add", b("log", size), b.Constant(kLog2));
  const Value square = b("multiply", size, size);
  const Value root = b("add", b("sqrt", b("add", square, one)), one);
  const Value small = b("log-plus-one", b("add", size, b("divide", square, root)));
  return b("multiply", b("sign", x),
           b.Select(size, "GE", b.Constant(std::sqrt(b.Largest())), large, small));
}

Value Acosh(const Builder& b, const Value& x) {
  const Value one = b.Constant(1);
  const Value large = b("add", b("log", x), b.Constant(kLog2));
  const Value low = b("sqrt", b("subtract", x, one)), high = b("sqrt", b("add", x, one));
  const Value small = b("log-plus-one", b("multiply", low, b("add", high, low)));
  return b.Select(x, "GE", b.Constant(b.Largest() / 2), large, small);
}

Value Atanh(const Builder& b, const Value& x) {
  const Value inside =
      b("multiply", b("subtract", b("log-plus-one", x), b("log-plus-one", b("negate", x))),
        b.Constant(0.5));
  return b.Select(b("abs", x), "GT", b.Constant(1), b.Constant(std::nan("")), inside);
}

}  // namespace

Expected<Value> ExpandChlo(const Operation& op, const Value& operand, Computation& in) {
  struct Expansion {
    StringRef name;
    Value (*write)(const Builder&, const Value&);
    bool in_f32;  // narrower floats are converted before and after
  };
  static constexpr Expansion kExpansions[] = {
      {"chlo.acos", Acos, false},   {"chlo.acosh", Acosh, false}, {"chlo.asin", Asin, false},
      {"chlo.asinh", Asinh, false}, {"chlo.atan", Atan, false},   {"chlo.atanh", Atanh, false},
      {"chlo.cosh", Cosh, true},    {"chlo.sinh", Sinh, true}};
  const Builder builder(in, op.location, operand.type);
  if (op.name == "chlo.square") return builder("multiply", operand, operand);
  const PrimitiveType type = operand.type.Primitive();
  const bool narrow = type == PrimitiveType::kF16 || type == PrimitiveType::kBF16;
  if (!narrow && type != PrimitiveType::kF32 && type != PrimitiveType::kF64)
    return MakeError(op.name + " of " + operand.type.Source() +
                     " has no HLO of its own: XLA computes it by others");
  for (const Expansion& expansion : kExpansions) {
    if (expansion.name != op.name) continue;
    if (!narrow || !expansion.in_f32) return expansion.write(builder, operand);
    const Type wide{"f32", operand.type.sizes};
    const Builder widened(in, op.location, wide);
    return builder.Convert(expansion.write(widened, widened.Convert(operand)));
  }
  return MakeError(op.name + " is not expanded");
}

}  // namespace affirm::hlo::stablehlo
