// Protos that XLA refuses, that say what affirm does not know, or that could be taken for another
// module than XLA takes them for, are refused with an error that says where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/hlo_proto/protos.h"

namespace affirm::hlo_proto {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kAt = "t.pb:1:1: error: HLO proto: instruction 'r' of computation 'e': ";

struct Refusal {
  std::string opcode, fields, error;
  std::string shape = kF4, of = kF4;
};

// The op is the root `r`, whose first operand is a parameter.
void Check(llvm::ArrayRef<Refusal> rows) {
  for (const Refusal& row : rows) {
    SCOPED_TRACE(row.opcode + " " + row.fields + " " + row.shape);
    const std::string read = Read(Unary(row.opcode, row.fields, row.shape, row.of));
    EXPECT_THAT(read, StartsWith("t.pb:1:1: error: HLO proto: "));
    EXPECT_THAT(read, HasSubstr(row.error));
  }
}

TEST(HloProtoRefuses, FieldsOfOtherOps) {
  const std::string pair = "element_type: 11 dimensions: [2, 2] ";
  Check({
      // XLA passes over fields of other ops.
      {"negate", "dimensions: 0",
       "as HLO: expected an attribute that negate is known to have, found 'dimensions'"},
      {"negate", "tuple_index: 1", "found 'index'"},
      {"negate", "parameter_number: 1", "found 'parameter_number'"},
      {"negate", "k: 3", "found 'k'"},
      {"negate", "fft_type: 1", "found 'fft_type'"},
      {"negate", "channel_id: 1", "found 'channel_id'"},
      {"negate", "replica_groups { replica_ids: 0 }", "found 'replica_groups'"},
      {"negate", "custom_call_target: \"f\"", "found 'custom_call_target'"},
      {"negate", "is_host_transfer: true", "found 'is_host_transfer'"},
      {"negate", "literal { shape { " + kF4 + "} f32s: [1, 2, 3, 4] }",
       "expected no literal but that of a constant"},
      {"negate", "called_computation_ids: 9", "expected 0 called_computation_ids, found 1"},
      {"fusion", "fusion_kind: \"kLoop\"", "expected 1 called_computation_ids, found 0"},
      {"call", "called_computation_ids: 5",
       "expected called_computation_ids of the module, found 5"},
      {"call", "called_computation_ids: 9", "leads back to computation e"},
      // A missing field is 0 or empty, which has a meaning of its own.
      {"transpose", "", "expected 2 dimensions of the transpose",
       "element_type: 11 dimensions: [3, 2] ", kF23},
      {"dot", "operand_ids: 1", "expected the field dot_dimension_numbers of a dot",
       "element_type: 11 dimensions: [4, 4] "},
      {"pad", "operand_ids: 1", "expected the field padding_config of a pad"},
      {"slice", "slice_dimensions { limit: 4 }", "found [0:4:0]"},
      {"triangular-solve", "operand_ids: 1",
       "expected a known value of transpose_a, found number 0", pair, pair},
      {"compare", "operand_ids: 1", "expected comparison_direction",
       "element_type: 1 dimensions: 4 "},
      {"iota", "dimensions: 0", "expected 0 operands of iota"},
      {"fusion", "called_computation_ids: 9", "expected fusion_kind"},
  });
}

TEST(HloProtoRefuses, ValuesThatAreNone) {
  Check({
      // Numbers of enums.
      {"fft", "fft_type: 7 fft_length: 4", "expected a known value of fft_type, found number 7"},
      {"fft", "fft_type: -1 fft_length: 4", "expected a known value of fft_type, found number -1"},
      {"custom-call", "custom_call_api_version: 9",
       "expected a known value of api_version, found number 9"},
      {"custom-call", "custom_call_schedule: 9",
       "expected a known value of schedule, found number 9"},
      {"exponential", "result_accuracy { mode: 5 }",
       "expected a known result_accuracy, found number 5"},
      // Fields that exclude each other.
      {"negate", "sharding { type: 9 }", "expected a known sharding, found number 9"},
      {"custom-call", "gather_dimension_numbers { } scatter_dimension_numbers { }",
       "expected an attribute that custom-call is known to have, found 'index_vector_dim'"},
      {"collective-broadcast", "replica_groups { } collective_device_list { }",
       "expected one list of replica groups, found several"},
      {"collective-broadcast", "mesh_axes_replica_group_list: \"x\"",
       "expected replica groups as lists, found axes of a mesh"},
      {"custom-call", "operand_shapes_with_layout { " + kF4 + "}", "expected constrain_layout"},
      // Text in the place of a word.
      {"negate(%p), to_apply=%x", "", "expected an opcode, of letters, digits"},
      {"slice-start", "", "expected an opcode, found 'slice-start'"},
      {"compare", "operand_ids: 1 comparison_direction: \"LT, type=TOTALORDER\"",
       "expected comparison_direction, of letters"},
      {"compare", "operand_ids: 1 comparison_direction: \"LT\" comparison_type: \"SIGNED\"",
       "expected a type of comparison that suits f32[4], found SIGNED",
       "element_type: 1 dimensions: 4 "},
      {"fusion", "called_computation_ids: 9 fusion_kind: \"kLoop, index=1\"",
       "expected fusion_kind, of letters"},
      {"negate", "frontend_attributes { map { key: \"a}, index=1\" } }",
       "expected the key of a frontend attribute"},
  });
}

TEST(HloProtoRefuses, OperandsAndShapes) {
  Check({
      // Operands.
      {"parameter", "", "expected no operands of a parameter"},
      {"constant", "", "expected no operands of a constant"},
      {"negate", "operand_ids: 7",
       "expected an operand to be an instruction before it in its computation, found id 7"},
      {"negate", "operand_ids: 2", "found id 2"},
      {"negate", "operand_ids: 1", "as HLO: expected 1 operands"},
      {"negate", "control_predecessor_ids: 7",
       "expected a control predecessor to be an instruction"},
      {"async-done", "called_computation_ids: 9",
       "expected called_computation_ids to be those of the async-start"},
      // Shapes.
      {"negate", "", "expected a known element type, found number 0", ""},
      {"negate", "", "expected a known element type, found number 35",
       "element_type: 35 dimensions: 4 "},
      {"negate", "", "expected a known element type, found number -1",
       "element_type: -1 dimensions: 4 "},
      {"negate", "", "expected a size of at least 0, found -4", "element_type: 11 dimensions: -4 "},
      {"negate", "", "expected sizes of arrays alone", "element_type: 13 dimensions: 4 "},
      {"negate", "", "expected no layout of a tuple", "element_type: 13 layout { }"},
      {"negate", "", "expected elements of tuples alone", kF4 + "tuple_shapes { " + kF4 + "}"},
      {"negate", "", "expected is_dynamic_dimension to be empty or to have 1 values, found 2",
       kF4 + "is_dynamic_dimension: [true, false] "},
      {"negate", "", "expected a layout that names each of the 1 dimensions once, found 2",
       kF4 + "layout { minor_to_major: [0, 1] }"},
      {"negate", "", "expected shapes like", kF4 + "layout { minor_to_major: 5 }"},
      {"negate", "", "expected the layout of a dense array",
       kF4 + "layout { minor_to_major: 0 dim_level_types: 1 }"},
      {"negate", "", "expected the layout of a dense array",
       kF4 + "layout { minor_to_major: 0 dim_unique: false }"},
      {"negate", "", "expected a layout without metadata",
       kF4 + "layout { minor_to_major: 0 dynamic_shape_metadata_prefix_bytes: 4 }"},
      {"negate", "", "as HLO: expected the shape f32[4] for negate, found f32[5]",
       "element_type: 11 dimensions: 5 "},
  });
}

TEST(HloProtoRefuses, Convolutions) {
  auto conv = [](const std::string& window, const std::string& numbers) {
    const std::string image = "element_type: 11 dimensions: [1, 1, 4] ";
    return Read(EntryOf(
        Op(1, "p", "parameter", image) +
            Op(2, "w", "parameter", "element_type: 11 dimensions: [1, 1, 1] ",
               "parameter_number: 1") +
            Op(3, "r", "convolution", image,
               "operand_ids: [1, 2] window { dimensions { size: 1 " + window + " } } " + numbers),
        3));
  };
  const std::string steps = "stride: 1 window_dilation: 1 base_dilation: 1 ";
  const std::string input = "input_feature_dimension: 1 input_spatial_dimensions: 2 ";
  const std::string rest =
      "kernel_output_feature_dimension: 1 kernel_spatial_dimensions: 2 "
      "output_feature_dimension: 1 output_spatial_dimensions: 2 } ";
  const std::string numbers = "convolution_dimension_numbers { " + input + rest;
  EXPECT_THAT(conv(steps, numbers), HasSubstr("window={size=1}, dim_labels=bf0_io0->bf0"));
  EXPECT_THAT(conv("", numbers), HasSubstr("strides and dilations of a window of at least 1"));
  EXPECT_THAT(conv("stride: 1 window_dilation: 1", numbers), HasSubstr("of at least 1"));
  EXPECT_THAT(conv(steps, ""), HasSubstr("expected the field convolution_dimension_numbers"));
  // Two roles of one dimension; the batch is dimension 0.
  EXPECT_THAT(conv(steps, "convolution_dimension_numbers { input_spatial_dimensions: 2 " + rest),
              HasSubstr("expected convolution_dimension_numbers that give each dimension one role, "
                        "found 0 for 'f'"));
  EXPECT_THAT(conv(steps, numbers + "batch_group_count: -1"),
              HasSubstr("group counts of at least 1"));
  EXPECT_THAT(conv(steps, numbers + "precision_config { operand_precision: [0, 0, 1] }"),
              HasSubstr("expected at most one precision for each operand"));
  EXPECT_THAT(conv(steps, numbers + "sparsity_config { }"), HasSubstr("dim_labels=bf0_io0->bf0"));
  EXPECT_THAT(conv(steps, numbers + "precision_config { operand_precision: [9, 0] }"),
              HasSubstr("expected a known precision, found number 9"));
}

TEST(HloProtoRefuses, Literals) {
  auto constant = [](const std::string& literal, const std::string& shape = kS4) {
    return Read(EntryOf(Op(2, "r", "constant", shape, literal), 2));
  };
  const std::string s4 = "literal { shape { " + kS4 + "} ";
  EXPECT_THAT(constant(""), HasSubstr("expected a constant with a literal"));
  EXPECT_THAT(constant("literal { }"), HasSubstr("expected a known element type"));
  EXPECT_THAT(constant(s4 + "s32s: [1, 2, 3] }"),
              HasSubstr("expected 16 bytes for s32[4], found 12"));
  EXPECT_THAT(constant(s4 + "s32s: [1, 2, 3, 4, 5] }"), HasSubstr("found 20"));
  EXPECT_THAT(constant(s4 + "s32s: [1, 2, 3, 4] u32s: 1 }"),
              HasSubstr("expected no field but s32s in a literal, found u32s"));
  EXPECT_THAT(constant(s4 + "u32s: [1, 2, 3, 4] }"), HasSubstr("found u32s"));
  EXPECT_THAT(constant(s4 + "s32s: [1, 2, 3, 4] }", kF4),
              HasSubstr("expected a literal of shape f32[4], found one of s32[4]"));
  // A literal in another order, or in none.
  const std::string s22 = "element_type: 4 dimensions: [2, 2] ";
  const std::string rows = "layout { minor_to_major: [1, 0] } ";
  const std::string columns = "layout { minor_to_major: [0, 1] } ";
  const std::string values = "} s32s: [1, 2, 3, 4] }";
  EXPECT_THAT(constant("literal { shape { " + s22 + columns + values, s22 + rows),
              HasSubstr("expected a literal of shape s32[2,2]{1,0}, found one of s32[2,2]{0,1}"));
  EXPECT_THAT(constant("literal { shape { " + s22 + values, s22 + rows),
              HasSubstr("expected a literal with a layout"));
  // Two numbers in a byte, as other formats have them.
  const std::string narrow = "element_type: 21 dimensions: 2 ";
  EXPECT_THAT(constant("literal { shape { " + narrow + "} s4s: \"\\x21\" }", narrow),
              HasSubstr("expected 2 bytes for s4[2], found 1"));
  EXPECT_THAT(constant("literal { shape { " + narrow + "} s4s: \"\\x21\\x03\" }", narrow),
              HasSubstr("expected elements that s4 holds"));
  const std::string tuple = "element_type: 13 tuple_shapes { element_type: 4 } ";
  EXPECT_THAT(constant("literal { shape { " + tuple + "} }", tuple),
              HasSubstr("expected 1 literals in a tuple, found 0"));
  const std::string dynamic = kS4 + "is_dynamic_dimension: true ";
  EXPECT_THAT(constant("literal { shape { " + dynamic + values, dynamic),
              HasSubstr("expected a literal without dynamic sizes"));
  // No memory is taken for what the file does not have.
  const std::string huge = "element_type: 2 dimensions: 4611686018427387904 ";
  EXPECT_THAT(constant("literal { shape { " + huge + "} s8s: \"a\" }", huge), HasSubstr("found 1"));
  const std::string token = "element_type: 17 ";
  EXPECT_THAT(constant("literal { shape { " + token + "} }", token),
              HasSubstr("expected a literal of arrays"));
}

TEST(HloProtoRefuses, Graphs) {
  const std::string p = Op(1, "p", "parameter", kF4);
  const std::string module = "t.pb:1:1: error: HLO proto: ";
  EXPECT_THAT(Read(EntryOf(p + Op(1, "r", "negate", kF4, "operand_ids: 1"), 1)),
              StartsWith(std::string(kAt) + "expected a new id, found 1"));
  EXPECT_THAT(Read(EntryOf(p, 3)), StartsWith(module + "computation 'e': expected root_id to be"));
  // The operand is one of another computation.
  EXPECT_THAT(Read(EntryOf(p + Op(2, "r", "negate", kF4, "operand_ids: 5"), 2,
                           ComputationOf(4, "o", 5, Op(5, "q", "parameter", kF4)))),
              StartsWith(std::string(kAt) + "expected an operand to be an instruction before it"));
  EXPECT_THAT(Read(EntryOf(Op(2, "r", "negate", kF4, "operand_ids: 3") +
                               Op(3, "s", "negate", kF4, "operand_ids: 2") + p,
                           2)),
              HasSubstr("expected an operand to be an instruction before it"));
  EXPECT_THAT(Read(EntryOf(p + Op(2, "p", "negate", kF4, "operand_ids: 1"), 2)),
              HasSubstr("expected a new name, found 'p'"));
  EXPECT_THAT(Read(EntryOf(p + Op(2, "a b", "negate", kF4, "operand_ids: 1"), 2)),
              HasSubstr("expected the name of an instruction, of letters"));
  EXPECT_THAT(Read(EntryOf(Op(1, "r", "parameter", kF4, "parameter_number: 1"), 1)),
              HasSubstr("host_program_shape"));
  EXPECT_THAT(Read(EntryOf(p, 1, ComputationOf(9, "f", 1, p))), HasSubstr("expected a new id"));
  EXPECT_THAT(Read(EntryOf(p, 1, ComputationOf(8, "e", 1, p))), HasSubstr("expected a new name"));
  EXPECT_THAT(Read(EntryOf(p, 1, ComputationOf(8, "", 1, p))), HasSubstr("name of a computation"));
  EXPECT_THAT(Read(EntryOf("", 1, ComputationOf(8, "f", 1, p))), HasSubstr("root_id"));
}

TEST(HloProtoRefuses, Headers) {
  const std::string p = Op(1, "p", "parameter", kF4) + Op(2, "r", "negate", kF4, "operand_ids: 1");
  auto with = [&](const std::string& fields) { return Read(EntryOf(p, 2, "", fields)); };
  EXPECT_THAT(Read(Parse("name: \"m\" " + ComputationOf(9, "e", 2, p))),
              HasSubstr("expected entry_computation_id to be the id of a computation, found 0"));
  EXPECT_THAT(with("entry_computation_name: \"f\" "),
              HasSubstr("found the name 'f' and the id of 'e'"));
  EXPECT_THAT(with("schedule { sequences { key: 9 value { instruction_ids: [1] } } } "),
              HasSubstr("expected a schedule of all 2 instructions, found one of 1"));
  EXPECT_THAT(with("schedule { sequences { key: 9 value { instruction_ids: [1, 1] } } } "),
              HasSubstr("expected a schedule that names each instruction once, found id 1"));
  EXPECT_THAT(with("schedule { sequences { key: 9 value { instruction_ids: [2, 1] } } } "),
              HasSubstr("expected an operand to be an instruction before it"));
  EXPECT_THAT(with("schedule { sequences { key: 3 value { } } } "), HasSubstr("found one of id 3"));
  EXPECT_THAT(with("input_output_alias { entries { } } "), HasSubstr("found kind 0"));
  EXPECT_THAT(with("device_assignment { replica_count: 0 computation_count: 1 } "),
              HasSubstr("at least 1 as the value of replica_count, found 0"));
  EXPECT_THAT(with("host_program_shape { result { " + kF4 + "} } "),
              HasSubstr("to have the shape of parameter 0, 'p'"));
  EXPECT_THAT(with("host_program_shape { parameters { " + kF4 + "} result { " + kF23 + "} } "),
              HasSubstr("shape of the entry's result"));
  EXPECT_THAT(with("host_program_shape { parameters { " + kF4 + "} parameters { " + kF4 +
                   "} result { " + kF4 + "} } "),
              HasSubstr("expected host_program_shape to have 1 parameters, found 2"));
  HloModuleProto module = EntryOf(p, 2);
  module.clear_host_program_shape();
  EXPECT_THAT(Read(module), HasSubstr("expected a host_program_shape"));
}

TEST(HloProtoRefuses, IotaWithoutADimension) {
  EXPECT_THAT(Read(EntryOf(Op(2, "r", "iota", kF4), 2)),
              HasSubstr("expected the attribute iota_dimension"));
  EXPECT_THAT(Read(EntryOf(Op(2, "r", "iota", kF4, "dimensions: [0, 0]"), 2)),
              HasSubstr("expected one dimension of iota"));
}

TEST(HloProtoRefuses, DevicesThatAreNotCounted) {
  EXPECT_THAT(Read(EntryOf(Op(2, "r", "partition-id", "element_type: 8 "), 2)),
              HasSubstr("computation 'e': expected a device_assignment"));
}

TEST(HloProtoRefuses, FieldsThatAreNotKnown) {
  auto unknown = [](google::protobuf::Message* message, HloModuleProto& module) {
    message->GetReflection()->MutableUnknownFields(message)->AddVarint(1000, 0);
    std::string read = Read(module);
    message->GetReflection()->MutableUnknownFields(message)->Clear();
    return read;
  };
  HloModuleProto module = Unary("negate", "sharding { } metadata { }");
  Computation& entry = *module.mutable_computations(0);
  Instruction& op = *entry.mutable_instructions(1);
  const std::string known =
      "t.pb:1:1: error: HLO proto: expected fields that affirm reads, found field 1000 of ";
  EXPECT_EQ(unknown(&module, module), known + "HloModuleProto");
  EXPECT_EQ(unknown(&entry, module), known + "Computation 'e'");
  EXPECT_EQ(unknown(&op, module), known + "Instruction 'r'");
  EXPECT_EQ(unknown(op.mutable_shape(), module), known + "Shape in shape 'r'");
  EXPECT_EQ(unknown(op.mutable_sharding(), module), known + "OpSharding in sharding 'r'");
  EXPECT_EQ(unknown(op.mutable_sparsity_config(), module), known + "Empty in sparsity_config 'r'");
  op.clear_sparsity_config();
  EXPECT_THAT(unknown(op.mutable_metadata(), module), StartsWith("HloModule m"));
}

TEST(HloProtoRefuses, FilesThatAreNone) {
  const HloModuleProto module = Unary("negate", "");
  HloProto proto;
  *proto.mutable_hlo_module() = module;
  const std::string bytes = proto.SerializeAsString(), none = "bytes that are none";
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THAT(ReadBytes(bytes.substr(0, size)), HasSubstr(none)) << size;
  // The end of a module alone may lack whole fields.
  const std::string alone = module.SerializeAsString();
  for (size_t size = 0; size < alone.size(); ++size)
    EXPECT_THAT(
        ReadBytes(alone.substr(0, size)),
        AnyOf(HasSubstr(none), HasSubstr("host_program_shape"), HasSubstr("entry_computation_id")))
        << size;
  EXPECT_THAT(ReadBytes(alone + alone), HasSubstr("expected a new id"));
  EXPECT_THAT(ReadBytes(std::string("\x0A\xFF\xFF\xFF\xFF\x7F\x00", 7)), HasSubstr(none));
  // The name of a module is a module.
  HloModuleProto both = module;
  both.set_name(module.SerializeAsString());
  EXPECT_THAT(Read(both), HasSubstr("found field 4 of HloProto"));
  HloModuleProto unnamed = module;
  unnamed.clear_name();
  EXPECT_THAT(ReadBytes(bytes + std::string("\x0A\x00", 2) + unnamed.SerializeAsString()),
              HasSubstr("found bytes that are several"));
  // Deeper than protocol buffers read.
  HloModuleProto deep = EntryOf(Op(1, "r", "parameter", "element_type: 13 "), 1);
  Shape* shape = deep.mutable_computations(0)->mutable_instructions(0)->mutable_shape();
  for (int i = 0; i < 200; ++i) {
    shape = shape->add_tuple_shapes();
    shape->set_element_type(13);
  }
  EXPECT_THAT(Read(deep), HasSubstr("at most 100 nested messages"));
}

// Any byte of a module may be another.
TEST(HloProtoRefuses, ChangedBytesAreReadOrRefused) {
  const std::string bytes =
      Unary("custom-call",
            "custom_call_target: \"f\" backend_config: \"{}\" sharding { type: 3 "
            "tile_assignment_dimensions: 2 tile_assignment_devices: [0, 1] }")
          .SerializeAsString();
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(value);
      EXPECT_THAT(ReadBytes(changed),
                  AnyOf(StartsWith("t.pb:1:1: error: HLO proto: "), StartsWith("HloModule ")));
    }
  }
}

}  // namespace
}  // namespace affirm::hlo_proto
