// The HLO of each spelling that StableHLO has for an attribute, a name, a number.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/text.h"
#include "core/stablehlo/text.h"

namespace affirm::hlo::stablehlo {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// The HLO, or the error.
std::string Read(const std::string& text) {
  auto module = ReadModule(text, "t");
  return module ? ToString(**module) : llvm::toString(module.takeError());
}

// A module of one function with these arguments, results and operations.
std::string Main(const std::string& head, const std::string& body) {
  return "module {\n func.func public @main" + head + " {\n" + body + "\n }\n";
}

std::string CustomCall(const std::string& attributes, const std::string& others = "") {
  return Read(Main("(%a: tensor<4xf32>) -> tensor<4xf32>",
                   "%0 = stablehlo.custom_call @foo(%a) {" + attributes +
                       "} : (tensor<4xf32>) -> tensor<4xf32>\nreturn %0 : tensor<4xf32>") +
              others + "}\n");
}

std::string Constant(const std::string& dense, const std::string& type) {
  const std::string tensor = "tensor<" + type + ">";
  return Read(Main("() -> " + tensor, "%0 = stablehlo.constant dense<" + dense + "> : " + tensor +
                                          "\nreturn %0 : " + tensor) +
              "}\n");
}

std::string Convolution(const std::string& window, const std::string& dictionary) {
  return Read(Main("(%a: tensor<1x4x4x1xf32>, %b: tensor<2x2x1x1xf32>) -> tensor<1x3x3x1xf32>",
                   "%0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->"
                   "[b, 0, 1, f], window = {" +
                       window + "} {batch_group_count = 1 : i64, feature_group_count = 1 : i64" +
                       dictionary +
                       "} : (tensor<1x4x4x1xf32>, tensor<2x2x1x1xf32>) -> tensor<1x3x3x1xf32>\n"
                       "return %0 : tensor<1x3x3x1xf32>") +
              "}\n");
}

// As jaxlib 0.10.2 writes it, of each type.
TEST(StableHloMeanings, ConversionToRealNumbersDropsTheImaginaryPart) {
  auto converted = [](const std::string& from, const std::string& to) {
    return Read(Main("(%a: tensor<4x" + from + ">) -> tensor<4x" + to + ">",
                     "%0 = stablehlo.convert %a : (tensor<4x" + from + ">) -> tensor<4x" + to +
                         ">\nreturn %0 : tensor<4x" + to + ">") +
                "}\n");
  };
  for (const auto& [from, part] :
       {std::pair("complex<f32>", "f32[4]"), {"complex<f64>", "f64[4]"}}) {
    for (const auto& [to, type] : {std::pair("f32", "f32"),
                                   {"f64", "f64"},
                                   {"i32", "s32"},
                                   {"ui8", "u8"},
                                   {"i1", "pred"},
                                   {"bf16", "bf16"}}) {
      const std::string hlo = converted(from, to);
      EXPECT_THAT(hlo, HasSubstr(std::string(" = ") + part + " real(")) << from << to;
      EXPECT_THAT(hlo, HasSubstr(std::string(" = ") + type + "[4] convert(%real")) << from << to;
    }
  }
  for (const auto& [from, to] :
       {std::pair("complex<f32>", "complex<f64>"), {"f32", "complex<f32>"}, {"f32", "f64"}})
    EXPECT_THAT(converted(from, to), Not(HasSubstr("real"))) << from << to;
}

TEST(StableHloMeanings, ConvolutionWindowHasOneMeaningInEverySpelling) {
  EXPECT_THAT(Convolution("", ""), HasSubstr("window={size=2x2},"));
  EXPECT_THAT(Convolution("reverse = [true, false]", ""), HasSubstr("rhs_reversal=1x0"));
  EXPECT_THAT(Convolution("reverse = [1, 0]", ""), HasSubstr("rhs_reversal=1x0"));
  EXPECT_THAT(Convolution("", ", window_reversal = array<i1: true, false>"),
              HasSubstr("rhs_reversal=1x0"));
  for (const char* pad :
       {"pad = [[1, -1], [0, 0]]", "pad=[ [1,-1],[0 ,0] ]", "pad = [[0x1, // one\n -1], [0, 0]]"})
    EXPECT_THAT(Convolution(pad, ""), HasSubstr("pad=1_-1x0_0")) << pad;
  EXPECT_THAT(Convolution("", ", padding = dense<[[1, -1], [0, 0]]> : tensor<2x2xi64>"),
              HasSubstr("pad=1_-1x0_0"));
  EXPECT_THAT(Convolution("reverse = [true, false]", ", window_reversal = array<i1: true, false>"),
              HasSubstr("is given twice"));
  EXPECT_THAT(Convolution("stride = [1, 1, 1]", ""),
              HasSubstr("expected 'window_strides' to have"));
  EXPECT_THAT(Convolution("frob = [1, 1]", ""), HasSubstr("the window has no 'frob'"));
  EXPECT_THAT(Read(Main("(%a: tensor<1x4x1xf32>, %b: tensor<2x1x1xf32>) -> tensor<1x3x1xf32>",
                        "%0 = \"stablehlo.convolution\"(%a, %b) <{batch_group_count = 1 : i64, "
                        "dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, "
                        "feature_group_count = 1 : i64, window_reversal = array<i1: true>}> : "
                        "(tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x3x1xf32>\n"
                        "return %0 : tensor<1x3x1xf32>") +
                   "}\n"),
              HasSubstr("window={size=2 rhs_reversal=1}, dim_labels=b0f_0io->b0f"));
}

std::string TopK(const std::string& notes, const std::string& target = "mhlo.topk") {
  return Read(Main("(%a: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)",
                   "%0:2 = stablehlo.custom_call @" + target + "(%a) {" + notes +
                       "} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)\n"
                       "return %0#0, %0#1 : tensor<2xf32>, tensor<2xi32>") +
              "}\n");
}

// As jaxlib converts them, and an error where that leaves the call without its attributes.
TEST(StableHloMeanings, AttributesOfMhloAreThoseOfTheOperation) {
  const std::string version = ", mhlo.version = 1 : i64";
  EXPECT_THAT(TopK("mhlo.attributes = {k = 2 : i64, largest = true}" + version),
              AllOf(HasSubstr(" topk("), HasSubstr("k=2, largest=true")));
  EXPECT_THAT(TopK("mhlo.attributes = {k = 2 : i64, largest = false}" + version),
              AllOf(HasSubstr(" topk("), HasSubstr("k=2, largest=false")));
  EXPECT_THAT(TopK("mhlo.attributes = {k = 2 : i64}" + version), HasSubstr("k=2, largest=true"));
  EXPECT_THAT(TopK("mhlo.attributes = {k = 3 : i64}" + version), HasSubstr("error"));
  const auto is_refused = HasSubstr("the mhlo.attributes of a call of 'mhlo.topk' are not read");
  EXPECT_THAT(TopK("mhlo.attributes = {k = 2 : i64, largest = false}"), is_refused);
  EXPECT_THAT(TopK("mhlo.attributes = {k = 2 : i64}, mhlo.version = 2 : i64"), is_refused);
  EXPECT_THAT(TopK("mhlo.attributes = {k = 2 : i32}" + version), is_refused);
  EXPECT_THAT(TopK("mhlo.attributes = {largest = true}" + version), is_refused);
  EXPECT_THAT(TopK("mhlo.attributes = {k = 2 : i64, x = 1 : i64}" + version), is_refused);
  EXPECT_THAT(TopK("mhlo.attributes = \"k\"" + version), is_refused);
  EXPECT_THAT(
      TopK("mhlo.attributes = {k = 2 : i64}, mhlo.frontend_attributes = {a = \"b\"}" + version),
      is_refused);
  EXPECT_THAT(TopK("mhlo.attributes = {k = 2 : i64}" + version, "topk"),
              HasSubstr("the mhlo.attributes of a call of 'topk' are not read"));
  EXPECT_THAT(TopK("mhlo.attributes = {}" + version),
              HasSubstr("custom_call_target=\"mhlo.topk\""));
}

TEST(StableHloMeanings, CallKeepsItsFrontendAttributes) {
  EXPECT_THAT(CustomCall(R"(mhlo.frontend_attributes = {mode = "x", a.b = "q\22"})"),
              HasSubstr(R"(frontend_attributes={a.b="q\"",mode="x"})"));
  EXPECT_THAT(CustomCall(R"(mhlo.frontend_attributes = {mode = "{\22k\22: 1}"})"),
              HasSubstr(R"(frontend_attributes={mode={"k": 1}})"));
  EXPECT_THAT(CustomCall("mhlo.frontend_attributes = {}"), Not(HasSubstr("frontend_attributes")));
  EXPECT_THAT(CustomCall("mhlo.frontend_attributes = {mode = 1 : i64}"),
              HasSubstr("expected strings with names"));
  EXPECT_THAT(CustomCall(R"(mhlo.frontend_attributes = {"c d" = "x"})"),
              HasSubstr("expected strings with names"));
  EXPECT_THAT(CustomCall("mhlo.frontend_attributes = \"x\""), HasSubstr("expected a dictionary"));
}

// It says which part of an array a device has.
TEST(StableHloMeanings, CallKeepsItsSharding) {
  EXPECT_THAT(CustomCall("mhlo.sharding = \"{devices=[2,1]1,0}\""),
              HasSubstr("sharding={devices=[2,1]1,0}"));
  EXPECT_THAT(CustomCall("mhlo.sharding = \"{replicated}\""), HasSubstr("sharding={replicated}"));
  EXPECT_THAT(CustomCall(""), Not(HasSubstr("sharding")));
  for (const char* other : {"1 : i64", "\"\"", "\"{replicated\"", "\"\\08\\03\""})
    EXPECT_THAT(CustomCall(std::string("mhlo.sharding = ") + other),
                HasSubstr("expected a string as mhlo.sharding"));
}

TEST(StableHloMeanings, CallKeepsWhatItDoesBesideItsResults) {
  EXPECT_THAT(CustomCall(""), AllOf(HasSubstr("custom_call_target=\"foo\""),
                                    Not(HasSubstr("custom_call_has_side_effect"))));
  EXPECT_THAT(CustomCall("has_side_effect = true"), HasSubstr("custom_call_has_side_effect=true"));
  EXPECT_THAT(CustomCall("api_version = 2 : i32"),
              HasSubstr("api_version=API_VERSION_STATUS_RETURNING"));
  EXPECT_THAT(CustomCall("api_version = 4 : i32, backend_config = {b = \"q\", a = 1 : i32}"),
              AllOf(HasSubstr("api_version=API_VERSION_TYPED_FFI"),
                    HasSubstr("backend_config={a = 1 : i32, b = \"q\"}")));
  EXPECT_THAT(
      CustomCall("api_version = 4 : i32, backend_config = {\"a b\" = 18446744073709551615 : "
                 "ui64, p = #stablehlo<precision HIGH>, s = #stablehlo.dot<"
                 "lhs_batching_dimensions = [1]>, u, y = array<i64: 1>}"),
      HasSubstr("backend_config={\"a b\" = 18446744073709551615 : ui64, p = "
                "#stablehlo<precision HIGH>, s = #stablehlo.dot<lhs_batching_dimensions = "
                "[1 : i64]>, u, y = array<i64: 1>}"));
  EXPECT_THAT(
      CustomCall("backend_config = \"\", mhlo.backend_config = {}"),
      AllOf(HasSubstr("api_version=API_VERSION_TYPED_FFI"), HasSubstr("backend_config={}")));
  EXPECT_THAT(CustomCall("output_operand_aliases = [#stablehlo.output_operand_alias<"
                         "output_tuple_indices = [], operand_index = 0, operand_tuple_indices = "
                         "[]>]"),
              HasSubstr("output_to_operand_aliasing={{}: (0, {})}"));
  EXPECT_THAT(CustomCall("called_computations = [@g]",
                         "func.func private @g(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : "
                         "tensor<4xf32> }\n"),
              HasSubstr("called_computations={%g}"));
}

TEST(StableHloMeanings, StringsHaveTheEscapesOfMlir) {
  EXPECT_THAT(CustomCall(R"(backend_config = "{\22a\22: 1}")"),
              HasSubstr("backend_config={\"a\": 1}"));
  EXPECT_THAT(CustomCall(R"(backend_config = "a\"}{")"), HasSubstr(R"(backend_config="a\"}{")"));
  EXPECT_THAT(CustomCall(R"(backend_config = "a\\b\0A")"), HasSubstr(R"(backend_config="a\\b\n")"));
  EXPECT_THAT(CustomCall(R"(backend_config = "{a // b}")"),
              HasSubstr(R"(backend_config="{a // b}")"));
  EXPECT_THAT(CustomCall(R"(backend_config = "\q")"), HasSubstr("this string has an escape other"));
}

TEST(StableHloMeanings, NamesOfEveryKindAreRead) {
  const std::string hlo = Read(
      "module @\"a b\" {\n"
      "func.func public @main(%a$1: tensor<4xf32>) -> tensor<4xf32> {\n"
      "%x.y-z:1 = call @\"<lambda>\"(%a$1) : (tensor<4xf32>) -> tensor<4xf32>\n"
      "%2 = call @\"(lambda)\"(%x.y-z#0) : (tensor<4xf32>) -> tensor<4xf32>\n"
      "%3:2 = stablehlo.optimization_barrier %2, %a$1 : tensor<4xf32>, tensor<4xf32>\n"
      "%4 = stablehlo.add %3, %3#1 : tensor<4xf32>\n"
      "%5 = stablehlo.custom_call @\"my-target\"(%4) : (tensor<4xf32>) -> tensor<4xf32>\n"
      "return %5 : tensor<4xf32>\n}\n"
      "func.func private @\"<lambda>\"(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
      "return %a : tensor<4xf32>\n}\n"
      "func.func private @\"(lambda)\"(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
      "%0 = stablehlo.negate %a : tensor<4xf32>\nreturn %0 : tensor<4xf32>\n}\n}\n");
  EXPECT_THAT(
      hlo, AllOf(HasSubstr("HloModule a_b"), HasSubstr("to_apply=%_lambda_"),
                 HasSubstr("to_apply=%_lambda__0"), HasSubstr("custom_call_target=\"my-target\"")));
  // A function may have the name that a region would get.
  const std::string body =
      "%1 = call @region.5(%z) : (tensor<f32>) -> tensor<f32>\n"
      "%2 = stablehlo.reduce(%a init: %1) applies stablehlo.add across dimensions = [0] : "
      "(tensor<4xf32>, tensor<f32>) -> tensor<f32>\nreturn %2 : tensor<f32>";
  for (int k = 1; k < 12; ++k) {
    const std::string name = "region." + std::to_string(k);
    std::string named = body;
    named.replace(named.find("region.5"), 8, name);
    EXPECT_THAT(Read(Main("(%a: tensor<4xf32>, %z: tensor<f32>) -> tensor<f32>", named) +
                     "func.func private @" + name +
                     "(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }\n}\n"),
                HasSubstr("reduce("));
  }
}

TEST(StableHloMeanings, AliasesStandForWhatTheyName) {
  const std::string iota =
      "module { func.func public @main() -> tensor<2x2xi32> {\n"
      "%1 = \"stablehlo.iota\"() <{iota_dimension = #d1}> : () -> tensor<2x2xi32>\n"
      "return %1 : tensor<2x2xi32> } }\n";
  EXPECT_THAT(Read("#d1 = 0 : i64\n" + iota), HasSubstr("iota_dimension=0"));
  EXPECT_THAT(Read("#d1 =\n  1 : i64\n" + iota), HasSubstr("iota_dimension=1"));
  EXPECT_THAT(Read("#d1 = 0 : i64\n#d1 = 1 : i64\n" + iota), HasSubstr("is given twice"));
  EXPECT_THAT(Read("!t = tensor<4xf32>\nbuiltin.module { func.func @main(%a: !t) -> !t {\n"
                   "%0 = stablehlo.negate %a : !t\nreturn %0 : !t } }\n"),
              HasSubstr("f32[4] negate("));
  EXPECT_THAT(Read("func.func @main(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }\n"
                   "#loc = loc(unknown)\n"),
              HasSubstr("ROOT %parameter.1"));
  EXPECT_THAT(Read("module { func.func @main() {\n return loc(#loc3) } loc(#loc) } loc(#loc)\n"
                   "#loc = loc(unknown)\n#loc3 = loc(\"jit(<lambda>)\"(#loc))\n"),
              HasSubstr("tuple("));
}

TEST(StableHloMeanings, NumbersAreThoseOfMlir) {
  EXPECT_THAT(Constant("[255, 0x7f, -1]", "3xi8"), HasSubstr("{-1, 127, -1}"));
  EXPECT_THAT(Constant("[255, 0xF0]", "2xui8"), HasSubstr("{255, 240}"));
  EXPECT_THAT(Constant("18446744073709551615", "i64"), HasSubstr("constant(-1)"));
  EXPECT_THAT(Constant("[1, 0]", "2xi1"), HasSubstr("{true, false}"));
  EXPECT_THAT(Constant("1.0e39", "f32"), HasSubstr("constant(inf)"));
  EXPECT_THAT(Constant("1.", "f32"), HasSubstr("constant(1)"));
  // A decimal is rounded to a double and that to the type: a tie here, which it was not.
  EXPECT_THAT(Constant("1.00000005960464477539062500001", "f32"), HasSubstr("constant(1)"));
  EXPECT_THAT(Constant("1.0000000597", "f32"), HasSubstr("constant(1.0000001)"));
  EXPECT_THAT(Constant("\"0x01\"", "3xi1"), HasSubstr("broadcast("));
  EXPECT_THAT(Constant("(0x7F800000, 1.0)", "complex<f32>"), HasSubstr("(inf, 1)"));
  EXPECT_THAT(Constant("[[],[]]", "2x0xi32"), HasSubstr("s32[2,0]"));
  EXPECT_THAT(Read(Main("(%a: tensor<4x5xf32>) -> tensor<5x4xf32>",
                        "%0 = stablehlo.transpose %a, dims = [0x1, // not 3\n 0x0] : "
                        "(tensor<4x5xf32>) -> tensor<5x4xf32>\nreturn %0 : tensor<5x4xf32>") +
                   "}\n"),
              HasSubstr("dimensions={1,0}"));
}

TEST(StableHloMeanings, ProductsHaveTheAlgorithmsOfHlo) {
  auto dot = [](const std::string& type, int times, const std::string& imprecise) {
    return Read(Main("(%a: tensor<4x4xf32>) -> tensor<4x4xf32>",
                     "%0 = stablehlo.dot_general %a, %a, contracting_dims = [1]x[0], algorithm = "
                     "<lhs_precision_type = " +
                         type + ", rhs_precision_type = " + type +
                         ", accumulation_type = f32, lhs_component_count = 1, "
                         "rhs_component_count = 1, num_primitive_operations = " +
                         std::to_string(times) + ", allow_imprecise_accumulation = " + imprecise +
                         "> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n"
                         "return %0 : tensor<4x4xf32>") +
                "}\n");
  };
  EXPECT_THAT(dot("f8E4M3FN", 1, "true"), HasSubstr("algorithm=dot_any_f8_any_f8_f32_fast_accum"));
  EXPECT_THAT(dot("f8E4M3FN", 1, "false"),
              AllOf(HasSubstr("algorithm=dot_any_f8_any_f8_f32"), Not(HasSubstr("fast_accum"))));
  EXPECT_THAT(dot("bf16", 3, "false"), HasSubstr("algorithm=dot_bf16_bf16_f32_x3"));
  EXPECT_THAT(dot("tf32", 1, "true"), HasSubstr("HLO has no name for this algorithm of a product"));
  EXPECT_THAT(dot("f8E4M3", 1, "false"), HasSubstr("algorithm=dot_any_f8_any_f8_f32"));
  EXPECT_THAT(dot("f8X", 1, "false"), HasSubstr("the field 'lhs_precision_type' of"));
  EXPECT_THAT(dot("bf16", 2, "false"), HasSubstr("HLO has no name for this algorithm"));
}

TEST(StableHloMeanings, AccuracyAndReplicationAreKept) {
  auto exponential = [](const std::string& accuracy) {
    return Read(Main("(%a: tensor<f32>) -> tensor<f32>",
                     "%0 = stablehlo.exponential %a {result_accuracy = "
                     "#stablehlo.result_accuracy<" +
                         accuracy + ">} : tensor<f32>\nreturn %0 : tensor<f32>") +
                "}\n");
  };
  EXPECT_THAT(exponential("mode = #stablehlo.result_accuracy_mode<HIGHEST>"),
              HasSubstr("result_accuracy={mode=highest}"));
  EXPECT_THAT(exponential("mode = #stablehlo.result_accuracy_mode<DEFAULT>"),
              Not(HasSubstr("result_accuracy")));
  EXPECT_THAT(exponential("atol = 1.0, rtol = 0.5, ulps = 3, mode = "
                          "#stablehlo.result_accuracy_mode<TOLERANCE>"),
              HasSubstr("result_accuracy={tolerance={atol=1,rtol=0.5,ulps=3}}"));
  EXPECT_THAT(Read(Main("(%a: tensor<f32> {mhlo.parameter_replication = [true]}) -> tensor<f32>",
                        "return %a : tensor<f32>") +
                   "}\n"),
              HasSubstr("parameter_replication={true}"));
}

TEST(StableHloMeanings, ExpansionsAreThoseOfJaxlib) {
  auto expand = [](const std::string& name, const std::string& type) {
    const std::string tensor = "tensor<4x" + type + ">";
    return Read(Main("(%a: " + tensor + ") -> " + tensor, "%0 = chlo." + name + " %a : " + tensor +
                                                              " -> " + tensor +
                                                              "\nreturn %0 : " + tensor) +
                "}\n");
  };
  EXPECT_THAT(expand("sinh", "f32"),
              AllOf(HasSubstr("constant(-0.6931472)"), HasSubstr("exponential-minus-one("),
                    HasSubstr("direction=LT"), Not(HasSubstr("convert("))));
  EXPECT_THAT(expand("cosh", "bf16"),
              AllOf(HasSubstr("f32[4] convert("), HasSubstr("ROOT %convert")));
  EXPECT_THAT(expand("acos", "f16"),
              AllOf(HasSubstr("ROOT %atan2"), Not(HasSubstr("f32")), Not(HasSubstr("sinh"))));
  EXPECT_THAT(expand("asin", "f64"), HasSubstr("f64[4] atan2("));
  EXPECT_THAT(expand("asinh", "f16"), HasSubstr("constant(255.9)"));
  EXPECT_THAT(expand("acosh", "f16"), HasSubstr("constant(3.275e+04)"));
  EXPECT_THAT(expand("atan", "f32"), HasSubstr("ROOT %atan2"));
  EXPECT_THAT(expand("atanh", "f32"), HasSubstr("constant(nan)"));
  EXPECT_THAT(expand("erf", "f32"), HasSubstr("f32[4] erf("));
  EXPECT_THAT(expand("sinh", "f8E4M3FN"), HasSubstr("chlo.sinh of tensor<4xf8E4M3FN> has no HLO"));
}

TEST(StableHloMeanings, CompositeIsItsDecomposition) {
  EXPECT_THAT(Read(Main("(%a: tensor<4xf32>) -> tensor<4xf32>",
                        "%0 = stablehlo.composite \"my.op\" %a {composite_attributes = {k = 1}, "
                        "decomposition = @my.op, version = 1 : i32} : (tensor<4xf32>) -> "
                        "tensor<4xf32>\nreturn %0 : tensor<4xf32>") +
                   "func.func private @my.op(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                   "%0 = stablehlo.negate %a : tensor<4xf32>\nreturn %0 : tensor<4xf32>\n}\n}\n"),
              HasSubstr("call(%parameter.1), to_apply=%my.op"));
}

TEST(StableHloMeanings, CallWithoutResultsIsKept) {
  EXPECT_THAT(Read(Main("(%a: tensor<4xf32>) -> tensor<4xf32>",
                        "stablehlo.custom_call @print(%a) {has_side_effect = true} : "
                        "(tensor<4xf32>) -> ()\nreturn %a : tensor<4xf32>") +
                   "}\n"),
              AllOf(HasSubstr("() custom-call("), HasSubstr("custom_call_has_side_effect=true")));
}

}  // namespace
}  // namespace affirm::hlo::stablehlo
