// StableHLO text becomes the HLO that it means, or an error with its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/hlo/text.h"
#include "core/stablehlo/text.h"

namespace affirm::hlo::stablehlo {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Main(const std::string& head, const std::string& body) {
  return "module @m {\n  func.func public @main" + head + " {\n" + body + "  }\n}\n";
}

// The HLO, or the error.
std::string Read(const std::string& text) {
  auto module = ReadModule(text, "t");
  return module ? ToString(**module) : llvm::toString(module.takeError());
}

// One operation on an argument of this type, and the line of HLO for it.
std::string LineOf(const std::string& type, const std::string& operation,
                   const std::string& result) {
  const std::string hlo =
      Read(Main("(%arg0: " + type + ") -> " + result,
                "    %0 = " + operation + "\n    return %0 : " + result + "\n"));
  const size_t root = hlo.rfind("ROOT ");  // of the entry
  if (root == std::string::npos) return hlo;
  return hlo.substr(root, hlo.find('\n', root) - root);
}

const char kLoop[] = R"(#loc = loc(unknown)
module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @empty_mesh = <[]> {stablehlo.mesh = {axes = []}}
  func.func public @main(%arg0: tensor<3xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<3xf32> loc("w")) -> (tensor<3xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32> loc(#loc)
    %cst = stablehlo.constant dense<2.0> : tensor<f32>
    %0:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0, %iterArg_1 = %arg1) : tensor<i32>, tensor<3xf32>, tensor<3xf32>
    cond {
      %c_2 = stablehlo.constant dense<5> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %2 = stablehlo.multiply %iterArg_0, %1 : tensor<3xf32>
      %3 = func.call @add(%2, %iterArg_1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      %4 = stablehlo.add %3, %arg1 : tensor<3xf32>
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      stablehlo.return %5, %4, %iterArg_1 : tensor<i32>, tensor<3xf32>, tensor<3xf32>
    }
    return %0#1 : tensor<3xf32>
  }
  func.func private @add(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
)";

TEST(StableHlo, IsToldFromHlo) {
  EXPECT_TRUE(IsStableHlo("// a comment\nmodule @m {}"));
  EXPECT_TRUE(IsStableHlo("#loc = loc(unknown)\nmodule {}"));
  EXPECT_FALSE(IsStableHlo("HloModule m\n"));
  EXPECT_FALSE(IsStableHlo("modules"));
}

TEST(StableHlo, ALoopHasWhatChangesAndThenWhatStays) {
  const std::string hlo = Read(kLoop);
  // The loop's own value that stays and the one that it takes from outside are one and the same.
  EXPECT_THAT(hlo, HasSubstr("(s32[], f32[3], f32[3]) while("));
  EXPECT_THAT(hlo, Not(HasSubstr("f32[3], f32[3], f32[3]")));
  EXPECT_THAT(hlo, HasSubstr("input_output_alias={"));
  EXPECT_THAT(hlo, HasSubstr("to_apply=%add"));
}

TEST(StableHlo, OperationsAndTheirAttributes) {
  EXPECT_THAT(
      LineOf("tensor<2x3xf32>",
             "stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
             "tensor<3x2xf32>"),
      HasSubstr("transpose(%parameter.1), dimensions={1,0}"));
  EXPECT_THAT(
      LineOf("tensor<9xf32>", "stablehlo.slice %arg0 [1:7:2] : (tensor<9xf32>) -> tensor<3xf32>",
             "tensor<3xf32>"),
      HasSubstr("slice={[1:7:2]}"));
  EXPECT_THAT(
      LineOf(
          "tensor<1x3xui8>",
          "stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<1x3xui8>) -> tensor<2x3xui8>",
          "tensor<2x3xui8>"),
      HasSubstr("u8[2,3] broadcast(%reshape.2), dimensions={1}"));
  EXPECT_THAT(
      LineOf("tensor<4xbf16>", "stablehlo.reduce_precision %arg0, format = e5m3 : tensor<4xbf16>",
             "tensor<4xbf16>"),
      HasSubstr("exponent_bits=5, mantissa_bits=3"));
  EXPECT_THAT(
      LineOf("tensor<4xf32>",
             "\"stablehlo.add\"(%arg0, %arg0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>",
             "tensor<4xf32>"),
      HasSubstr("f32[4] add(%parameter.1, %parameter.1)"));
  EXPECT_THAT(
      LineOf(
          "tensor<4xi32>",
          "\"stablehlo.compare\"(%arg0, %arg0) <{comparison_direction = "
          "#stablehlo<comparison_direction GE>}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>",
          "tensor<4xi1>"),
      HasSubstr("direction=GE"));
}

// Each as jaxlib 0.10.2 converts it (mlir_module_to_xla_computation).
TEST(StableHlo, OperationsOfSeveralDevices) {
  const std::string type = "tensor<4x6xf32>",
                    groups = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>",
                    channel = "channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, ",
                    sum =
                        " ({\n^bb0(%p: tensor<f32>, %q: tensor<f32>):\n%s = stablehlo.add %p, %q : "
                        "tensor<f32>\nstablehlo.return %s : tensor<f32>\n}) : ";
  const auto line = [&](const std::string& name, const std::string& attributes,
                        const std::string& result, const std::string& region = " : ") {
    return LineOf(type,
                  "\"stablehlo." + name + "\"(%arg0) <{" + attributes + "}>" + region + "(" + type +
                      ") -> " + result,
                  result);
  };
  EXPECT_THAT(line("all_reduce", groups, type, sum),
              HasSubstr("all-reduce(%parameter.1), to_apply=%region.5, replica_groups={{0,1}}"));
  EXPECT_THAT(line("all_reduce", channel + groups + ", use_global_device_ids", type, sum),
              HasSubstr("channel_id=3, use_global_device_ids=true"));
  EXPECT_THAT(line("all_reduce",
                   "replica_groups = dense<[[0, 1, 3], [2, -1, -1]]> : "
                   "tensor<2x3xi64>",
                   type, sum),
              HasSubstr("replica_groups={{0,1,3},{2}}"));
  EXPECT_THAT(line("all_gather", "all_gather_dim = 1 : i64, " + groups, "tensor<4x12xf32>"),
              HasSubstr("f32[4,12] all-gather(%parameter.1), dimensions={1}"));
  EXPECT_THAT(
      line("reduce_scatter", groups + ", scatter_dimension = 0 : i64", "tensor<2x6xf32>", sum),
      HasSubstr("to_apply=%region.5, dimensions={0}, replica_groups={{0,1}}"));
  EXPECT_THAT(line("collective_broadcast", groups, type),
              HasSubstr("collective-broadcast(%parameter.1), replica_groups={{0,1}}"));
  EXPECT_THAT(
      line("collective_permute",
           channel + "source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>", type),
      HasSubstr("source_target_pairs={{0,1},{1,0}}, channel_id=3"));
  const auto exchange = [&](const std::string& split, const std::string& concat,
                            const std::string& result) {
    return line("all_to_all",
                "split_dimension = " + split + " : i64, concat_dimension = " + concat +
                    " : i64, split_count = 2 : i64, " + groups,
                result);
  };
  EXPECT_THAT(exchange("1", "1", type), HasSubstr("all-to-all(%parameter.1), dimensions={1}"));
  // Parts that are concatenated along another dimension are one, which is moved.
  const std::string moved = Read(Main(
      "(%arg0: " + type + ") -> tensor<8x3xf32>",
      "    %0 = \"stablehlo.all_to_all\"(%arg0) <{split_dimension = 1 : i64, "
      "concat_dimension = 0 : i64, split_count = 2 : i64, " +
          groups + "}> : (" + type + ") -> tensor<8x3xf32>\n    return %0 : tensor<8x3xf32>\n"));
  for (const char* part : {"f32[4,6] all-to-all(", "f32[4,2,3] reshape(", "f32[2,4,3] transpose(",
                           "dimensions={1,0,2}", "f32[8,3] reshape("})
    EXPECT_THAT(moved, HasSubstr(part));
  EXPECT_THAT(Read(Main("() -> tensor<ui32>",
                        "    %0 = stablehlo.partition_id : tensor<ui32>\n"
                        "    return %0 : tensor<ui32>\n")),
              HasSubstr("u32[] partition-id()"));
  // Types, dimensions and groups that do not fit are refused.
  for (const std::string& wrong :
       {line("all_reduce", groups, "tensor<4x5xf32>", sum), line("all_reduce", "", type, sum),
        line("all_gather", "all_gather_dim = 1 : i64, " + groups, "tensor<4x7xf32>"),
        line("all_gather", "all_gather_dim = 2 : i64, " + groups, "tensor<4x12xf32>"),
        line("reduce_scatter", groups + ", scatter_dimension = 0 : i64", type, sum),
        exchange("0", "1", type), exchange("2", "1", type),
        line("all_reduce", groups + ", use_global_device_ids", type, sum),
        line("all_reduce", "replica_groups = dense<[[-1, 1]]> : tensor<1x2xi64>", type, sum),
        line("all_reduce", "replica_groups = dense<> : tensor<1x0xi64>", type, sum),
        line("all_reduce", channel + groups + ", use_global_device_ids = false", type, sum),
        line("all_reduce",
             "channel_handle = #stablehlo.channel_handle<handle = -1, type = 1>, " + groups, type,
             sum),
        line("all_to_all",
             "split_dimension = 1 : i64, concat_dimension = 1 : i64, split_count = 3 : i64, " +
                 groups,
             type)})
    EXPECT_THAT(wrong, HasSubstr("error: ")) << wrong;
}

TEST(StableHlo, Normalizations) {
  const std::string type = "tensor<4x6xf32>", lines = "tensor<6xf32>";
  const std::string hlo = Read(
      Main("(%arg0: " + type + ", %arg1: " + lines + ") -> " + lines,
           "    %0, %1, %2 = \"stablehlo.batch_norm_training\"(%arg0, %arg1, %arg1) <{epsilon = "
           "1.250000e-01 : f32, feature_index = 1 : i64}> : (" +
               type + ", " + lines + ", " + lines + ") -> (" + type + ", " + lines + ", " + lines +
               ")\n    return %1 : " + lines + "\n"));
  EXPECT_THAT(hlo, HasSubstr("(f32[4,6], f32[6], f32[6]) batch-norm-training("));
  EXPECT_THAT(hlo, HasSubstr("epsilon=0.125, feature_index=1"));
}

TEST(StableHlo, Constants) {
  auto of = [](const std::string& dense, const std::string& type) {
    return LineOf("tensor<f32>", "stablehlo.constant " + dense + " : " + type, type);
  };
  EXPECT_THAT(of("dense<0xFF800000>", "tensor<f32>"), HasSubstr("constant(-inf)"));
  EXPECT_THAT(of("dense<0x7FC1>", "tensor<bf16>"), HasSubstr("constant(nan(0x41))"));
  EXPECT_THAT(of("dense<[1.5, 0x7F800000]>", "tensor<2xf32>"), HasSubstr("constant({1.5, inf})"));
  EXPECT_THAT(of("dense<\"0x0000803F000000C0\">", "tensor<2xf32>"), HasSubstr("constant({1, -2})"));
  EXPECT_THAT(of("dense<\"0xFF03\">", "tensor<1x2xi8>"), HasSubstr("{-1, 3}"));
  EXPECT_THAT(of("dense<\"0x010001\">", "tensor<3xi1>"),
              HasSubstr("constant({true, false, true})"));
  EXPECT_THAT(of("dense<\"0x05\">", "tensor<3xi1>"), HasSubstr("expected a byte 00 or 01"));
  EXPECT_THAT(of("dense<[(1.0, -2.0)]>", "tensor<1xcomplex<f32>>"),
              HasSubstr("constant({(1, -2)})"));
  // A type without zero and sign has for these what LLVM's floats have.
  for (const auto& [dense, value] : {std::pair("0.0", "6e-39"),
                                     {"-0.0", "6e-39"},
                                     {"-1.0e-46", "6e-39"},
                                     {"-1.0e+30", "1e+30"},
                                     {"-1.0", "nan"},
                                     {"1.0e+39", "nan"},
                                     {"3.0", "4"},
                                     {"2.9e-39", "6e-39"}}) {
    EXPECT_THAT(of("dense<" + std::string(dense) + ">", "tensor<f8E8M0FNU>"),
                HasSubstr("constant(" + std::string(value) + ")"));
  }
  EXPECT_THAT(of("dense<-1.0>", "tensor<f8E4M3FN>"), HasSubstr("constant(-1)"));
  EXPECT_THAT(of("dense<7>", "tensor<2x2xui32>"), HasSubstr("broadcast("));
  EXPECT_THAT(of("dense<>", "tensor<0x3xf32>"), HasSubstr("f32[0,3]"));
  EXPECT_THAT(
      of("dense_resource<__elided__>", "tensor<9xf32>"),
      HasSubstr("t:3:29: error: expected dense<..>, found 'dense_resource<__elided__>'; print"));
}

TEST(StableHlo, PartsOfNumbers) {
  const std::string square = "tensor<4x4xf32>";
  auto transposed = [&](const std::string& array) {
    return LineOf(square,
                  "\"stablehlo.transpose\"(%arg0) <{permutation = array<i64: " + array + ">}> : (" +
                      square + ") -> " + square,
                  square);
  };
  EXPECT_THAT(transposed("1, 0"), HasSubstr("dimensions={1,0}"));
  for (const char* wrong : {"1, 0 : i8", "1 : i64, 0", "1, \"0\"", "1, [0]"})
    EXPECT_THAT(transposed(wrong), HasSubstr("expected a number without a type in array<i64: ..>"));
  auto noted = [&](const std::string& number) {
    return LineOf(square, "stablehlo.negate %arg0 {jax.note = " + number + "} : " + square, square);
  };
  for (const char* right : {"1.5 : f32", "-1.5e+10 : f32", "1.E-3", "[1 : i8, 2.5e1]"})
    EXPECT_THAT(noted(right), HasSubstr("negate(")) << right;
  for (const char* wrong : {"1.5e+ : f32", "1.5e", "[2.5E-]"})
    EXPECT_THAT(noted(wrong), HasSubstr("error:")) << wrong;
}

TEST(StableHlo, ErrorsHaveTheirPlace) {
  const std::string type = "tensor<4xf32>";
  EXPECT_THAT(LineOf(type, "stablehlo.frobnicate %arg0 : tensor<4xf32>", type),
              HasSubstr("t:3:10: error: unknown operation 'stablehlo.frobnicate'"));
  EXPECT_THAT(LineOf(type, "chlo.lgamma %arg0 : tensor<4xf32> -> tensor<4xf32>", type),
              HasSubstr("t:3:10: error: chlo.lgamma has no HLO of its own"));
  EXPECT_THAT(LineOf(type, "stablehlo.abs %arg7 : tensor<4xf32>", type),
              HasSubstr("t:3:10: error: no value %arg7 here"));
  EXPECT_THAT(LineOf(type, "stablehlo.abs %arg0 : tensor<5xf32>", "tensor<5xf32>"),
              HasSubstr("t:3:10: error: stablehlo.abs states tensor<5xf32> for %arg0, which is"));
  EXPECT_THAT(
      LineOf(type, "stablehlo.reshape %arg0 : (tensor<4xf32>) -> tensor<5xf32>", "tensor<5xf32>"),
      HasSubstr("t:3:10: error: as HLO: "));
  EXPECT_THAT(LineOf("tensor<?xf32>", "stablehlo.abs %arg0 : tensor<?xf32>", "tensor<?xf32>"),
              HasSubstr("t:2:33: error: a size that is not known is not read"));
  EXPECT_THAT(LineOf("!stablehlo.token", "stablehlo.abs %arg0 : tensor<f32>", "tensor<f32>"),
              HasSubstr("t:2:33: error: expected tensor<..>"));
  EXPECT_THAT(
      Read(Main("() -> tensor<f32>",
                "    %0 = call @main() : () -> tensor<f32>\n    return %0 : tensor<f32>\n")),
      HasSubstr("t:3:10: error: @main calls itself"));
  EXPECT_THAT(Read("module @m {\n}\n"), HasSubstr("t:1:1: error: expected a function @main"));
}

// A module with parts cut out or moved is read, or refused with a place.
RC_GTEST_PROP(StableHlo, DamagedTextIsReadOrRefused, ()) {
  std::string text = kLoop;
  const size_t begin = *rc::gen::inRange<size_t>(0, text.size());
  const size_t length = *rc::gen::inRange<size_t>(0, 40);
  const std::string part = text.substr(begin, length);
  text.erase(begin, length);
  if (*rc::gen::arbitrary<bool>()) text.insert(*rc::gen::inRange<size_t>(0, text.size()), part);
  auto module = ReadModule(text, "t");
  if (module) return;
  const std::string error = llvm::toString(module.takeError());
  RC_ASSERT(llvm::StringRef(error).starts_with("t:"));
  RC_ASSERT(llvm::StringRef(error).contains(": error: "));
}

TEST(StableHlo, DeepNestingIsRefused) {
  std::string list(100'000, '['), regions;
  EXPECT_THAT(LineOf("tensor<f32>", "stablehlo.constant dense<" + list + "> : tensor<1xf32>",
                     "tensor<1xf32>"),
              HasSubstr("error: "));
  for (int k = 0; k < 100'000; ++k) regions += "\"stablehlo.case\"(%c) ({\n";
  EXPECT_THAT(Read(Main("()", regions)), HasSubstr("regions are nested too deeply"));
}

}  // namespace
}  // namespace affirm::hlo::stablehlo
