// Matrix products of cuBLAS.
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/calls/activations.h"
#include "verify/calls/backend_config.h"
#include "verify/calls/families.h"

namespace affirm::calls {

namespace {

using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

// The rest says how it is computed: strides and algorithms follow from shapes, gradients steer the
// choice of a precision.
constexpr llvm::StringLiteral kGemmKeys[] = {"alpha_real",
                                             "alpha_imag",
                                             "beta",
                                             "dot_dimension_numbers",
                                             "precision_config",
                                             "epilogue",
                                             "damax_output",
                                             "scale_mode",
                                             "algorithm",
                                             "selected_algorithm",
                                             "autotune_workspace_size",
                                             "batch_size",
                                             "grad_x",
                                             "grad_y",
                                             "lhs_stride",
                                             "rhs_stride"};
constexpr llvm::StringLiteral kDimensionKeys[] = {"lhs_contracting_dimensions",
                                                  "rhs_contracting_dimensions",
                                                  "lhs_batch_dimensions", "rhs_batch_dimensions"};
constexpr llvm::StringLiteral kPrecisionKeys[] = {"operand_precision", "algorithm"};

// scale_mode of products of 8-bit floats: one factor for each operand.
constexpr double kTensorScaling = 1;

struct GemmConfig {
  double alpha = 0, alpha_imaginary = 0, beta = 0, scale_mode = 0;
  std::vector<int64_t> lhs_contracting, rhs_contracting, lhs_batch, rhs_batch;
  std::string precision;  // attributes of a dot, each behind a comma
  llvm::StringRef activation;
  bool bias = false, aux = false, largest = false;
};

template <typename T>
llvm::Error Take(llvm::Expected<T> value, T& into) {
  if (!value) return value.takeError();
  into = std::move(*value);
  return llvm::Error::success();
}

llvm::Error ReadDimensions(const BackendConfig& config, GemmConfig& gemm) {
  auto numbers = config.Inner("dot_dimension_numbers");
  if (!numbers) return numbers.takeError();
  if (llvm::Error error = numbers->Allow(kDimensionKeys)) return error;
  std::vector<int64_t>* fields[] = {&gemm.lhs_contracting, &gemm.rhs_contracting, &gemm.lhs_batch,
                                    &gemm.rhs_batch};
  for (auto [key, field] : llvm::zip(kDimensionKeys, fields)) {
    if (llvm::Error error = Take(numbers->Integers(key), *field)) return error;
  }
  if (gemm.lhs_contracting.empty()) {
    return MakeError("backend_config: expected dot_dimension_numbers with contracting dimensions");
  }
  return llvm::Error::success();
}

llvm::Error ReadPrecision(const BackendConfig& config, GemmConfig& gemm) {
  auto precision = config.Inner("precision_config");
  if (!precision) return precision.takeError();
  if (llvm::Error error = precision->Allow(kPrecisionKeys)) return error;
  std::vector<std::string> operands;
  if (llvm::Error error = Take(precision->Texts("operand_precision"), operands)) return error;
  static constexpr llvm::StringLiteral kPrecisions[] = {"DEFAULT", "HIGH", "HIGHEST"};
  for (const std::string& word : operands) {
    if (!llvm::is_contained(kPrecisions, word))
      return MakeError("backend_config: the precision '" + word + "' has no known meaning");
  }
  if (!operands.empty()) {
    gemm.precision +=
        ", operand_precision={" + llvm::StringRef(llvm::join(operands, ",")).lower() + "}";
  }
  auto algorithm = precision->Text("algorithm", "ALG_UNSET");
  if (!algorithm) return algorithm.takeError();
  llvm::StringRef name = *algorithm;
  if (name == "ALG_UNSET") return llvm::Error::success();
  if (!name.consume_front("ALG_") || name != name.upper())
    return MakeError("backend_config: the algorithm '" + name + "' has no known meaning");
  gemm.precision += ", algorithm=" + name.lower();
  return llvm::Error::success();
}

// GemmBackendConfig.Epilogue of XLA's backend_configs.proto.
struct Epilogue {
  llvm::StringLiteral name, activation;
  bool bias = false, aux = false;
};
constexpr Epilogue kEpilogues[] = {
    {"DEFAULT", ""},
    {"RELU", "RELU"},
    {"GELU", "GELU"},
    {"GELU_AUX", "GELU", /*bias=*/false, /*aux=*/true},
    {"SILU", "SILU"},
    {"BIAS", "", /*bias=*/true},
    {"BIAS_RELU", "RELU", /*bias=*/true},
    {"BIAS_GELU", "GELU", /*bias=*/true},
    {"BIAS_GELU_AUX", "GELU", /*bias=*/true, /*aux=*/true},
    {"BIAS_SILU", "SILU", /*bias=*/true},
};

llvm::Error ReadEpilogue(const BackendConfig& config, GemmConfig& gemm) {
  auto epilogue = config.Text("epilogue", "DEFAULT");
  if (!epilogue) return epilogue.takeError();
  for (const Epilogue& known : kEpilogues) {
    if (known.name != *epilogue) continue;
    gemm.activation = known.activation;
    gemm.bias = known.bias;
    gemm.aux = known.aux;
    return llvm::Error::success();
  }
  return MakeError("backend_config: the epilogue '" + *epilogue + "' has no known meaning");
}

llvm::Expected<GemmConfig> ReadGemmConfig(const hlo::Instruction& call) {
  auto config = BackendConfig::Of(call, "gemm_backend_config");
  if (!config) return config.takeError();
  if (llvm::Error error = config->Allow(kGemmKeys)) return error;
  GemmConfig gemm;
  if (llvm::Error error = Take(config->Number("alpha_real", 0), gemm.alpha)) return error;
  if (llvm::Error error = Take(config->Number("alpha_imag", 0), gemm.alpha_imaginary)) return error;
  if (llvm::Error error = Take(config->Number("beta", 0), gemm.beta)) return error;
  if (llvm::Error error = Take(config->Number("scale_mode", 0), gemm.scale_mode)) return error;
  if (llvm::Error error = Take(config->Flag("damax_output"), gemm.largest)) return error;
  if (llvm::Error error = ReadDimensions(*config, gemm)) return error;
  if (llvm::Error error = ReadPrecision(*config, gemm)) return error;
  if (llvm::Error error = ReadEpilogue(*config, gemm)) return error;
  return gemm;
}

class GemmMeaning {
 public:
  GemmMeaning(const hlo::Instruction& call, GemmConfig config)
      : call_(call), config_(std::move(config)), text_(call) {
    elements_ = call.shape.IsTuple() ? llvm::ArrayRef<Shape>(call.shape.tuple)
                                     : llvm::ArrayRef<Shape>(call.shape);
  }

  // `scales`: how many factors stand behind the matrices; the third is the result's.
  Meaning Write(int64_t scales) {
    if (llvm::Error error = CheckCounts(scales)) return error;
    if (config_.alpha == 0 && config_.alpha_imaginary == 0)
      return MakeError("of a product times zero no library says what NaN and infinity give");
    const Shape& out = elements_.front();
    if (config_.alpha_imaginary != 0 && !hlo::IsComplex(out.type))
      return MakeError("backend_config: alpha_imag of a product of real numbers");
    const PrimitiveType compute = AccumulatorType(out.type);
    const bool plain = scales == 0 && config_.alpha == 1 && config_.alpha_imaginary == 0 &&
                       config_.beta == 0 && !config_.bias && config_.activation.empty();
    Value value = Dot(WithType(out, plain ? out.type : compute));
    if (scales > 0) value = Scale(value, 0);
    if (config_.alpha != 1 || config_.alpha_imaginary != 0) {
      value = text_.Binary(Opcode::kMultiply, value,
                           text_.Constant(value.shape, config_.alpha, config_.alpha_imaginary));
    }
    int64_t next = 2;
    if (config_.beta != 0) value = text_.Binary(Opcode::kAdd, value, Addend(value, next++));
    next += scales;
    if (config_.bias) {
      auto bias = Bias(value, next);
      if (!bias) return bias.takeError();
      value = text_.Binary(Opcode::kAdd, value, *bias);
    }
    return Finish(value, out.type, scales);
  }

 private:
  llvm::Error CheckCounts(int64_t scales) const {
    const int64_t operands = 2 + (config_.beta != 0) + scales + config_.bias;
    if (std::ssize(call_.operands) != operands) {
      return MakeError("it has " + llvm::Twine(call_.operands.size()) +
                       " operands, where its configuration asks for " + llvm::Twine(operands));
    }
    const auto is_scratch = [](const Shape& shape) {
      return shape.rank() == 1 &&
             (shape.type == PrimitiveType::kS8 || shape.type == PrimitiveType::kU8);
    };
    const size_t results = 1 + config_.aux + config_.largest;
    if (elements_.size() == results) return llvm::Error::success();
    if (elements_.size() == results + 1 && is_scratch(elements_.back()))
      return llvm::Error::success();
    return MakeError("it has " + llvm::Twine(elements_.size()) +
                     " results, where its configuration asks for " + llvm::Twine(results) +
                     " and scratch memory");
  }

  // A matrix that all products of the batch have in common may come without batch dimensions.
  Value WithBatch(const Value& matrix, const Value& other, std::vector<int64_t>& batch,
                  llvm::ArrayRef<int64_t> other_batch, std::vector<int64_t>& contracting) {
    if (!batch.empty() || other_batch.empty()) return matrix;
    Shape shape = Shape::Array(matrix.shape.type, {});
    std::vector<int64_t> kept;
    for (int64_t dim : other_batch) {
      batch.push_back(shape.rank());
      shape.dims.push_back(other.shape.dims[dim]);
    }
    for (int64_t size : matrix.shape.dims) {
      kept.push_back(shape.rank());
      shape.dims.push_back(size);
    }
    for (int64_t& dim : contracting) dim += std::ssize(other_batch);
    return text_.Broadcast(matrix, shape, kept);
  }

  Value Dot(const Shape& shape) {
    GemmConfig& c = config_;
    const Value a = text_.Parameter(0), b = text_.Parameter(1);
    auto in_range = [](llvm::ArrayRef<int64_t> dims, const Value& of) {
      return llvm::all_of(dims, [&](int64_t d) { return d >= 0 && d < of.shape.rank(); });
    };
    Value lhs = a, rhs = b;
    if (in_range(c.rhs_batch, b))
      lhs = WithBatch(a, b, c.lhs_batch, c.rhs_batch, c.lhs_contracting);
    if (in_range(c.lhs_batch, a))
      rhs = WithBatch(b, a, c.rhs_batch, c.lhs_batch, c.rhs_contracting);
    std::string attributes;
    if (!c.lhs_batch.empty()) {
      attributes = "lhs_batch_dims=" + Braces(c.lhs_batch) +
                   ", rhs_batch_dims=" + Braces(c.rhs_batch) + ", ";
    }
    attributes += "lhs_contracting_dims=" + Braces(c.lhs_contracting) +
                  ", rhs_contracting_dims=" + Braces(c.rhs_contracting) + c.precision;
    return text_.Op(shape, Opcode::kDot, {lhs, rhs}, attributes);
  }

  // The number of an operand, at each element.
  Value Splat(const Value& value, int64_t operand) {
    const Value number = text_.Parameter(operand);
    return text_.Broadcast(text_.Convert(number, value.shape.type), value.shape, {});
  }

  int64_t FirstScale() const { return 2 + (config_.beta != 0); }

  Value Scale(const Value& value, int64_t first) {
    const Value a = text_.Parameter(FirstScale() + first);
    const Value b = text_.Parameter(FirstScale() + first + 1);
    const PrimitiveType type = value.shape.type;
    const Value both =
        text_.Binary(Opcode::kMultiply, text_.Convert(a, type), text_.Convert(b, type));
    return text_.Binary(Opcode::kMultiply, value, text_.Broadcast(both, value.shape, {}));
  }

  Value Addend(const Value& value, int64_t operand) {
    Value c = text_.Parameter(operand);
    c = text_.Convert(c, value.shape.type);
    if (config_.beta == 1) return c;
    return text_.Binary(Opcode::kMultiply, c, text_.Constant(c.shape, config_.beta));
  }

  // The dimensions of the bias are those of the result that are the most minor in memory.
  llvm::Expected<Value> Bias(const Value& value, int64_t operand) {
    const Value bias = text_.Parameter(operand);
    const std::vector<int64_t> of_result = value.shape.MinorToMajor();
    const std::vector<int64_t> of_bias = bias.shape.MinorToMajor();
    std::vector<int64_t> dimensions(bias.shape.rank());
    if (of_bias.size() > of_result.size()) return MakeError("its bias has too many dimensions");
    for (size_t k = 0; k < of_bias.size(); ++k) dimensions[of_bias[k]] = of_result[k];
    return text_.Broadcast(text_.Convert(bias, value.shape.type), value.shape, dimensions);
  }

  Value Activation(const Value& value) {
    if (config_.activation == "RELU") return Relu(text_, value);
    if (config_.activation == "GELU") return Gelu(text_, value);
    if (config_.activation == "SILU") return Silu(text_, value);
    return value;
  }

  // The largest number of the type, to which a scaled result is clamped.
  static std::optional<double> LargestOf(PrimitiveType type) {
    if (type == PrimitiveType::kF8E4M3FN) return 448;
    if (type == PrimitiveType::kF8E5M2) return 57344;
    return std::nullopt;
  }

  // The largest magnitude of an array.
  Value LargestMagnitude(const Value& value, const Shape& shape) {
    const std::string type = hlo::Name(value.shape.type).str();
    text_.AddComputation("larger {\n  a = " + type + "[] parameter(0)\n  b = " + type +
                         "[] parameter(1)\n  ROOT m = " + type + "[] maximum(a, b)\n}");
    const Value zero = text_.Constant(Shape::Array(value.shape.type, {}), 0);
    std::vector<int64_t> all(value.shape.rank());
    for (size_t d = 0; d < all.size(); ++d) all[d] = static_cast<int64_t>(d);
    const Value reduced = text_.Op(WithType(shape, value.shape.type), Opcode::kReduce,
                                   {text_.Unary(Opcode::kAbs, value), zero},
                                   "dimensions=" + Braces(all) + ", to_apply=larger");
    return text_.Convert(reduced, shape.type);
  }

  Meaning Finish(const Value& before, PrimitiveType type, int64_t scales) {
    Value value = Activation(before);
    std::vector<std::optional<Value>> results(elements_.size());
    if (config_.aux) results[1] = text_.Convert(before, elements_[1].type);
    if (config_.largest) results[1] = LargestMagnitude(value, elements_[1]);
    if (scales == 3) {
      value = text_.Binary(Opcode::kMultiply, value, Splat(value, FirstScale() + 2));
      const std::optional<double> largest = LargestOf(type);
      if (!largest) return MakeError("a result of this type with a scale has no known meaning");
      value = Clamp(text_, value, -*largest, *largest);
    }
    results[0] = text_.Convert(value, type);
    return text_.Module(results);
  }

  const hlo::Instruction& call_;
  GemmConfig config_;
  MeaningText text_;
  llvm::ArrayRef<Shape> elements_;  // of the result
};

Meaning WriteGemm(const hlo::Instruction& call, bool scaled, bool has_epilogue = true) {
  auto config = ReadGemmConfig(call);
  if (!config) return config.takeError();
  // XLA hands an epilogue to cublasLt alone (IrEmitterUnnested::EmitGemmThunk).
  if (!has_epilogue && (config->bias || config->aux || !config->activation.empty()))
    return MakeError("backend_config: an epilogue of a product without one");
  int64_t scales = 0;
  if (scaled) {
    scales = std::ssize(call.operands) - 2 - (config->beta != 0) - config->bias;
    if (scales != 2 && scales != 3)
      return MakeError("it has " + llvm::Twine(scales) + " scales, expected 2 or 3");
    if (config->scale_mode != 0 && config->scale_mode != kTensorScaling)
      return MakeError("scales of blocks have no known meaning");
  } else if (config->largest || config->scale_mode != 0) {
    return MakeError("backend_config: scales without operands for them");
  }
  return GemmMeaning(call, std::move(*config)).Write(scales);
}

}  // namespace

Meaning Gemm(const hlo::Instruction& call) {
  return WriteGemm(call, /*scaled=*/false, /*has_epilogue=*/false);
}
Meaning Matmul(const hlo::Instruction& call) { return WriteGemm(call, false); }
Meaning Matmul8(const hlo::Instruction& call) { return WriteGemm(call, true); }

}  // namespace affirm::calls
