// Activations in HLO. The order of operations is that of the HLO which XLA makes such calls of.
#include "verify/calls/activations.h"

#include <cmath>
#include <numbers>

namespace affirm::calls {

namespace {

// x > 0 ? x : otherwise
Value PositiveOr(MeaningText& text, const Value& x, const Value& otherwise) {
  const Value positive = text.Op(WithType(x.shape, hlo::PrimitiveType::kPred), "compare",
                                 {x, text.Constant(x.shape, 0)}, "direction=GT");
  return text.Op(x.shape, "select", {positive, x, otherwise});
}

// x * (0.5 * (1 + f))
Value TimesHalfOfOnePlus(MeaningText& text, const Value& x, const Value& f) {
  const Value sum = text.Binary("add", f, text.Constant(x.shape, 1));
  return text.Binary("multiply", x, text.Binary("multiply", sum, text.Constant(x.shape, 0.5)));
}

}  // namespace

Value Relu(MeaningText& text, const Value& x) {
  return text.Binary("maximum", x, text.Constant(x.shape, 0));
}

Value Gelu(MeaningText& text, const Value& x) {
  const Value cube = text.Binary("multiply", text.Binary("multiply", x, x), x);
  const Value small = text.Binary("multiply", cube, text.Constant(x.shape, 0.044715));
  const double scale = std::sqrt(2.0 / std::numbers::pi);
  const Value inner =
      text.Binary("multiply", text.Binary("add", x, small), text.Constant(x.shape, scale));
  return TimesHalfOfOnePlus(text, x, text.Unary("tanh", inner));
}

Value GeluByErf(MeaningText& text, const Value& x) {
  const Value inner = text.Binary("multiply", x, text.Constant(x.shape, std::numbers::sqrt2 / 2));
  return TimesHalfOfOnePlus(text, x, text.Unary("erf", inner));
}

Value Silu(MeaningText& text, const Value& x) {
  return text.Binary("multiply", x, text.Unary("logistic", x));
}

Value Elu(MeaningText& text, const Value& x) {
  return PositiveOr(text, x, text.Unary("exponential-minus-one", x));
}

Value LeakyRelu(MeaningText& text, const Value& x, double slope) {
  return PositiveOr(text, x, text.Binary("multiply", x, text.Constant(x.shape, slope)));
}

Value Clamp(MeaningText& text, const Value& x, double low, double high) {
  return text.Op(x.shape, "clamp", {text.Constant(x.shape, low), x, text.Constant(x.shape, high)});
}

}  // namespace affirm::calls
