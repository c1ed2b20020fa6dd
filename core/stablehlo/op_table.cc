// The table is StableHLO's specification, "Ops", with the syntax that StablehloOps.td gives them.
#include "core/stablehlo/op_table.h"

#include "llvm/ADT/StringMap.h"

namespace affirm::hlo::stablehlo {

using llvm::StringRef;
using As = AttributeKind;

namespace {

constexpr StringRef kDirections = "comparison_direction EQ NE GE GT LE LT";
constexpr StringRef kCompareTypes = "comparison_type NOTYPE FLOAT TOTALORDER SIGNED UNSIGNED";
constexpr StringRef kPrecisions = "precision DEFAULT HIGH HIGHEST";
constexpr StringRef kDotNumbers =
    "stablehlo.dot lhs_batching_dimensions rhs_batching_dimensions lhs_contracting_dimensions "
    "rhs_contracting_dimensions";
constexpr StringRef kDotAlgorithm =
    "stablehlo.dot_algorithm lhs_precision_type! rhs_precision_type! accumulation_type! "
    "lhs_component_count# rhs_component_count# num_primitive_operations# "
    "allow_imprecise_accumulation?";
constexpr StringRef kGatherNumbers =
    "stablehlo.gather offset_dims collapsed_slice_dims operand_batching_dims "
    "start_indices_batching_dims start_index_map index_vector_dim#";
constexpr StringRef kScatterNumbers =
    "stablehlo.scatter update_window_dims inserted_window_dims input_batching_dims "
    "scatter_indices_batching_dims scatter_dims_to_operand_dims index_vector_dim#";
constexpr StringRef kOperandAlias =
    "stablehlo.output_operand_alias output_tuple_indices operand_index# operand_tuple_indices";
constexpr StringRef kChannel = "stablehlo.channel_handle handle# type#";
constexpr StringRef kAccuracy = "stablehlo.result_accuracy atol. rtol. ulps# mode*";

OpRow Row(StringRef name, StringRef form, TypesForm types, int operands, int results, int regions,
          StringRef opcode, StringRef elements = {}, std::vector<AttributeRow> attributes = {}) {
  return {name, form, types, operands, results, regions, opcode, elements, std::move(attributes)};
}

AttributeRow Required(StringRef name, As kind, StringRef words = {}) {
  return {name, kind, true, Length::kAny, words};
}

AttributeRow Optional(StringRef name, As kind, StringRef words = {}) {
  return {name, kind, false, Length::kAny, words};
}

// Integers for each dimension of the first operand.
AttributeRow Ranked(StringRef name) { return {name, As::kIntegers, true, Length::kRank}; }
AttributeRow MaybeRanked(StringRef name) { return {name, As::kIntegers, false, Length::kRank}; }

// An operation that HLO has by the same name, element by element.
OpRow Elementwise(StringRef name, StringRef opcode, int operands, StringRef elements) {
  static constexpr StringRef kForms[] = {"", "%", "% , %", "% , % , %"};
  return {name, kForms[operands], TypesForm::kSame, operands, 1, 0, opcode, elements};
}

// One that `result_accuracy` says something of.
OpRow Rounded(StringRef name, StringRef opcode, StringRef elements) {
  OpRow row = Elementwise(name, opcode, 1, elements);
  row.attributes = {Optional("result_accuracy", As::kStruct, kAccuracy)};
  return row;
}

OpRow Converting(StringRef name, StringRef opcode, StringRef elements = {}) {
  return {name, "%", TypesForm::kFunction, 1, 1, 0, opcode, elements};
}

std::vector<OpRow> ElementwiseRows() {
  return {
      Elementwise("stablehlo.abs", "abs", 1, "sfc"),
      Elementwise("stablehlo.add", "add", 2, "psufc"),
      Elementwise("stablehlo.and", "and", 2, "psu"),
      Elementwise("stablehlo.atan2", "atan2", 2, "fc"),
      Converting("stablehlo.bitcast_convert", "bitcast-convert"),
      Rounded("stablehlo.cbrt", "cbrt", "f"),
      Elementwise("stablehlo.ceil", "ceil", 1, "f"),
      Elementwise("stablehlo.clamp", "clamp", 3, "psufc"),
      Row("stablehlo.complex", "% , %", TypesForm::kComplex, 2, 1, 0, "complex", "f"),
      Elementwise("stablehlo.convert", "convert", 1, "psufc"),
      Rounded("stablehlo.cosine", "cosine", "fc"),
      Elementwise("stablehlo.count_leading_zeros", "count-leading-zeros", 1, "su"),
      Elementwise("stablehlo.divide", "divide", 2, "sufc"),
      Rounded("stablehlo.exponential", "exponential", "fx"),
      Rounded("stablehlo.exponential_minus_one", "exponential-minus-one", "fc"),
      Elementwise("stablehlo.floor", "floor", 1, "f"),
      Converting("stablehlo.imag", "imag", "fc"),
      Converting("stablehlo.is_finite", "is-finite", "f"),
      Rounded("stablehlo.log", "log", "fx"),
      Rounded("stablehlo.log_plus_one", "log-plus-one", "fx"),
      Rounded("stablehlo.logistic", "logistic", "fc"),
      Elementwise("stablehlo.maximum", "maximum", 2, "psufc"),
      Elementwise("stablehlo.minimum", "minimum", 2, "psufc"),
      Elementwise("stablehlo.multiply", "multiply", 2, "psufc"),
      Elementwise("stablehlo.negate", "negate", 1, "sufc"),
      Elementwise("stablehlo.not", "not", 1, "psu"),
      Elementwise("stablehlo.or", "or", 2, "psu"),
      Elementwise("stablehlo.popcnt", "popcnt", 1, "su"),
      Elementwise("stablehlo.power", "power", 2, "sufc"),
      Converting("stablehlo.real", "real", "fc"),
      Elementwise("stablehlo.remainder", "remainder", 2, "sufc"),
      Converting("stablehlo.reshape", "reshape"),
      Elementwise("stablehlo.round_nearest_afz", "round-nearest-afz", 1, "f"),
      Elementwise("stablehlo.round_nearest_even", "round-nearest-even", 1, "f"),
      Rounded("stablehlo.rsqrt", "rsqrt", "fc"),
      Row("stablehlo.select", "% , % , %", TypesForm::kSelect, 3, 1, 0, "select", "p"),
      Elementwise("stablehlo.shift_left", "shift-left", 2, "su"),
      Elementwise("stablehlo.shift_right_arithmetic", "shift-right-arithmetic", 2, "su"),
      Elementwise("stablehlo.shift_right_logical", "shift-right-logical", 2, "su"),
      Elementwise("stablehlo.sign", "sign", 1, "sfc"),
      Rounded("stablehlo.sine", "sine", "fc"),
      Rounded("stablehlo.sqrt", "sqrt", "fx"),
      Elementwise("stablehlo.subtract", "subtract", 2, "sufc"),
      Rounded("stablehlo.tan", "tan", "fc"),
      Rounded("stablehlo.tanh", "tanh", "fc"),
      Elementwise("stablehlo.xor", "xor", 2, "psu"),
      Row("stablehlo.compare", "$comparison_direction , % , % [ , $compare_type ]",
          TypesForm::kFunction, 2, 1, 0, "compare", "",
          {Required("comparison_direction", As::kWord, kDirections),
           Optional("compare_type", As::kWord, kCompareTypes)}),
      Row("stablehlo.reduce_precision", "% , format = !format", TypesForm::kSame, 1, 1, 0,
          "reduce-precision", "f",
          {Required("exponent_bits", As::kInteger32), Required("mantissa_bits", As::kInteger32)}),
  };
}

// Operations of the CHLO dialect that HLO has, or that expand.cc expands.
std::vector<OpRow> ChloRows() {
  std::vector<OpRow> rows;
  for (StringRef name : {"chlo.acos", "chlo.acosh", "chlo.asin", "chlo.asinh", "chlo.atan",
                         "chlo.atanh", "chlo.cosh", "chlo.sinh"})
    rows.push_back({name, "%", TypesForm::kArrow, 1, 1, 0, "", "fx"});
  rows.push_back({"chlo.erf", "%", TypesForm::kArrow, 1, 1, 0, "erf", "f"});
  rows.push_back({"chlo.tan", "%", TypesForm::kArrow, 1, 1, 0, "tan", "fc"});
  rows.push_back({"chlo.square", "%", TypesForm::kArrow, 1, 1, 0, "", "fx"});
  rows.push_back(Row("chlo.top_k", "( % , k = $k )", TypesForm::kArrow, 1, 2, 0, "topk", "",
                     {Required("k", As::kInteger)}));
  return rows;
}

std::vector<OpRow> MovementRows() {
  return {
      Row("stablehlo.broadcast_in_dim", "% , dims = $broadcast_dimensions", TypesForm::kFunction, 1,
          1, 0, "", "", {Ranked("broadcast_dimensions")}),
      Row("stablehlo.concatenate", "%+, dim = $dimension", TypesForm::kFunction, -1, 1, 0,
          "concatenate", "", {Required("dimension", As::kInteger)}),
      Row("stablehlo.constant", "!constant", TypesForm::kResult, 0, 1, 0, "", "",
          {Required("value", As::kConstant)}),
      Row("stablehlo.dynamic_slice", "%+, sizes = $slice_sizes", TypesForm::kFunction, -1, 1, 0,
          "dynamic-slice", "", {Ranked("slice_sizes")}),
      Row("stablehlo.dynamic_update_slice", "%*", TypesForm::kFunction, -1, 1, 0,
          "dynamic-update-slice"),
      Row("stablehlo.gather", "", TypesForm::kFunction, 2, 1, 0, "gather", "",
          {Required("dimension_numbers", As::kStruct, kGatherNumbers), Ranked("slice_sizes"),
           Optional("indices_are_sorted", As::kBool)}),
      Row("stablehlo.get_dimension_size", "% , dim = $dimension", TypesForm::kFunction, 1, 1, 0,
          "get-dimension-size", "", {Required("dimension", As::kInteger)}),
      Row("stablehlo.iota", "dim = $iota_dimension", TypesForm::kResult, 0, 1, 0, "iota", "",
          {Required("iota_dimension", As::kInteger)}),
      Row("stablehlo.pad",
          "% , % , low = $edge_padding_low , high = $edge_padding_high , interior = "
          "$interior_padding",
          TypesForm::kFunction, 2, 1, 0, "pad", "",
          {Ranked("edge_padding_low"), Ranked("edge_padding_high"), Ranked("interior_padding")}),
      Row("stablehlo.reverse", "% , dims = $dimensions", TypesForm::kResult, 1, 1, 0, "reverse", "",
          {Required("dimensions", As::kIntegers)}),
      Row("stablehlo.slice", "% !ranges", TypesForm::kFunction, 1, 1, 0, "slice", "",
          {Ranked("start_indices"), Ranked("limit_indices"), Ranked("strides")}),
      Row("stablehlo.transpose", "% , dims = $permutation", TypesForm::kFunction, 1, 1, 0,
          "transpose", "", {Ranked("permutation")}),
  };
}

std::vector<OpRow> ContractionRows() {
  return {
      Row("stablehlo.dot_general", "% , % !dot", TypesForm::kFunction, 2, 1, 0, "dot", "",
          {Required("dot_dimension_numbers", As::kStruct, kDotNumbers),
           Optional("precision_config", As::kWords, kPrecisions),
           Optional("algorithm", As::kStruct, kDotAlgorithm)}),
      Row("stablehlo.convolution", "( %* ) dim_numbers = !conv , window = !window",
          TypesForm::kFunction, 2, 1, 0, "convolution", "",
          {Required("dimension_numbers", As::kDimLabels), Optional("window_strides", As::kIntegers),
           Optional("padding", As::kPairs), Optional("lhs_dilation", As::kIntegers),
           Optional("rhs_dilation", As::kIntegers), Optional("window_reversal", As::kBools),
           Required("feature_group_count", As::kInteger),
           Required("batch_group_count", As::kInteger),
           Optional("precision_config", As::kWords, kPrecisions)}),
      Row("stablehlo.fft", "% , type = $fft_type , length = $fft_length", TypesForm::kFunction, 1,
          1, 0, "fft", "fc",
          {Required("fft_type", As::kWord, "fft_type FFT IFFT RFFT IRFFT"),
           Required("fft_length", As::kIntegers)}),
      Row("stablehlo.cholesky", "% [ , lower = $lower ]", TypesForm::kSame, 1, 1, 0, "cholesky",
          "fc", {Optional("lower", As::kBool)}),
      Row("stablehlo.triangular_solve", "", TypesForm::kFunction, 2, 1, 0, "triangular-solve", "fc",
          {Required("left_side", As::kBool), Required("lower", As::kBool),
           Required("unit_diagonal", As::kBool),
           Required("transpose_a", As::kWord, "transpose NO_TRANSPOSE TRANSPOSE ADJOINT")}),
  };
}

std::vector<OpRow> FoldRows() {
  const std::vector<AttributeRow> window = {Ranked("window_dimensions"),
                                            MaybeRanked("window_strides"),
                                            {"padding", As::kPairs, false, Length::kRank}};
  std::vector<AttributeRow> dilated = window;
  dilated.push_back(MaybeRanked("base_dilations"));
  dilated.push_back(MaybeRanked("window_dilations"));
  return {
      Row("stablehlo.map", "", TypesForm::kFunction, -1, 1, 1, "map", "", {Ranked("dimensions")}),
      Row("stablehlo.reduce", "!reduce", TypesForm::kFunction, -1, -1, 1, "reduce", "",
          {Required("dimensions", As::kIntegers)}),
      Row("stablehlo.reduce_window", "", TypesForm::kFunction, -1, -1, 1, "reduce-window", "",
          dilated),
      Row("stablehlo.scatter", "", TypesForm::kFunction, -1, -1, 1, "scatter", "",
          {Required("scatter_dimension_numbers", As::kStruct, kScatterNumbers),
           Optional("indices_are_sorted", As::kBool), Optional("unique_indices", As::kBool)}),
      Row("stablehlo.select_and_scatter", "", TypesForm::kFunction, 3, 1, 2, "select-and-scatter",
          "", window),
      Row("stablehlo.sort", "", TypesForm::kFunction, -1, -1, 1, "sort", "",
          {Optional("dimension", As::kInteger), Optional("is_stable", As::kBool)}),
  };
}

// Operations of several devices. Without a channel, groups are of replicas.
std::vector<OpRow> CollectiveRows() {
  const AttributeRow channel = Optional("channel_handle", As::kStruct, kChannel),
                     groups = Required("replica_groups", As::kTable),
                     global = Optional("use_global_device_ids", As::kFlag);
  return {
      Row("stablehlo.all_gather", "", TypesForm::kFunction, -1, -1, 0, "all-gather", "",
          {Required("all_gather_dim", As::kInteger), groups, channel, global}),
      Row("stablehlo.all_reduce", "", TypesForm::kFunction, -1, -1, 1, "all-reduce", "",
          {groups, channel, global}),
      Row("stablehlo.all_to_all", "", TypesForm::kFunction, -1, -1, 0, "all-to-all", "",
          {Required("split_dimension", As::kInteger), Required("concat_dimension", As::kInteger),
           Required("split_count", As::kInteger), groups, channel}),
      Row("stablehlo.collective_broadcast", "", TypesForm::kFunction, 1, 1, 0,
          "collective-broadcast", "", {groups, channel}),
      Row("stablehlo.collective_permute", "", TypesForm::kFunction, 1, 1, 0, "collective-permute",
          "", {Required("source_target_pairs", As::kPairs), channel}),
      Row("stablehlo.partition_id", "%*", TypesForm::kResult, 0, 1, 0, "partition-id"),
      Row("stablehlo.reduce_scatter", "", TypesForm::kFunction, 1, 1, 1, "reduce-scatter", "",
          {Required("scatter_dimension", As::kInteger), groups, channel, global}),
      Row("stablehlo.replica_id", "%*", TypesForm::kResult, 0, 1, 0, "replica-id"),
  };
}

std::vector<OpRow> NormalizationRows() {
  const std::vector<AttributeRow> attributes = {Required("epsilon", As::kFloat),
                                                Required("feature_index", As::kInteger)};
  return {
      Row("stablehlo.batch_norm_grad", "", TypesForm::kFunction, 5, 3, 0, "batch-norm-grad", "f",
          attributes),
      Row("stablehlo.batch_norm_inference", "", TypesForm::kFunction, 5, 1, 0,
          "batch-norm-inference", "f", attributes),
      Row("stablehlo.batch_norm_training", "", TypesForm::kFunction, 3, 3, 0, "batch-norm-training",
          "f", attributes),
  };
}

std::vector<OpRow> ControlRows() {
  return {
      Row("func.call", "$callee ( %* )", TypesForm::kFunction, -1, -1, 0, "", "",
          {Required("callee", As::kSymbol)}),
      Row("func.return", "%*", TypesForm::kOperands, -1, 0, 0, ""),
      Row("stablehlo.return", "%*", TypesForm::kOperands, -1, 0, 0, ""),
      Row("stablehlo.case", "", TypesForm::kFunction, 1, -1, -1, ""),
      Row("stablehlo.if", "", TypesForm::kFunction, 1, -1, 2, ""),
      Row("stablehlo.while", "!while", TypesForm::kFunction, -1, -1, 2, ""),
      Row("stablehlo.composite", "$name %*", TypesForm::kFunction, -1, -1, 0, "", "",
          {Required("name", As::kString), Required("decomposition", As::kSymbol),
           Optional("composite_attributes", As::kAny), Optional("version", As::kInteger32)}),
      Row("stablehlo.custom_call", "$call_target_name ( %* )", TypesForm::kFunction, -1, -1, 0, "",
          "",
          {Required("call_target_name", As::kString), Optional("has_side_effect", As::kBool),
           Optional("backend_config", As::kAny), Optional("api_version", As::kInteger32),
           Optional("called_computations", As::kSymbols), Optional("operand_layouts", As::kLayouts),
           Optional("result_layouts", As::kLayouts),
           Optional("output_operand_aliases", As::kStructs, kOperandAlias)}),
      Row("stablehlo.optimization_barrier", "%*", TypesForm::kPairwise, -1, -1, 0, ""),
      Row("stablehlo.rng", "% , % , % , distribution = $rng_distribution", TypesForm::kFunction, 3,
          1, 0, "rng", "psuf",
          {Required("rng_distribution", As::kWord, "rng_distribution UNIFORM NORMAL")}),
      Row("stablehlo.rng_bit_generator", "% , algorithm = $rng_algorithm", TypesForm::kFunction, 1,
          2, 0, "", "su",
          {Required("rng_algorithm", As::kWord, "rng_algorithm DEFAULT THREE_FRY PHILOX")}),
      Row("sdy.sharding_constraint", "% !sharding", TypesForm::kResult, 1, 1, 0, "", "",
          {Required("sharding", As::kAny)}),
  };
}

}  // namespace

const OpRow* FindOpRow(StringRef name) {
  static const auto* const kRows = [] {
    auto* rows = new llvm::StringMap<OpRow>;
    for (auto make : {ElementwiseRows, ChloRows, MovementRows, ContractionRows, FoldRows,
                      ControlRows, CollectiveRows, NormalizationRows}) {
      for (OpRow& row : make()) rows->try_emplace(row.name, std::move(row));
    }
    return rows;
  }();
  auto found = kRows->find(name);
  return found == kRows->end() ? nullptr : &found->second;
}

bool IsDiscardable(StringRef name) {
  // Other attributes of these dialects say how arrays lie on devices, or are notes of JAX. The
  // writer reads three of a custom_call: mhlo.attributes, mhlo.frontend_attributes and
  // mhlo.sharding.
  static constexpr StringRef kMeaningful[] = {
      "mhlo.backend_config", "mhlo.cross_program_prefetches", "mhlo.dynamic_parameter_bindings",
      "mhlo.is_dynamic",     "mhlo.input_output_alias",       "mhlo.parameter_replication"};
  for (StringRef meaningful : kMeaningful) {
    if (name == meaningful) return false;
  }
  const StringRef dialect = name.split('.').first;
  return name.contains('.') && (dialect == "jax" || dialect == "mhlo" || dialect == "sdy" ||
                                dialect == "tf" || dialect == "xla" || dialect == "stablehlo");
}

}  // namespace affirm::hlo::stablehlo
