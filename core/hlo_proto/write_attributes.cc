// Writes the fields of an instruction as attributes of HLO text, each under the key that XLA
// prints.
#include <bit>

#include "core/hlo/attribute_rules.h"
#include "core/hlo/attribute_text.h"
#include "core/hlo/float_format.h"
#include "core/hlo/opcode.h"
#include "core/hlo_proto/values.h"
#include "core/hlo_proto/writer.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace affirm::hlo_proto {
namespace {

using hlo::Opcode;
using Names = llvm::ArrayRef<llvm::StringLiteral>;

// The names of enums by their numbers; the empty ones stand for no value that text has.
constexpr llvm::StringLiteral kFftTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
constexpr llvm::StringLiteral kDistributions[] = {"", "rng_uniform", "rng_normal"};
constexpr llvm::StringLiteral kRngAlgorithms[] = {"rng_default", "rng_three_fry", "rng_philox"};
constexpr llvm::StringLiteral kTransposes[] = {"", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
constexpr llvm::StringLiteral kPaddings[] = {"", "PADDING_VALID", "PADDING_SAME"};
constexpr llvm::StringLiteral kSchedules[] = {"", "SCHEDULE_LATEST", "SCHEDULE_EARLIEST"};
constexpr llvm::StringLiteral kApiVersions[] = {
    "API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
    "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};
constexpr llvm::StringLiteral kPrecisions[] = {"default", "high", "highest", "packed_nibble"};
constexpr llvm::StringLiteral kAlgorithms[] = {
    "dot_unset",         "dot_any_f8_any_f8_f32", "dot_any_f8_any_f8_f32_fast_accum",
    "dot_f16_f16_f16",   "dot_f16_f16_f32",       "dot_bf16_bf16_bf16",
    "dot_bf16_bf16_f32", "dot_bf16_bf16_f32_x3",  "dot_bf16_bf16_f32_x6",
    "dot_tf32_tf32_f32", "dot_tf32_tf32_f32_x3",  "dot_f32_f32_f32",
    "dot_f64_f64_f64",   "dot_bf16_bf16_f32_x9"};
constexpr llvm::StringLiteral kTriStates[] = {"", "true", "false"};

class AttributeWriter {
 public:
  AttributeWriter(const Instruction& op, const Scope& scope, llvm::raw_ostream& os)
      : op_(op), scope_(scope), os_(os), opcode_(hlo::OpcodeFromName(op.opcode())) {}

  llvm::Error Write();

 private:
  bool Has(llvm::StringRef key) const { return hlo::OpHasAttribute(opcode_, key); }
  llvm::raw_ostream& Key(llvm::StringRef key) { return os_ << ", " << key << "="; }
  // Whether it is written where the field is empty: "dimensions={}" of a reduction of nothing.
  bool Needs(llvm::StringRef key) const { return hlo::NeedsAttribute(opcode_, key); }
  // Each of the next four writes a field that is not empty, true, or not 0.
  template <typename Numbers>
  void Ints(llvm::StringRef key, const Numbers& numbers) {
    if (!numbers.empty() || Needs(key)) Key(key) << ListText(numbers);
  }
  void Flag(llvm::StringRef key, bool set) {
    if (set) Key(key) << "true";
  }
  void Int(llvm::StringRef key, int64_t number, bool always = false) {
    if (number != 0 || always) Key(key) << number;
  }
  void String(llvm::StringRef key, const std::string& text, bool always = false) {
    if (text.empty() && !always) return;
    hlo::PrintString(text, Key(key));
  }
  // Writes it if the op has the attribute, or the number is not 0.
  void Enum(llvm::StringRef key, int32_t number, Names names, bool always);
  void Raw(llvm::StringRef key, llvm::Expected<std::string> text);
  void Fail(llvm::Error error);

  void WriteShared();
  void WriteDimensions();
  void WriteConvolution();
  std::string Labels(const Shape* shape, char first, int64_t first_place, char second,
                     int64_t second_place, llvm::ArrayRef<int64_t> spatial);
  void WriteDots();
  void WriteGathers();
  void WriteComparison();
  void WriteCollective();
  void WriteLinalg();
  void WriteRandom();
  void WriteCustomCall();
  void WriteNotes();
  void Require(bool set, llvm::StringRef field) {
    if (!set) Fail(MakeError("expected the field " + field + " of a " + op_.opcode()));
  }

  const Instruction& op_;
  const Scope& scope_;
  llvm::raw_ostream& os_;
  Opcode opcode_;
  std::string error_;  // the first
};

void AttributeWriter::Fail(llvm::Error error) {
  std::string message = llvm::toString(std::move(error));
  if (error_.empty()) error_ = std::move(message);
}

void AttributeWriter::Enum(llvm::StringRef key, int32_t number, Names names, bool always) {
  if (number == 0 && !always) return;
  const bool known = number >= 0 && number < static_cast<int32_t>(names.size());
  if (!known || names[number].empty())
    return Fail(
        MakeError("expected a known value of " + key + ", found number " + llvm::Twine(number)));
  Key(key) << names[number];
}

void AttributeWriter::Raw(llvm::StringRef key, llvm::Expected<std::string> text) {
  if (!text) return Fail(text.takeError());
  Key(key) << *text;
}

// Attributes of several ops, or of one each.
void AttributeWriter::WriteShared() {
  if (opcode_ == Opcode::kGetTupleElement || op_.tuple_index() != 0)
    Int("index", op_.tuple_index(), true);
  if (opcode_ != Opcode::kParameter) Int("parameter_number", op_.parameter_number());
  if (op_.has_literal() && opcode_ != Opcode::kConstant)
    Fail(MakeError("expected no literal but that of a constant"));
  Ints("dynamic_slice_sizes", op_.dynamic_slice_sizes());
  Int("exponent_bits", op_.exponent_bits(), Has("exponent_bits"));
  Int("mantissa_bits", op_.mantissa_bits(), Has("mantissa_bits"));
  Flag("is_stable", op_.is_stable());
  Int("k", op_.k(), Has("k"));
  if (Has("largest") || op_.largest()) Key("largest") << (op_.largest() ? "true" : "false");
  Int("num_carries", op_.num_carries());
  Flag("is_reverse", op_.is_reverse());
  Enum("is_associative", op_.is_associative(), kTriStates, false);
  Flag("is_composite", op_.is_composite());
  Flag("is_host_transfer", op_.is_host_transfer());
  String("infeed_config", op_.infeed_config());
  String("outfeed_config", op_.outfeed_config());
  if (op_.has_outfeed_shape()) Raw("outfeed_shape", ShapeText(op_.outfeed_shape()));
  String("async_execution_thread", op_.async_execution_thread());
  if (!op_.fusion_kind().empty() || opcode_ == Opcode::kFusion) {
    auto kind = Word(op_.fusion_kind(), "fusion_kind");
    Raw("kind", kind ? kind->str() : llvm::Expected<std::string>(kind.takeError()));
  }
  if (op_.slice_dimensions_size() > 0 || Needs("slice")) {
    Key("slice") << "{";
    llvm::ListSeparator separator;
    for (const SliceDimensions& dim : op_.slice_dimensions())
      os_ << separator << "[" << dim.start() << ":" << dim.limit() << ":" << dim.stride() << "]";
    os_ << "}";
  }
  if (op_.padding_config().dimensions_size() > 0 || Needs("padding")) {
    Key("padding");
    llvm::ListSeparator separator("x");
    for (const auto& dim : op_.padding_config().dimensions())
      os_ << separator << dim.edge_padding_low() << "_" << dim.edge_padding_high() << "_"
          << dim.interior_padding();
  }
  if (opcode_ == Opcode::kPad) Require(op_.has_padding_config(), "padding_config");
}

void AttributeWriter::WriteDimensions() {
  const auto& dims = op_.dimensions();
  const bool one = dims.size() == 1;
  if (opcode_ == Opcode::kIota && one) {
    Int("iota_dimension", dims[0], true);
  } else if (opcode_ == Opcode::kReshape && one) {
    Int("inferred_dimension", dims[0], true);
  } else {
    Ints("dimensions", dims);
  }
}

// One part of dim_labels. A dimension without a role is '?'; a role without a dimension, or two of
// one, is an error.
std::string AttributeWriter::Labels(const Shape* shape, char first, int64_t first_place,
                                    char second, int64_t second_place,
                                    llvm::ArrayRef<int64_t> spatial) {
  std::string labels(std::max<size_t>(spatial.size() + 2, shape ? shape->dimensions_size() : 0),
                     '?');
  auto put = [&](int64_t place, char label) {
    const bool fits = place >= 0 && place < static_cast<int64_t>(labels.size());
    if (!fits || labels[place] != '?')
      return Fail(
          MakeError("expected convolution_dimension_numbers that give each dimension one "
                    "role, found " +
                    llvm::Twine(place) + " for '" + llvm::Twine(label) + "'"));
    labels[place] = label;
  };
  put(first_place, first);
  put(second_place, second);
  if (spatial.size() > 10) Fail(MakeError("expected at most 10 spatial dimensions"));
  for (const auto& [i, place] : llvm::enumerate(spatial)) put(place, static_cast<char>('0' + i));
  return labels;
}

void AttributeWriter::WriteConvolution() {
  if (op_.window().dimensions_size() > 0) {
    Key("window") << "{";
    auto row = [&](llvm::StringRef key, auto get) {
      os_ << key;
      llvm::ListSeparator separator("x");
      for (const WindowDimension& dim : op_.window().dimensions()) os_ << separator << get(dim);
    };
    row("size=", [](const auto& dim) { return dim.size(); });
    row(" stride=", [](const auto& dim) { return dim.stride(); });
    row(" pad=", [](const auto& dim) {
      return std::to_string(dim.padding_low()) + "_" + std::to_string(dim.padding_high());
    });
    row(" lhs_dilate=", [](const auto& dim) { return dim.base_dilation(); });
    row(" rhs_dilate=", [](const auto& dim) { return dim.window_dilation(); });
    row(" rhs_reversal=", [](const auto& dim) { return dim.window_reversal() ? 1 : 0; });
    os_ << "}";
  }
  // XLA reads counts below 1 as 1.
  Int("feature_group_count", op_.feature_group_count());
  Int("batch_group_count", op_.batch_group_count());
  if (opcode_ == Opcode::kConvolution)
    Require(op_.has_convolution_dimension_numbers(), "convolution_dimension_numbers");
  if (Has("window") && opcode_ != Opcode::kCustomCall) Require(op_.has_window(), "window");
  if (!op_.has_convolution_dimension_numbers()) return;
  const ConvolutionDimensionNumbers& n = op_.convolution_dimension_numbers();
  auto shape_of = [&](int k) -> const Shape* {
    if (k >= op_.operand_ids_size()) return nullptr;
    auto operand = scope_.instructions.find(op_.operand_ids(k));
    return operand == scope_.instructions.end() ? nullptr : &operand->second->shape();
  };
  const bool is_tuple = op_.shape().tuple_shapes_size() > 0;
  const Shape& result = is_tuple ? op_.shape().tuple_shapes(0) : op_.shape();
  Key("dim_labels") << Labels(shape_of(0), 'b', n.input_batch_dimension(), 'f',
                              n.input_feature_dimension(), n.input_spatial_dimensions())
                    << "_"
                    << Labels(shape_of(1), 'i', n.kernel_input_feature_dimension(), 'o',
                              n.kernel_output_feature_dimension(), n.kernel_spatial_dimensions())
                    << "->"
                    << Labels(&result, 'b', n.output_batch_dimension(), 'f',
                              n.output_feature_dimension(), n.output_spatial_dimensions());
}

void AttributeWriter::WriteDots() {
  const bool ragged = op_.has_ragged_dot_dimension_numbers();
  if (ragged && op_.has_dot_dimension_numbers())
    Fail(MakeError("expected dimension numbers of a dot or of a ragged dot, found both"));
  if (opcode_ == Opcode::kDot || opcode_ == Opcode::kScaledDot)
    Require(op_.has_dot_dimension_numbers(), "dot_dimension_numbers");
  if (opcode_ == Opcode::kRaggedDot) Require(ragged, "ragged_dot_dimension_numbers");
  const RaggedDotDimensionNumbers& numbers = op_.ragged_dot_dimension_numbers();
  const DotDimensionNumbers& dot =
      ragged ? numbers.dot_dimension_numbers() : op_.dot_dimension_numbers();
  Ints("lhs_batch_dims", dot.lhs_batch_dimensions());
  Ints("lhs_contracting_dims", dot.lhs_contracting_dimensions());
  Ints("rhs_batch_dims", dot.rhs_batch_dimensions());
  Ints("rhs_contracting_dims", dot.rhs_contracting_dimensions());
  Ints("lhs_ragged_dims", numbers.lhs_ragged_dimensions());
  Ints("rhs_group_dims", numbers.rhs_group_dimensions());
  const PrecisionConfig& precision = op_.precision_config();
  if (precision.operand_precision_size() > op_.operand_ids_size())
    Fail(MakeError("expected at most one precision for each operand"));
  if (llvm::any_of(precision.operand_precision(), [](int32_t number) { return number != 0; })) {
    std::string words;
    for (const int32_t number : precision.operand_precision()) {
      const bool known = number >= 0 && number < static_cast<int32_t>(std::size(kPrecisions));
      if (!known)
        return Fail(MakeError("expected a known precision, found number " + llvm::Twine(number)));
      words += (words.empty() ? "" : ",") + kPrecisions[number].str();
    }
    Key("operand_precision") << "{" << words << "}";
  }
  Enum("algorithm", precision.algorithm(), kAlgorithms, false);
}

void AttributeWriter::WriteGathers() {
  if (opcode_ == Opcode::kGather)
    Require(op_.has_gather_dimension_numbers(), "gather_dimension_numbers");
  if (opcode_ == Opcode::kScatter)
    Require(op_.has_scatter_dimension_numbers(), "scatter_dimension_numbers");
  const GatherDimensionNumbers& gather = op_.gather_dimension_numbers();
  Ints("offset_dims", gather.offset_dims());
  Ints("collapsed_slice_dims", gather.collapsed_slice_dims());
  Ints("start_index_map", gather.start_index_map());
  Ints("operand_batching_dims", gather.operand_batching_dims());
  Ints("start_indices_batching_dims", gather.start_indices_batching_dims());
  if (op_.has_gather_dimension_numbers()) Int("index_vector_dim", gather.index_vector_dim(), true);
  Ints("slice_sizes", op_.gather_slice_sizes());
  const ScatterDimensionNumbers& scatter = op_.scatter_dimension_numbers();
  Ints("update_window_dims", scatter.update_window_dims());
  Ints("inserted_window_dims", scatter.inserted_window_dims());
  Ints("scatter_dims_to_operand_dims", scatter.scatter_dims_to_operand_dims());
  Ints("input_batching_dims", scatter.input_batching_dims());
  Ints("scatter_indices_batching_dims", scatter.scatter_indices_batching_dims());
  if (op_.has_scatter_dimension_numbers())
    Int("index_vector_dim", scatter.index_vector_dim(), true);
  Flag("indices_are_sorted", op_.indices_are_sorted());
  Flag("unique_indices", op_.unique_indices());
}

void AttributeWriter::WriteComparison() {
  if (opcode_ == Opcode::kCompare || !op_.comparison_direction().empty()) {
    auto direction = Word(op_.comparison_direction(), "comparison_direction");
    Raw("direction",
        direction ? direction->str() : llvm::Expected<std::string>(direction.takeError()));
  }
  auto operand = op_.operand_ids().empty() ? scope_.instructions.end()
                                           : scope_.instructions.find(op_.operand_ids(0));
  auto order =
      ComparisonOrderText(op_, operand == scope_.instructions.end() ? nullptr : operand->second);
  if (!order) return Fail(order.takeError());
  os_ << *order;
}

void AttributeWriter::WriteCollective() {
  // Nothing below 1 is a channel.
  if (op_.channel_id() > 0) Int("channel_id", op_.channel_id());
  if (Has("replica_groups") || op_.replica_groups_size() > 0 ||
      op_.device_list_case() != Instruction::DEVICE_LIST_NOT_SET)
    Raw("replica_groups", ReplicaGroupsText(op_));
  Flag("use_global_device_ids", op_.use_global_device_ids());
  if (opcode_ != Opcode::kCustomCall) Flag("constrain_layout", op_.constrain_layout());
  if (Has("source_target_pairs") || op_.source_target_pairs_size() > 0) {
    Key("source_target_pairs") << "{";
    llvm::ListSeparator separator(",");
    for (const SourceTarget& pair : op_.source_target_pairs())
      os_ << separator << "{" << pair.source() << "," << pair.target() << "}";
    os_ << "}";
  }
}

void AttributeWriter::WriteLinalg() {
  auto flag = [&](llvm::StringRef key, bool set) { Key(key) << (set ? "true" : "false"); };
  if (op_.has_triangular_solve_options() || opcode_ == Opcode::kTriangularSolve) {
    const TriangularSolveOptions& options = op_.triangular_solve_options();
    flag("left_side", options.left_side());
    flag("lower", options.lower());
    flag("unit_diagonal", options.unit_diagonal());
    Enum("transpose_a", options.transpose_a(), kTransposes, true);
  }
  if (op_.has_cholesky_options() || opcode_ == Opcode::kCholesky)
    flag("lower", op_.cholesky_options().lower());
  Enum("fft_type", op_.fft_type(), kFftTypes, Has("fft_type"));
  if (Has("fft_length") || op_.fft_length_size() > 0)
    Key("fft_length") << ListText(op_.fft_length());
  const bool norm = Has("epsilon");
  if (norm || op_.epsilon() != 0)
    Key("epsilon") << hlo::FloatToText(hlo::PrimitiveType::kF32,
                                       std::bit_cast<uint32_t>(op_.epsilon()));
  Int("feature_index", op_.feature_index(), norm);
  // The default accuracy is that of an op without any.
  const ResultAccuracy& accuracy = op_.result_accuracy();
  if (accuracy.has_tolerance() || accuracy.mode() != 0)
    Raw("result_accuracy", AccuracyText(accuracy));
}

void AttributeWriter::WriteRandom() {
  Enum("distribution", op_.distribution(), kDistributions, Has("distribution"));
  if (opcode_ == Opcode::kRngBitGenerator || op_.rng_algorithm() != 0)
    Enum("algorithm", op_.rng_algorithm(), kRngAlgorithms, true);
  Int("delta", op_.delta(), Has("delta"));
}

void AttributeWriter::WriteCustomCall() {
  const bool is_call = opcode_ == Opcode::kCustomCall;
  String("custom_call_target", op_.custom_call_target(), is_call);
  if ((is_call && op_.constrain_layout()) || op_.operand_shapes_with_layout_size() > 0) {
    if (is_call && !op_.constrain_layout())
      Fail(MakeError("expected constrain_layout where operand_shapes_with_layout are"));
    std::string shapes;
    for (const Shape& shape : op_.operand_shapes_with_layout()) {
      auto text = ShapeText(shape);
      if (!text) return Fail(text.takeError());
      shapes += (shapes.empty() ? "" : ", ") + *text;
    }
    Key("operand_layout_constraints") << "{" << shapes << "}";
  }
  Flag("custom_call_has_side_effect", op_.custom_call_has_side_effect());
  if (op_.output_operand_aliasing_size() > 0) {
    Key("output_to_operand_aliasing") << "{";
    llvm::ListSeparator separator;
    for (const OutputOperandAliasing& alias : op_.output_operand_aliasing())
      os_ << separator << ListText(alias.output_shape_index()) << ": (" << alias.operand_index()
          << ", " << ListText(alias.operand_shape_index()) << ")";
    os_ << "}";
  }
  Enum("padding_type", op_.padding_type(), kPaddings, false);
  Enum("schedule", op_.custom_call_schedule(), kSchedules, false);
  const int32_t version = op_.custom_call_api_version();
  // Text without a version means the original one.
  if (is_call ? version != 1 : version != 0) Enum("api_version", version, kApiVersions, true);
}

void AttributeWriter::WriteNotes() {
  if (op_.parameter_replication().replicated_at_leaf_buffers_size() > 0) {
    Key("parameter_replication") << "{";
    llvm::ListSeparator separator(",");
    for (const bool flag : op_.parameter_replication().replicated_at_leaf_buffers())
      os_ << separator << (flag ? "true" : "false");
    os_ << "}";
  }
  if (op_.has_sharding()) Raw("sharding", ShardingText(op_.sharding()));
  if (op_.frontend_attributes().map_size() > 0)
    Raw("frontend_attributes", FrontendAttributesText(op_.frontend_attributes()));
  const OpMetadata& metadata = op_.metadata();
  std::string text;
  llvm::raw_string_ostream os(text);
  auto add = [&](llvm::StringRef key, const std::string& value) {
    if (value.empty()) return;
    hlo::PrintString(value, os << (text.empty() ? "" : " ") << key << "=");
  };
  add("op_type", metadata.op_type());
  add("op_name", metadata.op_name());
  add("source_file", metadata.source_file());
  if (metadata.source_line() != 0)
    os << (text.empty() ? "" : " ") << "source_line=" << metadata.source_line();
  if (!text.empty()) Key("metadata") << "{" << text << "}";
  if (!op_.backend_config().empty()) Raw("backend_config", JsonOrString(op_.backend_config()));
}

llvm::Error AttributeWriter::Write() {
  WriteShared();
  WriteDimensions();
  WriteConvolution();
  WriteDots();
  WriteGathers();
  WriteComparison();
  WriteCollective();
  WriteLinalg();
  WriteRandom();
  WriteCustomCall();
  WriteNotes();
  return error_.empty() ? llvm::Error::success() : MakeError(error_);
}

}  // namespace

llvm::Error WriteAttributes(const Instruction& op, const Scope& scope, llvm::raw_ostream& os) {
  return AttributeWriter(op, scope, os).Write();
}

}  // namespace affirm::hlo_proto
