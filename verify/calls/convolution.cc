// Convolutions of cuDNN. Their window and labels are those of the forward convolution, whichever of
// input, filter and result is asked for.
#include <cstdlib>

#include "core/hlo/window_text.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/calls/activations.h"
#include "verify/calls/backend_config.h"
#include "verify/calls/families.h"

namespace affirm::calls {

namespace {

using hlo::ConvDimensionNumbers;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;
using hlo::WindowDimension;

constexpr llvm::StringLiteral kConvolutionKeys[] = {
    "activation_mode", "algorithm", "conv_result_scale", "leakyrelu_alpha", "side_input_scale"};

struct ConvolutionConfig {
  std::string activation;
  double result_scale = 0, side_scale = 0, slope = 0;
};

llvm::Expected<ConvolutionConfig> ReadConvolutionConfig(const hlo::Instruction& call) {
  auto config = BackendConfig::Of(call, "cudnn_conv_backend_config");
  if (!config) return config.takeError();
  if (llvm::Error error = config->Allow(kConvolutionKeys)) return error;
  auto activation = config->Text("activation_mode", "kNone");
  auto result_scale = config->Number("conv_result_scale", 0);
  auto side_scale = config->Number("side_input_scale", 0);
  auto slope = config->Number("leakyrelu_alpha", 0);
  llvm::Error error = llvm::Error::success();
  for (auto* number : {&result_scale, &side_scale, &slope}) {
    if (!*number) error = llvm::joinErrors(std::move(error), number->takeError());
  }
  if (!activation) error = llvm::joinErrors(std::move(error), activation.takeError());
  if (error) return error;
  return ConvolutionConfig{*activation, *result_scale, *side_scale, *slope};
}

// Larger numbers in a window are no convolution, and their sums would leave 64 bits.
constexpr int64_t kLargestNumber = int64_t{1} << 24;

bool IsSmall(const WindowDimension& dim) {
  return llvm::all_of(
             llvm::ArrayRef<int64_t>{dim.size, dim.stride, dim.base_dilation, dim.window_dilation},
             [](int64_t n) { return n > 0 && n < kLargestNumber; }) &&
         std::abs(dim.padding_low) < kLargestNumber && std::abs(dim.padding_high) < kLargestNumber;
}

const Shape& ResultOf(const hlo::Instruction& call) {
  return call.shape.IsTuple() ? call.shape.tuple.front() : call.shape;
}

// Where a call has the kernel of its forward convolution.
enum class KernelAt : uint8_t { kOperand, kResult };

llvm::Error CheckCall(const hlo::Instruction& call, KernelAt at) {
  if (call.operands.size() < 2 || !call.attributes.dim_labels)
    return MakeError("expected two operands and dim_labels");
  const size_t spatial = call.attributes.window.size();
  const ConvDimensionNumbers& labels = *call.attributes.dim_labels;
  auto fits = [&](const Shape& shape, const std::vector<int64_t>& dims) {
    return shape.IsArray() && shape.rank() == std::ssize(dims) + 2 && dims.size() == spatial;
  };
  const bool same_rank = fits(call.operands[0]->shape, labels.input_spatial) &&
                         fits(call.operands[1]->shape, labels.kernel_spatial) &&
                         fits(ResultOf(call), labels.output_spatial);
  const int64_t groups = call.attributes.feature_group_count;
  if (!same_rank || !llvm::all_of(call.attributes.window, IsSmall))
    return MakeError("expected a window and arrays of the rank of dim_labels");
  const Shape& kernel = at == KernelAt::kResult ? ResultOf(call) : call.operands[1]->shape;
  if (groups < 1 || kernel.dims[labels.kernel_output_feature] % groups != 0)
    return MakeError("expected feature_group_count to divide the output features of the kernel");
  return llvm::Error::success();
}

Value Convolve(MeaningText& text, const Shape& shape, const Value& lhs, const Value& rhs,
               llvm::ArrayRef<WindowDimension> window, const ConvDimensionNumbers& labels,
               const std::string& groups) {
  std::string attributes;
  llvm::raw_string_ostream os(attributes);
  if (!window.empty()) {
    os << "window=";
    hlo::PrintWindow(window, os);
    os << ", ";
  }
  os << "dim_labels=";
  hlo::PrintDimLabels(labels, os);
  os << groups;
  return text.Op(shape, Opcode::kConvolution, {lhs, rhs}, attributes);
}

std::string Groups(llvm::StringRef key, int64_t count) {
  return count == 1 ? "" : (", " + key + "=" + std::to_string(count)).str();
}

// The result, and scratch memory where the call's result is a pair.
Meaning Finish(MeaningText& text, const hlo::Instruction& call, const Value& value) {
  std::vector<std::optional<Value>> results = {value};
  if (call.shape.IsTuple()) results.resize(call.shape.tuple.size());
  if (results.size() > 2) return MakeError("expected one result and scratch memory");
  return text.Module(results);
}

// A convolution that is scaled by nothing.
llvm::Error CheckPlain(const hlo::Instruction& call, KernelAt at) {
  if (llvm::Error error = CheckCall(call, at)) return error;
  auto config = ReadConvolutionConfig(call);
  if (!config) return config.takeError();
  if (config->activation == "kNone" && config->result_scale == 1 && config->side_scale == 0 &&
      call.operands.size() == 2) {
    return llvm::Error::success();
  }
  return MakeError("a convolution with a scale, an activation or more operands is another target");
}

// How far elements of an array of `size` that stand `step` apart reach.
int64_t Reach(int64_t size, int64_t step) { return (size - 1) * step + 1; }

Shape Reshaped(const Shape& shape, std::vector<int64_t> dims) {
  return Shape::Array(shape.type, std::move(dims));
}

// The kernel [input features of a group, all output features] of a convolution in groups as
// [all input features, output features of a group], in the dimensions where they were.
Value ExchangeGroups(MeaningText& text, const Value& kernel, const ConvDimensionNumbers& labels,
                     int64_t groups) {
  const int64_t in = labels.kernel_input_feature, out = labels.kernel_output_feature;
  std::vector<int64_t> split = kernel.shape.dims, merged = kernel.shape.dims;
  split[out] /= groups;
  split.insert(split.begin() + out, groups);
  Value value = text.Op(Reshaped(kernel.shape, split), Opcode::kReshape, {kernel});
  // The number of the group goes in front of the input features.
  std::vector<int64_t> order, moved;
  const int64_t in_split = in > out ? in + 1 : in;
  for (int64_t d = 0; d < std::ssize(split); ++d) {
    if (d == in_split) order.push_back(out);
    if (d != out) order.push_back(d);
  }
  for (int64_t d : order) moved.push_back(split[d]);
  value = text.Op(Reshaped(kernel.shape, moved), Opcode::kTranspose, {value},
                  "dimensions=" + Braces(order));
  merged[out] /= groups;
  merged[in] *= groups;
  return text.Op(Reshaped(kernel.shape, merged), Opcode::kReshape, {value});
}

llvm::Expected<Value> Activate(MeaningText& text, const Value& x, const ConvolutionConfig& config) {
  const std::string& mode = config.activation;
  if (mode == "kNone") return x;
  if (mode == "kRelu") return Relu(text, x);
  if (mode == "kRelu6") return Clamp(text, x, 0, 6);
  if (mode == "kElu") return Elu(text, x);
  if (mode == "kLeakyRelu") return LeakyRelu(text, x, config.slope);
  if (mode == "kSigmoid") return text.Unary(Opcode::kLogistic, x);
  if (mode == "kTanh") return text.Unary(Opcode::kTanh, x);
  return MakeError("backend_config: the activation '" + mode + "' has no known meaning");
}

}  // namespace

Meaning ConvolutionForward(const hlo::Instruction& call) {
  if (llvm::Error error = CheckPlain(call, KernelAt::kOperand)) return error;
  MeaningText text(call);
  const hlo::Attributes& a = call.attributes;
  return Finish(text, call,
                Convolve(text, ResultOf(call), text.Parameter(0), text.Parameter(1), a.window,
                         *a.dim_labels, Groups("feature_group_count", a.feature_group_count)));
}

// The gradient of the result, spread out by the stride, against the kernel from its end.
Meaning ConvolutionBackwardInput(const hlo::Instruction& call) {
  if (llvm::Error error = CheckPlain(call, KernelAt::kOperand)) return error;
  MeaningText text(call);
  const hlo::Attributes& a = call.attributes;
  const ConvDimensionNumbers& forward = *a.dim_labels;
  const Value gradient = text.Parameter(0);
  Value kernel = text.Parameter(1);
  const Shape& result = ResultOf(call);
  std::vector<WindowDimension> window;
  for (auto [k, of_forward] : llvm::enumerate(a.window)) {
    if (of_forward.base_dilation != 1) return MakeError("a dilated input has no known meaning");
    const int64_t reach = Reach(of_forward.size, of_forward.window_dilation);
    WindowDimension dim{.size = of_forward.size,
                        .base_dilation = of_forward.stride,
                        .window_dilation = of_forward.window_dilation,
                        .reversal = !of_forward.reversal};
    dim.padding_low = reach - 1 - of_forward.padding_low;
    const int64_t spread = Reach(gradient.shape.dims[forward.output_spatial[k]], of_forward.stride);
    dim.padding_high = result.dims[forward.input_spatial[k]] + reach - 1 - spread - dim.padding_low;
    window.push_back(dim);
  }
  ConvDimensionNumbers labels = forward;
  labels.input_batch = forward.output_batch;
  labels.input_feature = forward.output_feature;
  labels.input_spatial = forward.output_spatial;
  labels.output_batch = forward.input_batch;
  labels.output_feature = forward.input_feature;
  labels.output_spatial = forward.input_spatial;
  std::swap(labels.kernel_input_feature, labels.kernel_output_feature);
  const int64_t groups = a.feature_group_count;
  if (groups > 1) kernel = ExchangeGroups(text, kernel, forward, groups);
  return Finish(text, call,
                Convolve(text, result, gradient, kernel, window, labels,
                         Groups("feature_group_count", groups)));
}

// The input against the gradient of the result: sums over the batch, for each element of the
// filter.
Meaning ConvolutionBackwardFilter(const hlo::Instruction& call) {
  if (llvm::Error error = CheckPlain(call, KernelAt::kResult)) return error;
  MeaningText text(call);
  const hlo::Attributes& a = call.attributes;
  const ConvDimensionNumbers& forward = *a.dim_labels;
  const Value input = text.Parameter(0), gradient = text.Parameter(1);
  if (input.shape.rank() != gradient.shape.rank()) return MakeError("expected arrays of one rank");
  std::vector<WindowDimension> window;
  for (auto [k, of_forward] : llvm::enumerate(a.window)) {
    if (of_forward.base_dilation != 1 || of_forward.reversal)
      return MakeError("a dilated input or a reversed filter has no known meaning");
    const int64_t size = gradient.shape.dims[forward.output_spatial[k]];
    WindowDimension dim{.size = size,
                        .stride = of_forward.window_dilation,
                        .padding_low = of_forward.padding_low,
                        .window_dilation = of_forward.stride};
    dim.padding_high = Reach(of_forward.size, of_forward.window_dilation) - 1 +
                       Reach(size, of_forward.stride) - input.shape.dims[forward.input_spatial[k]] -
                       dim.padding_low;
    window.push_back(dim);
  }
  ConvDimensionNumbers labels;
  labels.input_batch = forward.input_feature;
  labels.input_feature = forward.input_batch;
  labels.input_spatial = forward.input_spatial;
  labels.kernel_input_feature = forward.output_batch;
  labels.kernel_output_feature = forward.output_feature;
  labels.kernel_spatial = forward.output_spatial;
  labels.output_batch = forward.kernel_input_feature;
  labels.output_feature = forward.kernel_output_feature;
  labels.output_spatial = forward.kernel_spatial;
  return Finish(text, call,
                Convolve(text, ResultOf(call), input, gradient, window, labels,
                         Groups("batch_group_count", a.feature_group_count)));
}

// activation(scale * convolution + side_scale * side + bias), rounded once.
Meaning ConvolutionBiasActivation(const hlo::Instruction& call) {
  if (llvm::Error error = CheckCall(call, KernelAt::kOperand)) return error;
  auto config = ReadConvolutionConfig(call);
  if (!config) return config.takeError();
  if (config->result_scale == 0)
    return MakeError("of a convolution times zero no library says what NaN and infinity give");
  const bool side = config->side_scale != 0;
  const size_t operands = 3 + side;
  if (call.operands.size() != operands) {
    return MakeError("it has " + llvm::Twine(call.operands.size()) +
                     " operands, where its configuration asks for " + llvm::Twine(operands));
  }
  const Shape& result = ResultOf(call);
  if (!hlo::IsFloat(result.type) || !hlo::IsFloat(call.operands[0]->shape.type))
    return MakeError("how integers are rounded and clamped has no known meaning");
  MeaningText text(call);
  const hlo::Attributes& a = call.attributes;
  const PrimitiveType type = AccumulatorType(result.type);
  Value value =
      Convolve(text, WithType(result, type), text.Parameter(0), text.Parameter(1), a.window,
               *a.dim_labels, Groups("feature_group_count", a.feature_group_count));
  auto scaled = [&](const Value& x, double scale) {
    return scale == 1 ? x : text.Binary(Opcode::kMultiply, x, text.Constant(x.shape, scale));
  };
  value = scaled(value, config->result_scale);
  if (side) {
    value = text.Binary(Opcode::kAdd, value,
                        scaled(text.Convert(text.Parameter(3), type), config->side_scale));
  }
  const Value bias = text.Convert(text.Parameter(2), type);
  value = text.Binary(Opcode::kAdd, value,
                      text.Broadcast(bias, value.shape, {a.dim_labels->output_feature}));
  auto activated = Activate(text, value, *config);
  if (!activated) return activated.takeError();
  return Finish(text, call, text.Convert(*activated, result.type));
}

}  // namespace affirm::calls
