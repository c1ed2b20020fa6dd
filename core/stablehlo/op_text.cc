// The attributes of HLO for operations of StableHLO.
#include "core/stablehlo/op_text.h"

#include "core/hlo/float_format.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace affirm::hlo::stablehlo {

namespace {

using llvm::Expected;
using llvm::StringRef;

std::vector<int64_t> FieldOf(const Attribute& numbers, StringRef name) {
  auto found = numbers.fields.find(name.str());
  if (found == numbers.fields.end()) return {};
  auto values = IntegersOf(found->second);
  if (values) return *values;
  llvm::consumeError(values.takeError());
  return {};
}

int64_t NumberOf(const Attribute& numbers, StringRef name) {
  auto found = numbers.fields.find(name.str());
  return found == numbers.fields.end() ? 0 : found->second.integer;
}

std::string WordOf(const Attribute& numbers, StringRef name) {
  auto found = numbers.fields.find(name.str());
  return found == numbers.fields.end() ? "" : found->second.text;
}

// One of the lists of a window, " stride=1x2"; nothing where each is what HLO takes without it.
std::string WindowPart(StringRef name, const std::vector<int64_t>& values, int64_t usual) {
  if (values.empty() || llvm::all_of(values, [=](int64_t v) { return v == usual; })) return "";
  std::string text = " " + name.str() + "=";
  for (size_t k = 0; k < values.size(); ++k) text += (k ? "x" : "") + std::to_string(values[k]);
  return text;
}

// " pad=1_0x0_0" of pairs, nothing for zeros alone.
std::string WindowPadding(const std::vector<int64_t>& pairs) {
  if (llvm::all_of(pairs, [](int64_t v) { return v == 0; })) return "";
  std::string text = " pad=";
  for (size_t k = 0; k + 1 < pairs.size(); k += 2)
    text += (k ? "x" : "") + std::to_string(pairs[k]) + "_" + std::to_string(pairs[k + 1]);
  return text;
}

std::string Flag(const Operation& op, StringRef name) {
  return op.IsTrue(name) ? (", " + name + "=true").str() : "";
}

// ", operand_precision={high,default}"
std::string Precision(const Operation& op) {
  const Attribute* config = op.Find("precision_config");
  if (config == nullptr ||
      llvm::all_of(config->list, [](const Attribute& item) { return item.text == "DEFAULT"; }))
    return "";
  std::string words;
  for (const Attribute& item : config->list)
    words += (words.empty() ? "" : ",") + StringRef(item.text).lower();
  return ", operand_precision={" + words + "}";
}

// The name that HLO has for types of products and sums (xla.proto, PrecisionConfig.Algorithm).
Expected<std::string> Algorithm(const Operation& op) {
  const Attribute* given = op.Find("algorithm");
  if (given == nullptr) return "";
  static constexpr StringRef kNames[] = {"any_f8_any_f8_f32", "any_f8_any_f8_f32_fast_accum",
                                         "f16_f16_f16",       "f16_f16_f32",
                                         "bf16_bf16_bf16",    "bf16_bf16_f32",
                                         "bf16_bf16_f32_x3",  "bf16_bf16_f32_x6",
                                         "bf16_bf16_f32_x9",  "tf32_tf32_f32",
                                         "tf32_tf32_f32_x3",  "f32_f32_f32",
                                         "f64_f64_f64"};
  auto type = [&](StringRef name) {
    const std::string word = StringRef(WordOf(*given, name)).lower();
    return StringRef(word).starts_with("f8") ? std::string("any_f8") : word;
  };
  const int64_t times = NumberOf(*given, "num_primitive_operations");
  std::string name = type("lhs_precision_type") + "_" + type("rhs_precision_type") + "_" +
                     type("accumulation_type");
  if (times != 1) name += "_x" + std::to_string(times);
  if (NumberOf(*given, "allow_imprecise_accumulation") != 0) name += "_fast_accum";
  if (!llvm::is_contained(kNames, name) || NumberOf(*given, "lhs_component_count") != 1 ||
      NumberOf(*given, "rhs_component_count") != 1)
    return MakeError("HLO has no name for this algorithm of a product, " + name);
  return ", algorithm=dot_" + name;
}

Expected<std::string> Dot(const Operation& op) {
  const Attribute& numbers = *op.Find("dot_dimension_numbers");
  std::string attributes;
  for (StringRef kind : {"batch", "contracting"}) {
    for (StringRef side : {"lhs", "rhs"}) {
      const std::string field =
          (side + "_" + (kind == "batch" ? "batching" : kind) + "_dimensions").str();
      const std::vector<int64_t> dims = FieldOf(numbers, field);
      if (!dims.empty()) attributes += (", " + side + "_" + kind + "_dims=").str() + InBraces(dims);
    }
  }
  auto algorithm = Algorithm(op);
  if (!algorithm) return algorithm.takeError();
  return attributes + Precision(op) + *algorithm;
}

// "[b, 0, f]x[0, i, o]->[b, 0, f]" as "b0f_0io->b0f"; empty for another text.
std::string DimLabels(StringRef text) {
  std::string labels;
  for (StringRef between : {"", "x", "->"}) {
    text = text.ltrim();
    if (!text.consume_front(between)) return "";
    text = text.ltrim();
    if (!text.consume_front("[")) return "";
    labels += between == "x" ? "_" : between.str();
    const StringRef inside = text.take_until([](char c) { return c == ']'; });
    text = text.drop_front(std::min(text.size(), inside.size() + 1));
    llvm::SmallVector<StringRef> items;
    inside.split(items, ',');
    for (StringRef item : items) {
      // Dimensions from 10 on have no label in HLO.
      if (item.trim().size() != 1 || !llvm::isAlnum(item.trim()[0])) return "";
      labels += item.trim();
    }
  }
  return text.trim().empty() ? labels : "";
}

Expected<std::string> Convolution(const Operation& op) {
  const std::string labels = DimLabels(op.Word("dimension_numbers"));
  if (labels.empty())
    return MakeError("expected labels of dimensions, such as [b, 0, f]x[0, i, o]->[b, 0, f]");
  const std::vector<int64_t>& kernel_sizes = op.operand_types[1].sizes;
  const StringRef kernel = StringRef(labels).split('_').second.split("->").first;
  std::vector<int64_t> sizes(kernel_sizes.size() < 2 ? 0 : kernel_sizes.size() - 2, 1);
  for (size_t k = 0; k < kernel.size() && k < kernel_sizes.size(); ++k) {
    const size_t dim = static_cast<size_t>(kernel[k] - '0');
    if (llvm::isDigit(kernel[k]) && dim < sizes.size()) sizes[dim] = kernel_sizes[k];
  }
  const std::string parts = WindowPart("size", sizes, -1) +
                            WindowPart("stride", op.Integers("window_strides"), 1) +
                            WindowPadding(op.Integers("padding")) +
                            WindowPart("lhs_dilate", op.Integers("lhs_dilation"), 1) +
                            WindowPart("rhs_dilate", op.Integers("rhs_dilation"), 1) +
                            WindowPart("rhs_reversal", op.Integers("window_reversal"), 0);
  std::string attributes =
      ", window={" + StringRef(parts).ltrim().str() + "}, dim_labels=" + labels;
  for (const char* count : {"feature_group_count", "batch_group_count"}) {
    const int64_t value = op.Find(count)->integer;
    if (value != 1) attributes += std::string(", ") + count + "=" + std::to_string(value);
  }
  return attributes + Precision(op);
}

std::string Gather(const Operation& op) {
  const Attribute& numbers = *op.Find("dimension_numbers");
  std::string attributes;
  for (const char* name : {"offset_dims", "collapsed_slice_dims", "operand_batching_dims",
                           "start_indices_batching_dims", "start_index_map"})
    attributes += std::string(", ") + name + "=" + InBraces(FieldOf(numbers, name));
  return attributes +
         ", index_vector_dim=" + std::to_string(NumberOf(numbers, "index_vector_dim")) +
         ", slice_sizes=" + InBraces(op.Integers("slice_sizes")) + Flag(op, "indices_are_sorted");
}

std::string Scatter(const Operation& op) {
  const Attribute& numbers = *op.Find("scatter_dimension_numbers");
  std::string attributes;
  for (const char* name : {"update_window_dims", "inserted_window_dims", "input_batching_dims",
                           "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"})
    attributes += std::string(", ") + name + "=" + InBraces(FieldOf(numbers, name));
  return attributes +
         ", index_vector_dim=" + std::to_string(NumberOf(numbers, "index_vector_dim")) +
         Flag(op, "indices_are_sorted") + Flag(op, "unique_indices");
}

std::string Slice(const Operation& op) {
  const auto starts = op.Integers("start_indices"), limits = op.Integers("limit_indices"),
             strides = op.Integers("strides");
  std::string text;
  for (size_t k = 0; k < starts.size(); ++k)
    text += (k ? ", [" : "[") + std::to_string(starts[k]) + ":" + std::to_string(limits[k]) + ":" +
            std::to_string(strides[k]) + "]";
  return ", slice={" + text + "}";
}

std::string Pad(const Operation& op) {
  const auto low = op.Integers("edge_padding_low"), high = op.Integers("edge_padding_high"),
             inside = op.Integers("interior_padding");
  std::string text;
  for (size_t k = 0; k < low.size(); ++k) {
    text += (k ? "x" : "") + std::to_string(low[k]) + "_" + std::to_string(high[k]);
    if (inside[k] != 0) text += "_" + std::to_string(inside[k]);
  }
  return ", padding=" + text;
}

std::string Compare(const Operation& op) {
  return ", direction=" + op.Word("comparison_direction") +
         (op.Word("compare_type") == "TOTALORDER" ? ", type=TOTALORDER" : "");
}

std::string Window(const Operation& op) {
  const std::string parts = WindowPart("size", op.Integers("window_dimensions"), -1) +
                            WindowPart("stride", op.Integers("window_strides"), 1) +
                            WindowPadding(op.Integers("padding")) +
                            WindowPart("lhs_dilate", op.Integers("base_dilations"), 1) +
                            WindowPart("rhs_dilate", op.Integers("window_dilations"), 1);
  return ", window={" + StringRef(parts).ltrim().str() + "}";
}

std::string Sort(const Operation& op) {
  auto dim = op.Integers("dimension");
  if (dim.empty()) dim = {-1};
  if (dim[0] < 0 && !op.operand_types.empty()) dim[0] += op.operand_types[0].rank();
  return ", dimensions=" + InBraces(dim) + Flag(op, "is_stable");
}

std::string TriangularSolve(const Operation& op) {
  std::string attributes = ", transpose_a=" + op.Word("transpose_a");
  for (const char* flag : {"left_side", "lower", "unit_diagonal"})
    attributes += std::string(", ") + flag + (op.IsTrue(flag) ? "=true" : "=false");
  return attributes;
}

// ", channel_id=1"; nothing for the handle 0, which is no channel.
std::string Channel(const Operation& op) {
  const Attribute* channel = op.Find("channel_handle");
  const int64_t handle = channel == nullptr ? 0 : NumberOf(*channel, "handle");
  return handle == 0 ? "" : ", channel_id=" + std::to_string(handle);
}

// ", replica_groups={{0,1},{2,3}}"; -1 fills the rows of smaller groups.
Expected<std::string> Groups(const Operation& op) {
  const Attribute& table = *op.Find("replica_groups");
  auto devices = IntegersOf(table);
  if (!devices) return devices.takeError();
  const auto columns = static_cast<size_t>(table.type.sizes[1]);
  std::string text;
  for (size_t at = 0; at < devices->size(); at += columns) {
    std::vector<int64_t> group(devices->begin() + at, devices->begin() + at + columns);
    while (!group.empty() && group.back() == -1) group.pop_back();
    if (llvm::any_of(group, [](int64_t device) { return device < 0; }))
      return MakeError("expected a device in 'replica_groups', found a negative number");
    text += (at == 0 ? "" : ",") + InBraces(group);
  }
  return ", replica_groups={" + text + "}" + Channel(op) + Flag(op, "use_global_device_ids");
}

std::string Pairs(const Operation& op) {
  const std::vector<int64_t> devices = op.Integers("source_target_pairs");
  std::string text;
  for (size_t k = 0; k + 1 < devices.size(); k += 2)
    text += (k == 0 ? "" : ",") + InBraces({devices[k], devices[k + 1]});
  return ", source_target_pairs={" + text + "}" + Channel(op);
}

Expected<std::string> Collective(const Operation& op, StringRef dimension) {
  auto groups = Groups(op);
  if (!groups || dimension.empty()) return groups;
  return ", dimensions=" + InBraces(op.Integers(dimension)) + *groups;
}

std::string Normalization(const Operation& op) {
  double epsilon = 0;
  const std::string text = op.Word("epsilon");
  if (StringRef(text).getAsDouble(epsilon)) epsilon = 0;
  return ", epsilon=" +
         FloatToText(PrimitiveType::kF32, EncodeFloat(PrimitiveType::kF32, epsilon)) +
         ", feature_index=" + std::to_string(op.Find("feature_index")->integer);
}

// Which of the implementations of an operation, by how near they are: nothing for the usual one.
Expected<std::string> Accuracy(const Operation& op) {
  const Attribute* accuracy = op.Find("result_accuracy");
  if (accuracy == nullptr) return "";
  const std::string mode = WordOf(*accuracy, "mode");
  if (mode == "DEFAULT") return "";
  if (mode == "HIGHEST") return ", result_accuracy={mode=highest}";
  if (mode != "TOLERANCE") return MakeError("HLO has no accuracy '" + mode + "'");
  auto number = [&](StringRef name) {
    double value = 0;
    const std::string text = WordOf(*accuracy, name);
    return text.empty() || StringRef(text).getAsDouble(value)
               ? std::string("0")
               : FloatToText(PrimitiveType::kF64, EncodeFloat(PrimitiveType::kF64, value));
  };
  return ", result_accuracy={tolerance={atol=" + number("atol") + ",rtol=" + number("rtol") +
         ",ulps=" + std::to_string(NumberOf(*accuracy, "ulps")) + "}}";
}

}  // namespace

std::string InBraces(const std::vector<int64_t>& values) {
  std::string text = "{";
  for (size_t k = 0; k < values.size(); ++k) text += (k ? "," : "") + std::to_string(values[k]);
  return text + "}";
}

Expected<std::string> HloAttributes(const Operation& op) {
  const StringRef name = StringRef(op.name).split('.').second;
  auto list = [&](StringRef attribute) { return InBraces(op.Integers(attribute)); };
  auto number = [&](StringRef attribute) { return std::to_string(op.Find(attribute)->integer); };
  if (name == "compare") return Compare(op);
  if (name == "dot_general") return Dot(op);
  if (name == "convolution") return Convolution(op);
  if (name == "gather") return Gather(op);
  if (name == "scatter") return Scatter(op);
  if (name == "slice") return Slice(op);
  if (name == "pad") return Pad(op);
  if (name == "sort") return Sort(op);
  if (name == "reduce_window" || name == "select_and_scatter") return Window(op);
  if (name == "triangular_solve") return TriangularSolve(op);
  if (name == "cholesky") return Flag(op, "lower");
  if (name == "transpose") return ", dimensions=" + list("permutation");
  if (name == "reverse" || name == "reduce" || name == "map")
    return ", dimensions=" + list("dimensions");
  if (name == "all_gather") return Collective(op, "all_gather_dim");
  if (name == "all_to_all") return Collective(op, "split_dimension");
  if (name == "reduce_scatter") return Collective(op, "scatter_dimension");
  if (name == "all_reduce" || name == "collective_broadcast") return Collective(op, "");
  if (name == "collective_permute") return Pairs(op);
  if (name.starts_with("batch_norm_")) return Normalization(op);
  if (name == "get_dimension_size") return ", dimensions=" + list("dimension");
  if (name == "concatenate") return ", dimensions=" + list("dimension");
  if (name == "iota") return ", iota_dimension=" + number("iota_dimension");
  if (name == "dynamic_slice") return ", dynamic_slice_sizes=" + list("slice_sizes");
  if (name == "fft")
    return ", fft_type=" + op.Word("fft_type") + ", fft_length=" + list("fft_length");
  if (name == "reduce_precision")
    return ", exponent_bits=" + number("exponent_bits") +
           ", mantissa_bits=" + number("mantissa_bits");
  if (name == "rng")
    return op.Word("rng_distribution") == "NORMAL" ? ", distribution=rng_normal"
                                                   : ", distribution=rng_uniform";
  if (name == "top_k") return ", k=" + number("k") + ", largest=true";
  return Accuracy(op);
}

}  // namespace affirm::hlo::stablehlo
