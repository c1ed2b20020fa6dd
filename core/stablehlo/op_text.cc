// The opcodes and attributes of HLO for operations of StableHLO.
#include "core/stablehlo/op_text.h"

#include <algorithm>

#include "core/stablehlo/attributes.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace affirm::hlo::stablehlo {

namespace {

using llvm::Expected;
using llvm::StringRef;

// Operations that are the same in HLO, with '-' for '_', operand by operand and without attributes.
bool IsPlain(StringRef name) {
  static const llvm::StringSet<> kPlain = {"abs",
                                           "add",
                                           "and",
                                           "atan2",
                                           "bitcast_convert",
                                           "cbrt",
                                           "ceil",
                                           "clamp",
                                           "complex",
                                           "convert",
                                           "count_leading_zeros",
                                           "divide",
                                           "dynamic_update_slice",
                                           "exponential",
                                           "exponential_minus_one",
                                           "floor",
                                           "imag",
                                           "is_finite",
                                           "log",
                                           "log_plus_one",
                                           "logistic",
                                           "maximum",
                                           "minimum",
                                           "multiply",
                                           "negate",
                                           "not",
                                           "or",
                                           "popcnt",
                                           "power",
                                           "real",
                                           "remainder",
                                           "reshape",
                                           "round_nearest_afz",
                                           "round_nearest_even",
                                           "rsqrt",
                                           "select",
                                           "shift_left",
                                           "shift_right_arithmetic",
                                           "shift_right_logical",
                                           "sign",
                                           "sqrt",
                                           "subtract",
                                           "tan",
                                           "tanh",
                                           "xor"};
  return kPlain.contains(name);
}

// The names that differ.
StringRef OtherName(StringRef name) {
  static const llvm::StringMap<StringRef> kNames = {
      {"stablehlo.cosine", "cosine"}, {"stablehlo.sine", "sine"}, {"chlo.erf", "erf"},
      {"chlo.acos", "acos"},          {"chlo.acosh", "acosh"},    {"chlo.asin", "asin"},
      {"chlo.asinh", "asinh"},        {"chlo.atanh", "atanh"},    {"chlo.cosh", "cosh"},
      {"chlo.sinh", "sinh"},          {"chlo.tan", "tan"}};
  auto found = kNames.find(name);
  return found == kNames.end() ? StringRef() : found->second;
}

// "[DEFAULT, HIGHEST]", "[#stablehlo<precision DEFAULT>, ..]"
std::string Precision(StringRef text) {
  std::string precisions;
  bool plain = true;
  while (!text.empty()) {
    text = text.drop_until([](char c) { return llvm::isUpper(c); });
    const StringRef word = text.take_while([](char c) { return llvm::isUpper(c); });
    text = text.drop_front(word.size());
    if (word.empty()) break;
    plain &= word == "DEFAULT";
    precisions += (precisions.empty() ? "" : ",") + word.lower();
  }
  return plain ? "" : ", operand_precision={" + precisions + "}";
}

// The name that HLO has for types of products and sums.
Expected<std::string> Algorithm(StringRef text) {
  if (text.empty()) return "";
  const std::string lhs = Field(text, "lhs_precision_type").lower(),
                    rhs = Field(text, "rhs_precision_type").lower(),
                    sum = Field(text, "accumulation_type").lower();
  const StringRef times = Field(text, "num_primitive_operations");
  if (lhs != rhs || Field(text, "lhs_component_count") != "1" ||
      Field(text, "rhs_component_count") != "1")
    return MakeError("HLO has no name for this algorithm of a product");
  return ", algorithm=dot_" + lhs + "_" + rhs + "_" + sum +
         (times == "1" ? "" : "_x" + times.str());
}

Expected<OpText> DotGeneral(const Operation& operation) {
  std::string attributes;
  const StringRef numbers = Attribute(operation, "dot_dimension_numbers");
  for (StringRef kind : {"batch", "contracting"}) {
    const std::string name = (kind == "batch" ? "batching" : "contracting") + std::string("_dims");
    auto [lhs, rhs] = Attribute(operation, name).split(" x ");
    const std::string long_name = kind == "batch" ? "batching" : "contracting";
    for (StringRef side : {"lhs", "rhs"}) {
      const StringRef given = side == "lhs" ? lhs : rhs;
      const StringRef chosen =
          numbers.empty() ? given : Field(numbers, side.str() + "_" + long_name + "_dimensions");
      if (Integers(chosen).empty()) continue;
      attributes += ", " + side.str() + "_" + kind.str() + "_dims=" + InBraces(Integers(chosen));
    }
  }
  auto algorithm = Algorithm(Attribute(operation, "algorithm"));
  if (!algorithm) return algorithm.takeError();
  attributes += Precision(Attribute(operation, "precision")) +
                Precision(Attribute(operation, "precision_config")) + *algorithm;
  return OpText{"dot", attributes, {}};
}

// "[b, 0, f]x[0, i, o]->[b, 0, f]" as "b0f_0io->b0f".
std::string DimLabels(StringRef text) {
  std::string labels;
  for (char c : text.split("->").first) {
    if (llvm::isAlnum(c)) labels += c == 'x' ? '_' : c;
  }
  labels += "->";
  for (char c : text.split("->").second) {
    if (llvm::isAlnum(c)) labels += c;
  }
  return labels;
}

Expected<OpText> Convolution(const Operation& operation, const std::vector<Type>& operands) {
  const std::string labels = DimLabels(Attribute(operation, "dim_numbers"));
  const StringRef window = Attribute(operation, "window");
  if (labels == "->" || operands.size() != 2)
    return MakeError("a convolution is read in the form `dim_numbers = .., window = ..` alone");
  const std::string kernel = labels.substr(labels.find('_') + 1);
  std::vector<int64_t> sizes(operands[1].sizes.size() < 2 ? 0 : operands[1].sizes.size() - 2, 1);
  for (size_t k = 0; k < kernel.find("->") && k < operands[1].sizes.size(); ++k) {
    const size_t dim = static_cast<size_t>(kernel[k] - '0');
    if (llvm::isDigit(kernel[k]) && dim < sizes.size()) sizes[dim] = operands[1].sizes[k];
  }
  std::string reversal;
  StringRef reverse = Field(window, "reverse");
  for (StringRef part : llvm::split(reverse, ','))
    reversal += (reversal.empty() ? "" : "x") + std::string(part.contains("true") ? "1" : "0");
  const size_t pad = window.find("pad = [");
  std::vector<int64_t> padding;
  if (pad != StringRef::npos) {
    StringRef pairs = window.drop_front(pad + 6);
    padding = Integers(pairs.take_front(pairs.starts_with("[[") ? pairs.find("]]") : 0));
  }
  std::string parts =
      WindowPart("size", sizes, -1) + WindowPart("stride", Integers(Field(window, "stride")), 1) +
      WindowPadding(padding) + WindowPart("lhs_dilate", Integers(Field(window, "lhs_dilate")), 1) +
      WindowPart("rhs_dilate", Integers(Field(window, "rhs_dilate")), 1);
  if (StringRef(reversal).contains('1')) parts += " rhs_reversal=" + reversal;
  std::string attributes =
      ", window={" + StringRef(parts).ltrim().str() + "}, dim_labels=" + labels;
  for (const char* count : {"feature_group_count", "batch_group_count"}) {
    const auto values = Integers(Attribute(operation, count).split(':').first);
    if (!values.empty() && values[0] != 1)
      attributes += std::string(", ") + count + "=" + std::to_string(values[0]);
  }
  return OpText{
      "convolution", attributes + Precision(Attribute(operation, "precision_config")), {}};
}

OpText Gather(const Operation& operation) {
  const StringRef numbers = Attribute(operation, "dimension_numbers");
  std::string attributes;
  for (const char* name : {"offset_dims", "collapsed_slice_dims", "operand_batching_dims",
                           "start_indices_batching_dims", "start_index_map"})
    attributes += std::string(", ") + name + "=" + FieldIn(numbers, name);
  const auto vector = Integers(Field(numbers, "index_vector_dim"));
  attributes += ", index_vector_dim=" + std::to_string(vector.empty() ? 0 : vector[0]) +
                ", slice_sizes=" + InBraces(IntegersOf(operation, "slice_sizes"));
  if (IsTrue(operation, "indices_are_sorted")) attributes += ", indices_are_sorted=true";
  return {"gather", attributes, {}};
}

// "[0:2, 0:16:2]", or `start_indices`, `limit_indices` and `strides`.
OpText Slice(const Operation& operation) {
  std::string text;
  for (StringRef range : llvm::split(Attribute(operation, "ranges").trim("[]"), ',')) {
    if (!range.trim().empty()) text += (text.empty() ? "[" : ", [") + range.trim().str() + "]";
  }
  const auto starts = IntegersOf(operation, "start_indices"),
             limits = IntegersOf(operation, "limit_indices"),
             strides = IntegersOf(operation, "strides");
  for (size_t k = 0; k < starts.size() && k < limits.size() && k < strides.size(); ++k) {
    text += (text.empty() ? "[" : ", [") + std::to_string(starts[k]) + ":" +
            std::to_string(limits[k]) + ":" + std::to_string(strides[k]) + "]";
  }
  return {"slice", ", slice={" + text + "}", {}};
}

OpText Pad(const Operation& operation) {
  auto of = [&](const char* pretty, const char* generic) {
    return operation.attributes.contains(pretty) ? IntegersOf(operation, pretty)
                                                 : IntegersOf(operation, generic);
  };
  const auto low = of("low", "edge_padding_low"), high = of("high", "edge_padding_high"),
             inside = of("interior", "interior_padding");
  std::string text;
  for (size_t k = 0; k < low.size() && k < high.size() && k < inside.size(); ++k) {
    text += (k ? "x" : "") + std::to_string(low[k]) + "_" + std::to_string(high[k]);
    if (inside[k] != 0) text += "_" + std::to_string(inside[k]);
  }
  return {"pad", ", padding=" + text, {}};
}

OpText CustomCall(const Operation& operation) {
  std::string attributes = ", custom_call_target=\"" + operation.symbol + "\"";
  const StringRef config = Attribute(operation, "mhlo.backend_config"),
                  text = Attribute(operation, "backend_config");
  if (config.starts_with("{")) {
    attributes += ", api_version=API_VERSION_TYPED_FFI, backend_config=" + config.str();
  } else if (text.size() > 2) {
    attributes += ", backend_config=" + text.str();
  }
  return {"custom-call", attributes, {}};
}

// A comparison: its direction, and whether floats are compared in their total order.
Expected<OpText> Compare(const Operation& operation) {
  std::vector<std::string> words = operation.words;
  for (const char* name : {"comparison_direction", "compare_type"}) {
    StringRef text = Attribute(operation, name);
    if (!text.empty()) words.push_back(LastWord(text));
  }
  if (words.empty()) return MakeError("expected the direction of the comparison");
  std::string attributes = ", direction=" + words[0];
  if (words.size() > 1 && words[1] == "TOTALORDER") attributes += ", type=TOTALORDER";
  return OpText{"compare", attributes, {}};
}

// Operations each of whose attributes is one list or number. Empty for any other.
std::string ListAttributes(const Operation& op) {
  auto list = [&](const char* pretty, const char* generic) {
    return InBraces(op.attributes.contains(pretty) ? IntegersOf(op, pretty)
                                                   : IntegersOf(op, generic));
  };
  const StringRef name = StringRef(op.name).split('.').second;
  if (name == "transpose") return ", dimensions=" + list("dims", "permutation");
  if (name == "reverse") return ", dimensions=" + list("dims", "dimensions");
  if (name == "concatenate") return ", dimensions=" + list("dim", "dimension");
  if (name == "iota") {
    const std::string dim = list("dim", "iota_dimension");
    return ", iota_dimension=" + StringRef(dim).trim("{}").str();
  }
  if (name == "dynamic_slice") return ", dynamic_slice_sizes=" + list("sizes", "slice_sizes");
  if (name == "fft") {
    const StringRef type = Attribute(op, op.attributes.contains("type") ? "type" : "fft_type");
    return ", fft_type=" + LastWord(type) + ", fft_length=" + list("length", "fft_length");
  }
  return "";
}

Expected<OpText> ReducePrecision(const Operation& operation) {
  const StringRef format = Attribute(operation, "format");
  auto [exponent, mantissa] = format.drop_front(format.empty() ? 0 : 1).split('m');
  if (exponent.empty() || mantissa.empty()) return MakeError("expected `format = e5m3`");
  return OpText{"reduce-precision",
                ", exponent_bits=" + exponent.str() + ", mantissa_bits=" + mantissa.str(),
                {}};
}

std::string Window(const Operation& operation) {
  const auto sizes = IntegersOf(operation, "window_dimensions");
  const size_t rank = sizes.size();
  const std::string parts =
      WindowPart("size", sizes, -1) +
      WindowPart("stride", IntegersOf(operation, "window_strides", rank), 1) +
      WindowPadding(IntegersOf(operation, "padding", 2 * rank)) +
      WindowPart("lhs_dilate", IntegersOf(operation, "base_dilations", rank), 1) +
      WindowPart("rhs_dilate", IntegersOf(operation, "window_dilations", rank), 1);
  return ", window={" + StringRef(parts).ltrim().str() + "}";
}

std::string Scatter(const Operation& operation) {
  const StringRef numbers = Attribute(operation, "scatter_dimension_numbers");
  std::string attributes;
  for (const char* name : {"update_window_dims", "inserted_window_dims", "input_batching_dims",
                           "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"})
    attributes += std::string(", ") + name + "=" + FieldIn(numbers, name);
  const auto vector = Integers(Field(numbers, "index_vector_dim"));
  attributes += ", index_vector_dim=" + std::to_string(vector.empty() ? 0 : vector[0]);
  for (const char* flag : {"indices_are_sorted", "unique_indices"}) {
    if (IsTrue(operation, flag)) attributes += std::string(", ") + flag + "=true";
  }
  return attributes;
}

}  // namespace

std::optional<std::string> FoldAttributes(const Operation& operation,
                                          const std::vector<Type>& operands) {
  StringRef name = operation.name;
  if (!name.consume_front("stablehlo.")) return std::nullopt;
  if (name == "reduce_window" || name == "select_and_scatter") return Window(operation);
  if (name == "scatter") return Scatter(operation);
  if (name == "reduce" || name == "map")
    return ", dimensions=" + InBraces(IntegersOf(operation, "dimensions"));
  if (name != "sort") return std::nullopt;
  auto dim = IntegersOf(operation, "dimension");
  if (dim.empty()) dim = {-1};
  if (dim[0] < 0 && !operands.empty()) dim[0] += static_cast<int64_t>(operands[0].sizes.size());
  return ", dimensions=" + InBraces(dim) +
         (IsTrue(operation, "is_stable") ? ", is_stable=true" : "");
}

Expected<std::optional<OpText>> TextOf(const Operation& operation,
                                       const std::vector<Type>& operands) {
  StringRef name = operation.name;
  if (const StringRef other = OtherName(name); !other.empty()) return OpText{other.str(), "", {}};
  if (!name.consume_front("stablehlo.")) return std::nullopt;
  auto optional = [](Expected<OpText> text) -> Expected<std::optional<OpText>> {
    if (!text) return text.takeError();
    return std::move(*text);
  };
  std::string opcode = name.str();
  std::replace(opcode.begin(), opcode.end(), '_', '-');
  if (IsPlain(name)) return OpText{opcode, "", {}};
  if (std::string attributes = ListAttributes(operation); !attributes.empty())
    return OpText{opcode, attributes, {}};
  if (name == "compare") return optional(Compare(operation));
  if (name == "dot_general") return optional(DotGeneral(operation));
  if (name == "convolution") return optional(Convolution(operation, operands));
  if (name == "reduce_precision") return optional(ReducePrecision(operation));
  if (name == "gather") return Gather(operation);
  if (name == "slice") return Slice(operation);
  if (name == "pad") return Pad(operation);
  if (name == "custom_call") return CustomCall(operation);
  if (name == "cholesky")
    return OpText{opcode, IsTrue(operation, "lower") ? ", lower=true" : "", {}};
  if (name == "triangular_solve") {
    std::string attributes = ", transpose_a=" + LastWord(Attribute(operation, "transpose_a"));
    for (const char* flag : {"left_side", "lower", "unit_diagonal"})
      attributes += std::string(", ") + flag + (IsTrue(operation, flag) ? "=true" : "=false");
    return OpText{"triangular-solve", attributes, {}};
  }
  if (name == "rng") {
    const bool normal = Attribute(operation, "distribution").contains("NORMAL") ||
                        Attribute(operation, "rng_distribution").contains("NORMAL");
    return OpText{opcode, normal ? ", distribution=rng_normal" : ", distribution=rng_uniform", 2};
  }
  return std::nullopt;
}

}  // namespace affirm::hlo::stablehlo
