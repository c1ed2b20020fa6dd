// XLA's protos are read as the modules that XLA reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "core/hlo/module.h"
#include "tests/hlo_proto/protos.h"

namespace affirm::hlo_proto {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Constant(const std::string& shape, const std::string& literal) {
  return Read(EntryOf(
      Op(0, "c", "constant", shape, "literal { shape { " + shape + "} " + literal + " }"), 0));
}

TEST(HloProto, MessagesThatHoldAModule) {
  const HloModuleProto module = Unary("negate", "");
  const std::string text = Read(module);
  EXPECT_THAT(text, HasSubstr("ENTRY %e {\n  %p = f32[4] parameter(0)\n  ROOT %r = f32[4] negate"));
  HloProto proto;
  *proto.mutable_hlo_module() = module;
  proto.set_buffer_assignment("\x08\x01");
  EXPECT_EQ(Read(proto), text);
  HloSnapshot snapshot;
  *snapshot.mutable_hlo() = proto;
  snapshot.set_execution_platform("Host");
  EXPECT_EQ(Read(snapshot), text);
  for (const std::string& bytes :
       {module.SerializeAsString(), proto.SerializeAsString(), snapshot.SerializeAsString()})
    EXPECT_TRUE(IsHloProto(bytes));
  for (const char* words : {"HloModule m", "\nHloModule m\n", "  // text\n", "module {\n}", ""})
    EXPECT_FALSE(IsHloProto(words));
}

TEST(HloProto, TextFormatIsToldFromHlo) {
  const HloModuleProto module = Unary("negate", "");
  HloProto proto;
  *proto.mutable_hlo_module() = module;
  HloSnapshot snapshot;
  *snapshot.mutable_hlo() = proto;
  for (const google::protobuf::Message* message :
       {static_cast<const google::protobuf::Message*>(&module),
        static_cast<const google::protobuf::Message*>(&proto),
        static_cast<const google::protobuf::Message*>(&snapshot)}) {
    std::string text;
    ASSERT_TRUE(google::protobuf::TextFormat::PrintToString(*message, &text));
    EXPECT_TRUE(IsTextFormat(text)) << text;
    EXPECT_TRUE(IsTextFormat("# proto-file: hlo.proto\n\n# proto-message: HloProto\n" + text));
    EXPECT_FALSE(IsHloProto(text)) << text;
  }
  EXPECT_TRUE(IsTextFormat("hlo_module: {\n  name: \"f\"\n}\n"));
  EXPECT_TRUE(IsTextFormat("hlo {\n  hlo_module {\n    name : 'f'\n"));
  for (const char* hlo : {"HloModule name", "hlo_module {\n  ROOT p = f32[] parameter(0)\n}",
                          "name {\n  p = f32[] parameter(0)\n  ROOT n = f32[] negate(p)\n}",
                          "ENTRY id {\n}", "id = f32[] parameter(0)", "module {\n}", "hlo {\n}",
                          "name (p: f32[]) -> f32[] {\n}", "name", "hlo_module {", "#", ""})
    EXPECT_FALSE(IsTextFormat(hlo)) << hlo;
}

TEST(HloProto, IdsNeedNotCountUp) {
  const int64_t high = int64_t{7} << 32;
  const std::string text = Read(EntryOf(
      Op(high + 5, "b", "parameter", kF4, "parameter_number: 1") + Op(high, "a", "parameter", kF4) +
          Op(-3, "r", "subtract", kF4,
             "operand_ids: " + std::to_string(high) + " operand_ids: " + std::to_string(high + 5)),
      -3));
  EXPECT_THAT(text, HasSubstr("ROOT %r = f32[4] subtract(%a, %b)"));
}

TEST(HloProto, LiteralsStandInTheOrderOfTheirLayout) {
  const std::string values = "s32s: [1, 2, 3, 4, 5, 6]";
  const std::string s23 = "element_type: 4 dimensions: 2 dimensions: 3 ";
  const std::string rows = "layout { minor_to_major: [1, 0] } ";
  const std::string columns = "layout { minor_to_major: [0, 1] } ";
  EXPECT_THAT(Constant(s23 + rows, values), HasSubstr("{{1, 2, 3}, {4, 5, 6}}"));
  EXPECT_THAT(Constant(s23 + columns, values), HasSubstr("{{1, 3, 5}, {2, 4, 6}}"));
}

TEST(HloProto, LiteralsOfEachType) {
  auto of = [](int type, const std::string& literal) {
    return Constant("element_type: " + std::to_string(type) + " dimensions: 2 ", literal);
  };
  EXPECT_THAT(of(1, "preds: true preds: false"), HasSubstr("constant({true, false})"));
  EXPECT_THAT(of(2, R"(s8s: "\x80\x7F")"), HasSubstr("constant({-128, 127})"));
  EXPECT_THAT(of(3, R"(s16s: "\x00\x80\xFF\x7F")"), HasSubstr("constant({-32768, 32767})"));
  EXPECT_THAT(of(5, "s64s: [-9223372036854775808, 7]"), HasSubstr("{-9223372036854775808, 7}"));
  EXPECT_THAT(of(6, R"(u8s: "\x80\x7F")"), HasSubstr("constant({128, 127})"));
  EXPECT_THAT(of(7, R"(u16s: "\x00\x80\xFF\x7F")"), HasSubstr("constant({32768, 32767})"));
  EXPECT_THAT(of(8, "u32s: [4294967295, 0]"), HasSubstr("constant({4294967295, 0})"));
  EXPECT_THAT(of(9, "u64s: [18446744073709551615, 0]"), HasSubstr("{18446744073709551615, 0}"));
  EXPECT_THAT(of(10, R"(f16s: "\x00\x3C\x00\xBC")"), HasSubstr("constant({1, -1})"));
  EXPECT_THAT(of(16, R"(bf16s: "\x80\x3F\x80\xBF")"), HasSubstr("constant({1, -1})"));
  EXPECT_THAT(of(12, "f64s: [0.1, -inf]"), HasSubstr("constant({0.1, -inf})"));
  EXPECT_THAT(of(15, "c64s: [1, 2, 3, 4]"), HasSubstr("constant({(1, 2), (3, 4)})"));
  EXPECT_THAT(of(18, "c128s: [1, 2, 3, 4]"), HasSubstr("constant({(1, 2), (3, 4)})"));
  EXPECT_THAT(of(19, R"(f8e5m2s: "\x3C\xBC")"), HasSubstr("constant({1, -1})"));
  EXPECT_THAT(of(20, R"(f8e4m3fns: "\x38\xB8")"), HasSubstr("constant({1, -1})"));
  EXPECT_THAT(of(23, R"(f8e4m3b11fnuzs: "\x58\xD8")"), HasSubstr("constant({1, -1})"));
  EXPECT_THAT(of(24, R"(f8e5m2fnuzs: "\x40\xC0")"), HasSubstr("constant({1, -1})"));
  EXPECT_THAT(of(25, R"(f8e4m3fnuzs: "\x40\xC0")"), HasSubstr("constant({1, -1})"));
  EXPECT_THAT(of(28, R"(f8e4m3s: "\x38\xB8")"), HasSubstr("constant({1, -1})"));
  EXPECT_THAT(of(29, R"(f8e3m4s: "\x30\xB0")"), HasSubstr("constant({1, -1})"));
  EXPECT_THAT(of(32, R"(f4e2m1fns: "\x02\x0A")"), HasSubstr("constant({1, -1})"));
  EXPECT_THAT(of(33, R"(f8e8m0fnus: "\x7F\x80")"), HasSubstr("constant({1, 2})"));
  // One byte each; the sign may be repeated in the high bits.
  EXPECT_THAT(of(21, R"(s4s: "\x0E\xFE")"), HasSubstr("constant({-2, -2})"));
  EXPECT_THAT(of(22, R"(u4s: "\x0E\x01")"), HasSubstr("constant({14, 1})"));
  EXPECT_THAT(of(26, R"(s2s: "\x03\x01")"), HasSubstr("constant({-1, 1})"));
  EXPECT_THAT(of(27, R"(u2s: "\x03\x01")"), HasSubstr("constant({3, 1})"));
  EXPECT_THAT(of(30, R"(s1s: "\x01\x00")"), HasSubstr("constant({-1, 0})"));
  EXPECT_THAT(of(31, R"(u1s: "\x01\x00")"), HasSubstr("constant({1, 0})"));
}

TEST(HloProto, EveryBitOfANanIsKept) {
  HloModuleProto module =
      EntryOf(Op(0, "c", "constant", "element_type: 11 dimensions: 3 ",
                 "literal { shape { element_type: 11 dimensions: 3 } f32s: [0, 0, 0] }"),
              0);
  const uint32_t patterns[] = {0x7F800001, 0xFFC12345, 0x7FBFFFFF};  // signaling ones, too
  auto& values = *module.mutable_computations(0)->mutable_instructions(0)->mutable_literal();
  std::memcpy(values.mutable_f32s()->mutable_data(), patterns, sizeof(patterns));
  auto read = ReadModule(module.SerializeAsString(), "t.pb");
  ASSERT_TRUE(static_cast<bool>(read));
  const hlo::Literal& literal = *(*read)->entry->root->literal;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(literal.Get<uint32_t>(i), patterns[i]);
}

TEST(HloProto, TuplesOfLiterals) {
  const std::string shape =
      "element_type: 13 tuple_shapes { element_type: 11 } tuple_shapes { "
      "element_type: 13 tuple_shapes { element_type: 4 dimensions: 2 } } ";
  EXPECT_THAT(Constant(shape,
                       "tuple_literals { shape { element_type: 11 } f32s: 1.5 } "
                       "tuple_literals { shape { element_type: 13 tuple_shapes { "
                       "element_type: 4 dimensions: 2 } } tuple_literals { shape { "
                       "element_type: 4 dimensions: 2 } s32s: [1, 2] } }"),
              HasSubstr("(f32[], (s32[2])) constant((1.5, ({1, 2})))"));
}

TEST(HloProto, ShapesAndLayouts) {
  auto shape = [](const std::string& of) { return Read(EntryOf(Op(1, "p", "parameter", of), 1)); };
  EXPECT_THAT(shape(kF23 + "is_dynamic_dimension: [false, true] "), HasSubstr("p = f32[2,<=3] "));
  EXPECT_THAT(
      shape("element_type: 11 dimensions: -9223372036854775808 is_dynamic_dimension: true "),
      HasSubstr("p = f32[?] "));
  EXPECT_THAT(shape(kF23 + "layout { minor_to_major: [0, 1] tiles { dimensions: [8, 128] } tiles { "
                           "dimensions: [2, 1] } tail_padding_alignment_in_elements: 512 "
                           "element_size_in_bits: 4 memory_space: 5 split_configs { dimension: 1 "
                           "split_indices: 2 } }"),
              HasSubstr("p = f32[2,3]{0,1:T(8,128)(2,1)L(512)E(4)S(5)SC(1:2)} "));
  EXPECT_THAT(shape("element_type: 13 tuple_shapes { element_type: 17 } tuple_shapes { "
                    "element_type: 14 } tuple_shapes { element_type: 34 tuple_shapes { "
                    "element_type: 8 } } "),
              HasSubstr("p = (token[], opaque[], b(u32[])) "));
}

// A field without elements is not in the proto, and an attribute that text must have.
TEST(HloProto, FieldsWithoutElements) {
  const std::string scalar = "element_type: 11 ";
  for (const auto& [opcode, text] :
       {std::pair<std::string, std::string>("transpose", "dimensions={}"),
        {"reverse", "dimensions={}"},
        {"slice", "slice={}"},
        {"dynamic-slice", "dynamic_slice_sizes={}"}})
    EXPECT_THAT(Read(Unary(opcode, "", scalar, scalar)), HasSubstr(opcode + "(%p), " + text));
  EXPECT_THAT(Read(EntryOf(Op(1, "p", "parameter", scalar) +
                               Op(2, "q", "pad", scalar, "operand_ids: [1, 1] padding_config { }"),
                           2)),
              HasSubstr("pad(%p, %p), padding="));
  EXPECT_THAT(Read(EntryOf(Op(1, "p", "parameter", kF4) +
                               Op(2, "i", "parameter", "element_type: 4 ", "parameter_number: 1") +
                               Op(3, "g", "gather", scalar,
                                  "operand_ids: [1, 2] gather_slice_sizes: 1 "
                                  "gather_dimension_numbers { collapsed_slice_dims: 0 "
                                  "start_index_map: 0 }"),
                           3)),
              HasSubstr("gather(%p, %i), offset_dims={}, collapsed_slice_dims={0}"));
}

// XLA of jaxlib 0.12 writes the order of each comparison, and no type.
TEST(HloProto, OrdersOfComparisons) {
  const auto compare = [](const std::string& type, const std::string& fields) {
    return Read(EntryOf(Op(1, "p", "parameter", type) +
                            Op(2, "c", "compare", "element_type: 1 ",
                               "operand_ids: [1, 1] comparison_direction: \"LT\" " + fields),
                        2));
  };
  const std::string f32 = "element_type: 11 ", s32 = "element_type: 4 ";
  EXPECT_THAT(compare(f32, "comparison_order: \"PARTIAL\""), HasSubstr("direction=LT\n"));
  EXPECT_THAT(compare(f32, "comparison_order: \"TOTAL\""),
              HasSubstr("direction=LT, type=TOTALORDER\n"));
  EXPECT_THAT(compare(s32, "comparison_order: \"TOTAL\""), HasSubstr("direction=LT\n"));
  EXPECT_THAT(compare(f32, "comparison_type: \"TOTALORDER\" comparison_order: \"TOTAL\""),
              HasSubstr("direction=LT, type=TOTALORDER\n"));
  EXPECT_THAT(compare(f32, "comparison_type: \"TOTALORDER\" comparison_order: \"PARTIAL\""),
              HasSubstr("expected a comparison_order that suits the comparison_type"));
  EXPECT_THAT(compare(f32, "comparison_type: \"FLOAT\" comparison_order: \"TOTAL\""),
              HasSubstr("expected a comparison_order that suits the comparison_type"));
  EXPECT_THAT(compare(f32, "comparison_order: \"SOME\""), HasSubstr("TOTAL or PARTIAL"));
  EXPECT_THAT(compare(f32, "block_scaling_config { }"), HasSubstr("direction=LT\n"));
}

TEST(HloProto, CallsAreInTheOrderOfXla) {
  const std::string state = "element_type: 4 ";
  const std::string body = ComputationOf(
      1, "again", 11,
      Op(10, "s", "parameter", state) + Op(11, "n", "negate", state, "operand_ids: 10"));
  const std::string test = ComputationOf(
      2, "go", 22,
      Op(20, "s", "parameter", state) + Op(22, "c", "compare", "element_type: 1 ",
                                           "operand_ids: [20, 20] comparison_direction: \"LT\" "
                                           "comparison_type: \"SIGNED\""));
  EXPECT_THAT(
      Read(EntryOf(Op(1, "p", "parameter", state) +
                       Op(2, "w", "while", state, "operand_ids: 1 called_computation_ids: [1, 2]"),
                   2, body + test)),
      AllOf(HasSubstr("while(%p), condition=%go, body=%again"),
            HasSubstr("compare(%s, %s), direction=LT\n")));
  const std::string other = ComputationOf(3, "same", 30, Op(30, "s", "parameter", state));
  EXPECT_THAT(Read(EntryOf(Op(1, "p", "parameter", "element_type: 1 ") +
                               Op(2, "x", "parameter", state, "parameter_number: 1") +
                               Op(3, "r", "conditional", state,
                                  "operand_ids: [1, 2, 2] called_computation_ids: [1, 3]"),
                           3, body + other)),
              HasSubstr("true_computation=%again, false_computation=%same"));
  EXPECT_THAT(Read(EntryOf(Op(1, "p", "parameter", state) +
                               Op(3, "r", "conditional", state,
                                  "operand_ids: [1, 1, 1] called_computation_ids: [3, 1]"),
                           3, body + other)),
              HasSubstr("branch_computations={%same, %again}"));
}

TEST(HloProto, TheScheduleIsTheOrder) {
  const std::string ops =
      Op(1, "p", "parameter", kF4) + Op(2, "a", "negate", kF4, "operand_ids: 1") +
      Op(3, "b", "abs", kF4, "operand_ids: 1") + Op(4, "r", "add", kF4, "operand_ids: [2, 3]");
  // A later entry of a map replaces an earlier one.
  const std::string schedule =
      "schedule { sequences { key: 9 value { instruction_ids: 1 } } "
      "sequences { key: 9 value { instruction_ids: [1, 3, 2, 4] } } } ";
  EXPECT_THAT(Read(EntryOf(ops, 4, "", schedule)),
              AllOf(HasSubstr("is_scheduled=true"),
                    HasSubstr("%b = f32[4] abs(%p)\n  %a = f32[4] negate(%p)\n  ROOT %r")));
}

TEST(HloProto, TheHeader) {
  const std::string text = Read(EntryOf(
      Op(1, "p", "parameter", kF4), 1, "",
      "input_output_alias { entries { parameter_number: 0 kind: 2 } } buffer_donor { entries { "
      "parameter_number: 0 } } device_assignment { replica_count: 2 computation_count: 3 } "));
  EXPECT_THAT(text, AllOf(HasSubstr("input_output_alias={ {}: (0, {}, must-alias) }"),
                          HasSubstr("buffer_donor={ (0, {}) }"),
                          HasSubstr("entry_computation_layout={(f32[4])->f32[4]}"),
                          HasSubstr("replica_count=2, num_partitions=3")));
}

TEST(HloProto, AttributesOfNumbers) {
  EXPECT_THAT(Read(Unary("slice", "slice_dimensions { start: 1 limit: 4 stride: 2 }",
                         "element_type: 11 dimensions: 2 ")),
              HasSubstr("slice={[1:4:2]}"));
  EXPECT_THAT(
      Read(Unary("transpose", "dimensions: [1, 0]", "element_type: 11 dimensions: [3, 2] ", kF23)),
      HasSubstr("dimensions={1,0}"));
  EXPECT_THAT(Read(Unary("reshape", "dimensions: 0")), Not(HasSubstr("error")));
  EXPECT_THAT(Read(Unary("reduce-precision", "exponent_bits: 5 mantissa_bits: 2")),
              HasSubstr("exponent_bits=5, mantissa_bits=2"));
  EXPECT_THAT(Read(Unary("exponential", "result_accuracy { mode: 0 }")),
              Not(HasSubstr("result_accuracy")));
  EXPECT_THAT(Read(Unary("exponential", "result_accuracy { mode: 1 }")),
              HasSubstr("result_accuracy={mode=highest}"));
  EXPECT_THAT(Read(Unary("exponential", "result_accuracy { tolerance { rtol: 0.5 ulps: 2 } }")),
              HasSubstr("result_accuracy={tolerance={atol=0,rtol=0.5,ulps=2}}"));
  EXPECT_THAT(Read(Unary("cholesky", "cholesky_options { }", "element_type: 11 dimensions: [2, 2] ",
                         "element_type: 11 dimensions: [2, 2] ")),
              HasSubstr("lower=false"));
  EXPECT_THAT(Read(Unary("fft", "fft_length: 4", "element_type: 15 dimensions: 4 ",
                         "element_type: 15 dimensions: 4 ")),
              HasSubstr("fft_type=FFT, fft_length={4}"));
  EXPECT_THAT(Read(Unary("topk", "k: 2",
                         "element_type: 13 tuple_shapes { element_type: 11 dimensions: 2 } "
                         "tuple_shapes { element_type: 4 dimensions: 2 } ")),
              HasSubstr("k=2, largest=false"));
}

TEST(HloProto, NumbersAreWrittenAsTextHasThem) {
  EXPECT_THAT(Read(EntryOf(Op(1, "p", "parameter", kF4) +
                               Op(2, "r", "batch-norm-inference", kF4,
                                  "operand_ids: [1, 1, 1, 1, 1] epsilon: 0.001 feature_index: 0"),
                           2)),
              HasSubstr("epsilon=0.001, feature_index=0"));
}

TEST(HloProto, SomeDevices) {
  auto reduce = [](const std::string& groups) {
    return Read(EntryOf(
        Op(1, "p", "parameter", kF4) +
            Op(2, "r", "all-reduce", kF4, "operand_ids: 1 called_computation_ids: 1 " + groups),
        2,
        ComputationOf(1, "sum", 3,
                      Op(1, "a", "parameter", kScalar) +
                          Op(2, "b", "parameter", kScalar, "parameter_number: 1") +
                          Op(3, "c", "add", kScalar, "operand_ids: [1, 2]")),
        "device_assignment { replica_count: 4 computation_count: 1 } "));
  };
  EXPECT_THAT(
      reduce("replica_groups { replica_ids: [0, 1] } replica_groups { replica_ids: [2, 3] }"),
      HasSubstr("replica_groups={{0,1},{2,3}}"));
  EXPECT_THAT(reduce("collective_device_list { replica_groups { replica_ids: [0, 1, 2, 3] } }"),
              HasSubstr("replica_groups={{0,1,2,3}}"));
  const std::string iota =
      "num_replica_groups: 2 num_devices_per_group: 2 iota_reshape_dims: [2, 2] "
      "iota_transpose_perm: [1, 0] ";
  EXPECT_THAT(reduce("iota_collective_device_list { " + iota + "}"),
              HasSubstr("replica_groups=[2,2]<=[2,2]T(1,0)"));
  EXPECT_THAT(reduce("collective_device_list { iota_replica_group_list { " + iota + "} }"),
              HasSubstr("replica_groups=[2,2]<=[2,2]T(1,0)"));
  EXPECT_THAT(reduce("channel_id: -1"),
              AllOf(HasSubstr("replica_groups={}"), Not(HasSubstr("channel_id"))));
}

TEST(HloProto, CustomCallsAndNotes) {
  const std::string text = Read(Unary(
      "custom-call",
      "custom_call_target: \"f\\\"g\" custom_call_api_version: 4 custom_call_schedule: 1 "
      "custom_call_has_side_effect: true constrain_layout: true operand_shapes_with_layout { " +
          kF4 +
          "layout { minor_to_major: 0 } } output_operand_aliasing { operand_index: 0 } "
          "backend_config: \"{\\\"a\\\": {\\\"b\\\": \\\"}\\\"}}\" frontend_attributes { map { "
          "key: \"k\" "
          "value: \"1\" } map { key: \"k\" value: \"2\\n\" } map { key: \"j\" value: \"{}\" } } "
          "sharding { type: 3 tile_assignment_dimensions: [2, 2] iota_reshape_dims: 4 "
          "iota_transpose_perm: 0 replicate_on_last_tile_dim: true } statistics_viz: \"x\" "
          "metadata { op_name: \"jit(f)/\\\"x\\\"\" source_line: 3 }"));
  EXPECT_THAT(text, HasSubstr("custom_call_target=\"f\\\"g\""));
  EXPECT_THAT(text, HasSubstr("operand_layout_constraints={f32[4]{0}}"));
  EXPECT_THAT(text, HasSubstr("output_to_operand_aliasing={{}: (0, {})}"));
  EXPECT_THAT(text, HasSubstr("schedule=SCHEDULE_LATEST, api_version=API_VERSION_TYPED_FFI"));
  EXPECT_THAT(text, HasSubstr("backend_config={\"a\": {\"b\": \"}\"}}"));
  EXPECT_THAT(text, HasSubstr("frontend_attributes={j={},k=\"2\\012\"}"));
  EXPECT_THAT(text, HasSubstr("sharding={devices=[2,2]<=[4] last_tile_dim_replicate}"));
  EXPECT_THAT(text, HasSubstr("metadata={op_name=\"jit(f)/\\\"x\\\"\" source_line=3}"));
  // A call whose version is not given is of no version, where text without one is of the first.
  EXPECT_THAT(Read(Unary("custom-call", "custom_call_target: \"f\"")),
              HasSubstr("api_version=API_VERSION_UNSPECIFIED"));
  EXPECT_THAT(Read(Unary("custom-call", "custom_call_target: \"f\" custom_call_api_version: 1")),
              Not(HasSubstr("api_version")));
}

TEST(HloProto, TextThatIsNoJsonIsQuoted) {
  auto config = [](const std::string& text) {
    return Read(Unary("custom-call", "custom_call_target: \"f\" backend_config: \"" + text + "\""));
  };
  EXPECT_THAT(config("{}"), HasSubstr(", backend_config={}\n"));
  EXPECT_THAT(config("{}, schedule=SCHEDULE_LATEST"),
              HasSubstr("backend_config=\"{}, schedule=SCHEDULE_LATEST\"\n"));
  EXPECT_THAT(config("{} /* x */"), HasSubstr("backend_config=\"{} /* x */\"\n"));
  EXPECT_THAT(config("{\\n// -----\\n}"), HasSubstr("backend_config=\"{\\012// -----\\012}\"\n"));
  EXPECT_THAT(config("{)"), HasSubstr("backend_config=\"{)\"\n"));
  EXPECT_THAT(config("x, index=1"), HasSubstr("backend_config=\"x, index=1\"\n"));
}

}  // namespace
}  // namespace affirm::hlo_proto
