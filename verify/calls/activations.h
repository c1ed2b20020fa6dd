// The functions that libraries apply to a result before they store it.
#ifndef AFFIRM_VERIFY_CALLS_ACTIVATIONS_H_
#define AFFIRM_VERIFY_CALLS_ACTIVATIONS_H_

#include "verify/calls/meaning_text.h"

namespace affirm::calls {

Value Relu(MeaningText& text, const Value& x);  // max(x, 0)
// x * (0.5 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))))
Value Gelu(MeaningText& text, const Value& x);
Value GeluByErf(MeaningText& text, const Value& x);  // x * (0.5 * (1 + erf(x / sqrt(2))))
Value Silu(MeaningText& text, const Value& x);       // x * logistic(x)
Value Elu(MeaningText& text, const Value& x);        // x > 0 ? x : exp(x) - 1
Value LeakyRelu(MeaningText& text, const Value& x, double slope);  // x > 0 ? x : slope * x
Value Clamp(MeaningText& text, const Value& x, double low, double high);

}  // namespace affirm::calls

#endif  // AFFIRM_VERIFY_CALLS_ACTIVATIONS_H_
