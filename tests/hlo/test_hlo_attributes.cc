// Attributes: the parser knows each attribute of an op, or refuses the text.
#include <gtest/gtest.h>

#include <set>

#include "core/hlo/attribute_rules.h"
#include "core/hlo/text.h"

namespace affirm::hlo {
namespace {

// A module with one instruction of each kind that the tests below add attributes to.
std::string ModuleWith(const std::string& instruction) {
  return "HloModule m\n"
         "sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
         "more { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), "
         "direction=GT }\n"
         "ENTRY e {\n"
         "x = f32[4,4] parameter(0)\n"
         "n = s32[] parameter(1)\n"
         "c = f32[] constant(0)\n"
         "k = u64[2] parameter(2)\n"
         "v = f32[4] parameter(3)\n"
         "z = c64[4] parameter(4)\n"
         "b = s8[4,4] parameter(5)\n"
         "ROOT r = " +
         instruction + "\n}\n";
}

// The message, or "" when the text reads.
std::string ErrorOf(const std::string& text) {
  auto module = ParseModule(text, "t");
  return module ? "" : llvm::toString(module.takeError());
}

struct Case {
  const char* text;
  const char* attribute;
};

// Each of these reads, and an unknown attribute behind it is refused at its place.
const char* const kInstructions[] = {
    "f32[4,4] transpose(x), dimensions={1,0}",
    "f32[4,4] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    "f32[4,4] negate(x)",
    "f32[4,4] copy(x)",
    "f32[16] reshape(x)",
    "f32[4] reduce(x, c), dimensions={1}, to_apply=sum",
    "f32[4,4] broadcast(v), dimensions={0}",
    "f32[4,4] custom-call(x), custom_call_target=\"t\"",
    "f32[2,4] slice(x), slice={[0:2], [0:4]}",
    "f32[] constant(1)",
    "f32[4] iota(), iota_dimension=0",
};

TEST(HloAttributes, UnknownAttributesAreRefusedAtTheirLocation) {
  for (const std::string instruction : kInstructions) {
    const std::string text = ModuleWith(instruction);
    ASSERT_EQ(ErrorOf(text), "");
    for (const char* attribute : {"changes_meaning=true", "Dimensions={0}", "sparsity=L.0@2:4",
                                  "x={}", "metadata2={}", "dimension=0", "key=value"}) {
      const std::string where =
          "t:12:" + std::to_string(std::string("ROOT r = , ").size() + instruction.size() + 1);
      const std::string error = ErrorOf(ModuleWith(instruction + ", " + attribute));
      EXPECT_EQ(error.substr(0, where.size() + 17), where + ": error: expected")
          << instruction << ", " << attribute << "\n"
          << error;
      EXPECT_NE(error.find("is known to have"), std::string::npos) << error;
    }
  }
}

// The short form is read as what it stands for: the wrapped op keeps its attributes, and what it
// calls is not what the async-start calls.
TEST(HloAttributes, TheShortFormOfAsyncWrapsTheOp) {
  const std::string text = ModuleWith(
      "((f32[4,4], f32[]), f32[4], s32[]) reduce-start(x, c), dimensions={1}, to_apply=sum, "
      "async_execution_thread=\"main\", control-predecessors={v}, metadata={op_name=\"n\"}");
  auto module = ParseModule(text, "t");
  ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
  const Instruction& start = *(*module)->entry->root;
  EXPECT_EQ(start.opcode, Opcode::kAsyncStart);
  EXPECT_EQ(start.attributes.extra.size(), 3u);
  ASSERT_EQ(start.called.size(), 1u);
  EXPECT_EQ(start.called_as[0], "calls");
  const Instruction& reduce = *start.called[0]->root;
  EXPECT_EQ(reduce.opcode, Opcode::kReduce);
  EXPECT_EQ(reduce.attributes.dimensions, (std::vector<int64_t>{1}));
  EXPECT_EQ(reduce.called[0]->name, "sum");
  EXPECT_EQ(reduce.shape.ToString(false), "f32[4]");
  EXPECT_EQ(start.called[0]->parameters.size(), 2u);
  auto again = ParseModule(ToString(**module), "printed");
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  EXPECT_TRUE(SameModule(**module, **again));
  for (const char* bad : {
           "f32[4] reduce-start(x, c), dimensions={1}, to_apply=sum",
           "((f32[4,4], f32[]), f32[5], s32[]) reduce-start(x, c), dimensions={1}, to_apply=sum",
           "((f32[4,4], f32[]), f32[4], s32[]) reduce-start(x, c), to_apply=sum, slice={[0:1]}",
       }) {
    EXPECT_NE(ErrorOf(ModuleWith(bad)), "") << bad;
  }
}

// Values with which each attribute would read at an op that has it.
constexpr Case kOwned[] = {
    {"dimensions", "{0}"},
    {"iota_dimension", "0"},
    {"slice", "{[0:1]}"},
    {"dynamic_slice_sizes", "{1}"},
    {"padding", "0_0x0_0"},
    {"window", "{size=1x1}"},
    {"dim_labels", "bf_io->bf"},
    {"feature_group_count", "1"},
    {"batch_group_count", "1"},
    {"lhs_batch_dims", "{}"},
    {"lhs_contracting_dims", "{1}"},
    {"rhs_batch_dims", "{}"},
    {"rhs_contracting_dims", "{0}"},
    {"offset_dims", "{}"},
    {"index_vector_dim", "0"},
    {"slice_sizes", "{1}"},
    {"indices_are_sorted", "true"},
    {"unique_indices", "true"},
    {"is_stable", "true"},
    {"is_reverse", "true"},
    {"num_carries", "1"},
    {"direction", "EQ"},
    {"type", "FLOAT"},
    {"exponent_bits", "5"},
    {"mantissa_bits", "10"},
    {"index", "0"},
    {"kind", "kLoop"},
    {"custom_call_target", "\"t\""},
    {"replica_groups", "{{0}}"},
    {"channel_id", "1"},
    {"use_global_device_ids", "true"},
    {"source_target_pairs", "{{0,1}}"},
    {"algorithm", "dot_tf32_tf32_f32"},
    {"operand_precision", "{high,high}"},
    {"result_accuracy", "{mode=default}"},
    {"lower", "true"},
    {"left_side", "true"},
    {"unit_diagonal", "true"},
    {"transpose_a", "ADJOINT"},
    {"fft_type", "FFT"},
    {"fft_length", "{4}"},
    {"k", "1"},
    {"largest", "true"},
    {"epsilon", "0.1"},
    {"feature_index", "0"},
    {"distribution", "rng_uniform"},
    {"delta", "1"},
    {"lhs_ragged_dims", "{0}"},
    {"rhs_group_dims", "{0}"},
    {"to_apply", "sum"},
    {"calls", "sum"},
    {"condition", "sum"},
    {"body", "sum"},
    {"select", "more"},
    {"scatter", "sum"},
    {"branch_computations", "{sum}"},
    {"called_computations", "{sum}"},
    {"true_computation", "sum"},
    {"replica_count", "2"},
    {"is_scheduled", "true"},
    {"execution_thread", "\"main\""},
    {"parameter_replication", "{true}"},
    {"inferred_dimension", "0"},
    {"output_to_operand_aliasing", "{}"},
};

// The keys of kOwned that the instruction may have.
std::set<std::string> Accepted(const std::string& instruction) {
  std::set<std::string> accepted;
  for (const Case& c : kOwned) {
    const std::string error = ErrorOf(ModuleWith(instruction + ", " + c.text + "=" + c.attribute));
    if (error.find("is known to have") == std::string::npos) accepted.insert(c.text);
  }
  return accepted;
}

TEST(HloAttributes, AnAttributeOfAnotherOpIsRefused) {
  using Keys = std::set<std::string>;
  EXPECT_EQ(Accepted("f32[4,4] copy(x)"), Keys({"result_accuracy"}));
  EXPECT_EQ(Accepted("f32[4,4] add(x, x)"), Keys({"result_accuracy"}));
  EXPECT_EQ(Accepted("f32[4,4] transpose(x)"), Keys({"dimensions"}));
  EXPECT_EQ(Accepted("f32[16] reshape(x)"), Keys({"inferred_dimension"}));
  EXPECT_EQ(Accepted("f32[4,4] iota()"), Keys({"iota_dimension", "dimensions"}));
  EXPECT_EQ(Accepted("f32[2,2] slice(x)"), Keys({"slice"}));
  EXPECT_EQ(Accepted("f32[4] reduce(x, c)"), Keys({"dimensions", "to_apply"}));
  EXPECT_EQ(Accepted("f32[4,4] reduce-window(x, c)"), Keys({"window", "to_apply"}));
  EXPECT_EQ(Accepted("(f32[4,4], s32[4,4]) tuple(x, x)"), Keys());
  EXPECT_EQ(Accepted("f32[4,4] parameter(6)"), Keys({"parameter_replication"}));
  EXPECT_EQ(Accepted("f32[] constant(1)"), Keys());
  EXPECT_EQ(Accepted("f32[4,4] dot(x, x)"),
            Keys({"lhs_batch_dims", "lhs_contracting_dims", "rhs_batch_dims",
                  "rhs_contracting_dims", "algorithm", "operand_precision"}));
  EXPECT_EQ(Accepted("((f32[4,4]), f32[4,4], s32[]) transpose-start(x)"),
            Keys({"dimensions", "calls", "output_to_operand_aliasing"}))
      << "the wrapped op's and those of async-start";
}

TEST(HloAttributes, UnknownLayoutAnnotationsAreRefused) {
  auto error = [](const std::string& annotations) {
    return ErrorOf("e { x = f32[8,128]{1,0:" + annotations + "} parameter(0) }");
  };
  for (const char* known : {"", "T(8,128)", "T(8,128)(2,1)", "E(4)", "S(5)",
                            "T(2,128)(4,1)L(512)S(1)", "T(8,128)SC(1:64)", "T(8, 128)"}) {
    EXPECT_EQ(error(known), "") << known;
  }
  for (const char* unknown : {"Q(7)", "T(8,128)Q(7)", "T", "T(8", "E(4)E(4)", "T(a)", "TS(1)", "x",
                              "D(C,D)", "S(1)=2", "t(8,128)"}) {
    EXPECT_NE(error(unknown), "") << unknown;
  }
  EXPECT_EQ(error("Q(7)").substr(0, 36), "t:1:20: error: expected a layout wit");
}

TEST(HloAttributes, AnAttributeTwiceIsRefused) {
  for (const std::string attribute : {"sharding={replicated}", "is_scheduled=true"}) {
    const bool header = attribute[0] == 'i';
    const std::string text =
        header ? "HloModule m, " + attribute + ", " + attribute + "\ne { x = f32[] parameter(0) }"
               : ModuleWith("f32[4,4] copy(x), " + attribute + ", " + attribute);
    EXPECT_NE(ErrorOf(text).find("expected each attribute once"), std::string::npos) << text;
  }
}

TEST(HloAttributes, MalformedTextAttributesAreRefused) {
  for (const char* instruction : {
           "f32[4,4] cholesky(x), lower=yes",
           "f32[4,4] cholesky(x), lower=True",
           "f32[4,4] triangular-solve(x, x), left_side=1",
           "f32[4,4] triangular-solve(x, x), unit_diagonal=t",
           "f32[4,4] triangular-solve(x, x), transpose_a=NO",
           "f32[4,4] triangular-solve(x, x), transpose_a=TRANSPOSE_INVALID",
           "c64[4] fft(z), fft_type=FT, fft_length={4}",
           "c64[4] fft(z), fft_type=FFT, fft_length=4",
           "(f32[4,2], s32[4,2]) topk(x), k=two",
           "(f32[4,2], s32[4,2]) topk(x), k=2, largest=1",
           "(f32[4,2], s32[4,2]) topk(x), k=3",
           "(f32[4,2], s32[4,2]) topk(x)",
           "f32[4,4] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}, algorithm=5",
           "f32[4,4] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
           "operand_precision={best}",
           "f32[4,4] all-reduce(x), to_apply=sum, replica_groups={}, channel_id=one",
           "f32[4,4] all-reduce(x), to_apply=sum, replica_groups={}, use_global_device_ids=yes",
           "f32[4,4] all-reduce(x), to_apply=sum, replica_groups=all",
           "f32[4,4] collective-permute(x), source_target_pairs={{0,1,2}}",
           "(u64[2], u32[4]) rng-bit-generator(k), algorithm=rng_mersenne",
           "f32[4,4] rng(c, c), distribution=rng_poisson",
           "f32[4,4] exponential(x), result_accuracy=high",
           "pred[4,4] compare(x, x), direction=EQ, type=SIGNED",
           "pred[] compare(n, n), direction=EQ, type=UNSIGNED",
           "pred[] compare(n, n), direction=EQ, type=TOTALORDER",
           "pred[4] compare(z, z), direction=EQ, type=TOTALORDER",
           "s32[] get-dimension-size(x), dimensions={}",
           "s32[] get-dimension-size(x), dimensions={0,1}",
       }) {
    EXPECT_EQ(ErrorOf(ModuleWith(instruction)).substr(0, 5), "t:12:") << instruction;
  }
}

TEST(HloAttributes, UnknownAttributesOfModulesAndComputationsAreRefused) {
  auto header = [](const std::string& attributes, const std::string& behind = "") {
    return ErrorOf("HloModule m, " + attributes + "\ne { x = f32[] parameter(0) }" + behind);
  };
  EXPECT_EQ(header("is_scheduled=true, replica_count=2, num_partitions=4"), "");
  EXPECT_EQ(header("entry_computation_layout={(f32[])->f32[]}, frontend_attributes={a=\"b\"}",
                   ", execution_thread=\"main\""),
            "");
  EXPECT_EQ(header("changes_meaning=true").substr(0, 47),
            "t:1:14: error: expected an attribute that the m");
  EXPECT_NE(header("dynamic_parameter_binding={{0,{}}:(1,{},0)}"), "");
  EXPECT_NE(header("dimensions={0}"), "");
  EXPECT_EQ(header("replica_count=two").substr(0, 41), "t:1:28: error: expected a number of at le");
  EXPECT_NE(header("replica_count=0"), "");
  EXPECT_NE(header("num_partitions=-1"), "");
  for (const char* attribute :
       {"is_scheduled=1", "is_scheduled=maybe", "alias_passthrough_params=maybe",
        "allow_spmd_sharding_propagation_to_output={tru}", "use_auto_spmd_partitioning=7",
        "allow_spmd_sharding_propagation_to_parameters=7", "frontend_attributes={a}",
        "frontend_attributes=7", "frontend_attributes={a=,=}", "buffer_donor=7",
        "entry_computation_layout={(garbage)->f32[]}",
        "entry_computation_layout={(f32[-4])->f32[]}", "entry_computation_layout=f32[]"})
    EXPECT_EQ(header(attribute).substr(0, 4), "t:1:") << attribute;
  EXPECT_EQ(header("allow_spmd_sharding_propagation_to_output={true,false}, is_scheduled=false, "
                   "allow_spmd_sharding_propagation_to_parameters=true, frontend_attributes={}"),
            "");
  EXPECT_EQ(header("is_scheduled=true", ", thread=1").substr(0, 30),
            "t:2:31: error: expected an att");
}

TEST(HloAttributes, WhatHasNoMeaningIsKeptAndPrinted) {
  const std::string text = ModuleWith(
      "f32[4,4] transpose(x), dimensions={1,0}, metadata={op_name=\"t\"}, sharding={replicated}, "
      "frontend_attributes={a=\"b\"}, backend_config={}, control-predecessors={x}");
  auto module = ParseModule(text, "t");
  ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
  auto again = ParseModule(ToString(**module), "printed");
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  EXPECT_TRUE(SameModule(**module, **again));
  EXPECT_EQ((*module)->entry->root->attributes.extra.size(), 5u);
  EXPECT_EQ(UnmodeledAttribute(*(*module)->entry->root), "");
}

std::string UnmodeledIn(const std::string& instruction) {
  auto module = ParseModule(ModuleWith(instruction), "t");
  if (module) return UnmodeledAttribute(*(*module)->entry->root);
  ADD_FAILURE() << llvm::toString(module.takeError());
  return "?";
}

// An algorithm of a dot rounds its operands or its sums, unless it names their own types.
TEST(HloAttributes, AnAlgorithmThatRoundsIsNotModeled) {
  const std::string dot = "f32[4,4] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  EXPECT_EQ(UnmodeledIn(dot), "");
  EXPECT_EQ(UnmodeledIn(dot + ", algorithm=dot_f32_f32_f32"), "");
  EXPECT_EQ(UnmodeledIn(dot + ", algorithm=dot_unset"), "");
  EXPECT_EQ(UnmodeledIn(dot + ", operand_precision={highest,default}"), "");
  for (const std::string attribute :
       {"algorithm=dot_bf16_bf16_f32", "algorithm=dot_tf32_tf32_f32",
        "algorithm=dot_tf32_tf32_f32_x3", "algorithm=dot_bf16_bf16_f32_x9",
        "algorithm=dot_f64_f64_f64", "algorithm=dot_any_f8_any_f8_f32_fast_accum",
        "algorithm=dot_f32_f32_f32_x", "operand_precision={packed_nibble,default}"}) {
    EXPECT_EQ(UnmodeledIn(dot + ", " + attribute), attribute);
  }
  EXPECT_EQ(UnmodeledIn("f32[4,4] exponential(x), result_accuracy={mode=default}"), "");
  EXPECT_EQ(UnmodeledIn("f32[4,4] exponential(x), result_accuracy={mode=highest}"),
            "result_accuracy={mode=highest}");
  EXPECT_EQ(UnmodeledIn("(u64[2], u32[4]) rng-bit-generator(k), algorithm=rng_philox"), "");
}

// XLA's reader refuses each without its last attribute, however empty that is.
TEST(HloAttributes, ThoseThatAnOpNeeds) {
  for (const char* right :
       {"f32[4,4] reverse(x), dimensions={}",
        "f32[4,4] reduce-precision(x), exponent_bits=8, "
        "mantissa_bits=0",
        "f32[4,4] custom-call(x), custom_call_target=\"\"", "f32[4,4] all-reduce(x), to_apply=sum",
        "f32[4,4] collective-permute(x), "
        "source_target_pairs={{0,1}}",
        "(u64[2], u32[3]) rng-bit-generator(k), "
        "algorithm=rng_default",
        "f32[4,4] transpose(x), dimensions={1,0}",
        "f32[4] gather(v, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, "
        "slice_sizes={1}, index_vector_dim=1"}) {
    SCOPED_TRACE(right);
    std::string text = ModuleWith(right);
    const std::string indices = "ENTRY e {\ni = s32[4,1] parameter(6)\n";
    text.replace(text.find("ENTRY e {\n"), 10, indices);
    EXPECT_EQ(ErrorOf(text), "");
    const size_t comma = text.rfind(", "), equals = text.find('=', comma);
    const std::string key = text.substr(comma + 2, equals - comma - 2);
    text.erase(comma, text.find('\n', comma) - comma);
    EXPECT_NE(ErrorOf(text).find("error: expected the attribute " + key + " of "),
              std::string::npos)
        << ErrorOf(text);
  }
  // A scalar has no dimensions.
  EXPECT_EQ(ErrorOf(ModuleWith("f32[4,4] broadcast(c)")), "");
  EXPECT_EQ(ErrorOf(ModuleWith("f32[] iota()")), "");
  EXPECT_NE(ErrorOf(ModuleWith("f32[4,4] negate(f32[4,4] reverse(x))")).find("needs the attribute"),
            std::string::npos);
}

}  // namespace
}  // namespace affirm::hlo
