// Softmax and layer normalization by oneDNN and Transformer Engine: over the last dimension,
// computed in f32, rounded once.
#include <bit>

#include "core/symbolic/error.h"
#include "verify/calls/backend_config.h"
#include "verify/calls/families.h"
#include "verify/calls/meaning_text.h"

namespace affirm::calls {

namespace {

using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

constexpr llvm::StringLiteral kSoftmaxKeys[] = {"softmax_axis"};
constexpr llvm::StringLiteral kScaledSoftmaxKeys[] = {"scale_factor"};
constexpr llvm::StringLiteral kLayerNormKeys[] = {"rescale", "epsilon_typecast"};

bool IsFloatArray(const Shape& shape) {
  return shape.IsArray() && shape.rank() > 0 && hlo::IsFloat(shape.type);
}

// The rows of x, reduced and put at each of their elements again.
Value ReduceRows(MeaningText& text, const Value& x, hlo::Opcode opcode, double initial) {
  const std::string type = hlo::Name(x.shape.type).str();
  const std::string name = "combine_" + hlo::Name(opcode).str();
  text.AddComputation(name + " {\n  a = " + type + "[] parameter(0)\n  b = " + type +
                      "[] parameter(1)\n  ROOT r = " + type + "[] " + hlo::Name(opcode).str() +
                      "(a, b)\n}");
  const int64_t last = x.shape.rank() - 1;
  Shape shape = Shape::Array(x.shape.type, x.shape.dims);
  shape.dims.pop_back();
  const Value start = text.Constant(Shape::Array(x.shape.type, {}), initial);
  const Value reduced = text.Op(shape, Opcode::kReduce, {x, start},
                                "dimensions=" + Braces({last}) + ", to_apply=" + name);
  std::vector<int64_t> kept(last);
  for (int64_t d = 0; d < last; ++d) kept[d] = d;
  return text.Broadcast(reduced, x.shape, kept);
}

// exp(x - max) / sum
Meaning WriteSoftmax(const hlo::Instruction& call, double scale) {
  if (call.operands.size() != 1 || !IsFloatArray(call.operands[0]->shape) ||
      !IsFloatArray(call.shape)) {
    return MakeError("expected one array of floats");
  }
  MeaningText text(call);
  const PrimitiveType type = AccumulatorType(call.shape.type);
  Value x = text.Convert(text.Parameter(0), type);
  if (scale != 1) x = text.Binary(Opcode::kMultiply, x, text.Constant(x.shape, scale));
  const Value largest = ReduceRows(text, x, Opcode::kMaximum, -HUGE_VAL);
  const Value powers = text.Unary(Opcode::kExponential, text.Binary(Opcode::kSubtract, x, largest));
  const Value sum = ReduceRows(text, powers, Opcode::kAdd, 0);
  const Value result = text.Convert(text.Binary(Opcode::kDivide, powers, sum), call.shape.type);
  return text.Module({result});
}

}  // namespace

Meaning OneDnnSoftmax(const hlo::Instruction& call) {
  auto config = BackendConfig::Of(call, "onednn_softmax_config");
  if (!config) return config.takeError();
  if (llvm::Error error = config->Allow(kSoftmaxKeys)) return error;
  const auto last = static_cast<double>(call.shape.rank() - 1);
  auto axis = config->Number("softmax_axis", 0);
  if (!axis) return axis.takeError();
  if (*axis != last) return MakeError("only a softmax of the last dimension is known");
  return WriteSoftmax(call, 1);
}

Meaning ScaledSoftmax(const hlo::Instruction& call) {
  auto config = TypedConfig::Of(call, kScaledSoftmaxKeys);
  if (!config) return config.takeError();
  const auto scale = config->Number("scale_factor");
  if (!scale) return MakeError("expected scale_factor");
  return WriteSoftmax(call, *scale);
}

// (x - mean) / sqrt(variance + epsilon), scaled and shifted. The epsilon is given by its bits.
Meaning OneDnnLayerNorm(const hlo::Instruction& call) {
  auto config = BackendConfig::Of(call, "onednn_layer_norm_config");
  if (!config) return config.takeError();
  if (llvm::Error error = config->Allow(kLayerNormKeys)) return error;
  auto rescale = config->Text("rescale", "");
  auto epsilon = config->Number("epsilon_typecast", 0);
  if (!rescale || !epsilon) return llvm::joinErrors(rescale.takeError(), epsilon.takeError());
  const bool known = call.operands.size() == 3 && *rescale == "SCALE_AND_SHIFT" &&
                     IsFloatArray(call.operands[0]->shape) && IsFloatArray(call.shape);
  if (!known) return MakeError("only a layer normalization with scale and shift is known");
  MeaningText text(call);
  const PrimitiveType type = AccumulatorType(call.shape.type);
  const Value x = text.Convert(text.Parameter(0), type);
  const int64_t last = x.shape.rank() - 1;
  const auto size = static_cast<double>(x.shape.dims[last]);
  auto mean = [&](const Value& of) {
    return text.Binary(Opcode::kDivide, ReduceRows(text, of, Opcode::kAdd, 0),
                       text.Constant(of.shape, size));
  };
  auto column = [&](int64_t operand) {
    return text.Broadcast(text.Convert(text.Parameter(operand), type), x.shape, {last});
  };
  const Value centered = text.Binary(Opcode::kSubtract, x, mean(x));
  const Value variance = mean(text.Binary(Opcode::kMultiply, centered, centered));
  const auto bits = static_cast<uint32_t>(static_cast<int64_t>(*epsilon));
  const Value shifted =
      text.Binary(Opcode::kAdd, variance, text.Constant(x.shape, std::bit_cast<float>(bits)));
  Value result = text.Binary(Opcode::kMultiply, centered, text.Unary(Opcode::kRsqrt, shifted));
  result = text.Binary(Opcode::kMultiply, result, column(1));
  result = text.Binary(Opcode::kAdd, result, column(2));
  return text.Module({text.Convert(result, call.shape.type)});
}

}  // namespace affirm::calls
