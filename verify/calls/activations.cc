// Activations in HLO. The order of operations is that of the HLO which XLA makes such calls of.
#include "verify/calls/activations.h"

#include <cmath>
#include <numbers>

namespace affirm::calls {

namespace {

using hlo::Opcode;

// x > 0 ? x : otherwise
Value PositiveOr(MeaningText& text, const Value& x, const Value& otherwise) {
  const Value positive = text.Op(WithType(x.shape, hlo::PrimitiveType::kPred), Opcode::kCompare,
                                 {x, text.Constant(x.shape, 0)}, "direction=GT");
  return text.Op(x.shape, Opcode::kSelect, {positive, x, otherwise});
}

// x * (0.5 * (1 + f))
Value TimesHalfOfOnePlus(MeaningText& text, const Value& x, const Value& f) {
  const Value sum = text.Binary(Opcode::kAdd, f, text.Constant(x.shape, 1));
  return text.Binary(Opcode::kMultiply, x,
                     text.Binary(Opcode::kMultiply, sum, text.Constant(x.shape, 0.5)));
}

}  // namespace

Value Relu(MeaningText& text, const Value& x) {
  return text.Binary(Opcode::kMaximum, x, text.Constant(x.shape, 0));
}

Value Gelu(MeaningText& text, const Value& x) {
  const Value cube = text.Binary(Opcode::kMultiply, text.Binary(Opcode::kMultiply, x, x), x);
  const Value small = text.Binary(Opcode::kMultiply, cube, text.Constant(x.shape, 0.044715));
  const double scale = std::sqrt(2.0 / std::numbers::pi);
  const Value inner = text.Binary(Opcode::kMultiply, text.Binary(Opcode::kAdd, x, small),
                                  text.Constant(x.shape, scale));
  return TimesHalfOfOnePlus(text, x, text.Unary(Opcode::kTanh, inner));
}

Value GeluByErf(MeaningText& text, const Value& x) {
  const Value inner =
      text.Binary(Opcode::kMultiply, x, text.Constant(x.shape, std::numbers::sqrt2 / 2));
  return TimesHalfOfOnePlus(text, x, text.Unary(Opcode::kErf, inner));
}

Value Silu(MeaningText& text, const Value& x) {
  return text.Binary(Opcode::kMultiply, x, text.Unary(Opcode::kLogistic, x));
}

Value Elu(MeaningText& text, const Value& x) {
  return PositiveOr(text, x, text.Unary(Opcode::kExponentialMinusOne, x));
}

Value LeakyRelu(MeaningText& text, const Value& x, double slope) {
  return PositiveOr(text, x, text.Binary(Opcode::kMultiply, x, text.Constant(x.shape, slope)));
}

Value Clamp(MeaningText& text, const Value& x, double low, double high) {
  return text.Op(x.shape, Opcode::kClamp,
                 {text.Constant(x.shape, low), x, text.Constant(x.shape, high)});
}

}  // namespace affirm::calls
