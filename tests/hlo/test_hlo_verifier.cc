// Shape rules: what each operation infers, and what it refuses.
#include <gtest/gtest.h>

#include "core/hlo/text.h"
#include "core/hlo/verifier.h"

namespace affirm::hlo {
namespace {

// The arrays, computations and scalars that the cases below use.
constexpr const char* kPrelude = R"(
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
sum2 { a = f32[] parameter(0) b = s32[] parameter(1) c = f32[] parameter(2) d = s32[] parameter(3)
  ROOT t = (f32[], s32[]) tuple(a, d) }
ge { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), direction=GE }
neg { a = f32[2,3] parameter(0) ROOT b = f32[2,3] negate(a) }
yes { a = f32[2,3] parameter(0) ROOT b = pred[] constant(true) }
square { a = f32[] parameter(0) ROOT b = f32[] multiply(a, a) }
ENTRY e {
  x = f32[2,3] parameter(0)
  y = f32[3,5] parameter(1)
  m = f32[4,3,3] parameter(2)
  i = s32[2,3] parameter(3)
  p = pred[2,3] parameter(4)
  z = c64[2,3] parameter(5)
  n = s32[2] parameter(6)
  img = f32[1,8,9,4] parameter(7)
  ker = f32[3,3,2,6] parameter(8)
  h = bf16[2,3] parameter(9)
  f = f32[] constant(0)
  k = s32[] constant(1)
  q = pred[] constant(true)
  v5 = f32[5] broadcast(f), dimensions={}
  t = (f32[2,3], s32[]) tuple(x, k)
  ROOT r = )";

// Where the message about the last instruction of a text points to.
const std::string& Location() {
  static const std::string kLocation =
      "t:" + std::to_string(1 + llvm::StringRef(kPrelude).count('\n')) + ":8: error: expected ";
  return kLocation;
}

std::string ErrorOf(const std::string& instruction) {
  auto module = ParseModule(kPrelude + instruction + "\n}", "t");
  return module ? "" : llvm::toString(module.takeError());
}

struct Inferred {
  const char* instruction;
  const char* shape;  // with the shape left out, this is inferred; written, it is accepted
};

class Infers : public ::testing::TestWithParam<Inferred> {};

TEST_P(Infers, TheShape) {
  const auto& [instruction, shape] = GetParam();
  auto module = ParseModule(std::string(kPrelude) + instruction + "\n}", "t");
  ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
  EXPECT_EQ((*module)->entry->root->shape.ToString(false), shape);
  EXPECT_EQ(ErrorOf(std::string(shape) + " " + instruction), "");
  EXPECT_NE(ErrorOf(std::string("f32[77]") + " " + instruction), "") << "another shape is refused";
}

INSTANTIATE_TEST_SUITE_P(
    Elementwise, Infers,
    ::testing::Values(
        Inferred{"exponential(x)", "f32[2,3]"}, Inferred{"abs(z)", "f32[2,3]"},
        Inferred{"real(z)", "f32[2,3]"}, Inferred{"is-finite(x)", "pred[2,3]"},
        Inferred{"not(p)", "pred[2,3]"}, Inferred{"copy(t)", "(f32[2,3], s32[])"},
        Inferred{"add(i, i)", "s32[2,3]"}, Inferred{"compare(x, x), direction=LT", "pred[2,3]"},
        Inferred{"complex(x, x)", "c64[2,3]"}, Inferred{"select(p, i, i)", "s32[2,3]"},
        Inferred{"select(q, t, t)", "(f32[2,3], s32[])"}, Inferred{"clamp(f, x, f)", "f32[2,3]"},
        Inferred{"reduce-precision(x), exponent_bits=5, mantissa_bits=10", "f32[2,3]"}));

INSTANTIATE_TEST_SUITE_P(
    Movement, Infers,
    ::testing::Values(
        Inferred{"transpose(m), dimensions={2,0,1}", "f32[3,4,3]"},
        Inferred{"slice(m), slice={[0:4:3], [1:1], [0:3:2]}", "f32[2,0,2]"},
        Inferred{"dynamic-slice(y, k, k), dynamic_slice_sizes={2,4}", "f32[2,4]"},
        Inferred{"dynamic-slice(y, n), dynamic_slice_sizes={2,4}", "f32[2,4]"},
        Inferred{"dynamic-update-slice(y, x, k, k), metadata={}", "f32[3,5]"},
        Inferred{"pad(x, f), padding=1_-2x0_3_4", "f32[1,14]"},
        Inferred{"concatenate(x, x), dimensions={1}", "f32[2,6]"},
        Inferred{"reverse(x), dimensions={0,1}", "f32[2,3]"},
        Inferred{"get-dimension-size(x), dimensions={1}", "s32[]"},
        Inferred{"gather(y, n), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
                 "index_vector_dim=1, slice_sizes={1,4}",
                 "f32[2,4]"},
        Inferred{"gather(y, n), offset_dims={0,1}, collapsed_slice_dims={}, start_index_map={1,0}, "
                 "index_vector_dim=0, slice_sizes={2,4}",
                 "f32[2,4]"},
        Inferred{"scatter(y, n, x), update_window_dims={1}, inserted_window_dims={0}, "
                 "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum",
                 "f32[3,5]"}));

INSTANTIATE_TEST_SUITE_P(
    Contractions, Infers,
    ::testing::Values(
        Inferred{"dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}", "f32[2,5]"},
        Inferred{"dot(m, m), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
                 "rhs_contracting_dims={1}",
                 "f32[4,3,3]"},
        Inferred{"dot(x, y)", "f32[2,3,3,5]"},
        Inferred{"convolution(img, ker), window={size=3x3 stride=2x1 pad=1_1x0_0 rhs_dilate=1x2}, "
                 "dim_labels=b01f_01io->b01f, feature_group_count=2",
                 "f32[1,4,5,6]"},
        Inferred{"reduce(m, f), dimensions={0,2}, to_apply=sum", "f32[3]"},
        Inferred{"reduce(x, i, f, k), dimensions={1}, to_apply=sum2", "(f32[2], s32[2])"},
        Inferred{"reduce-window(m, f), window={size=1x2x2 stride=1x1x2 pad=0_0x1_0x0_0}, "
                 "to_apply=sum",
                 "f32[4,3,1]"},
        Inferred{"select-and-scatter(m, m, f), window={size=1x1x1}, select=ge, scatter=sum",
                 "f32[4,3,3]"},
        Inferred{"cholesky(m), lower=true", "f32[4,3,3]"},
        Inferred{"batch-norm-training(y, v5, v5), epsilon=0.1, feature_index=1",
                 "(f32[3,5], f32[5], f32[5])"},
        Inferred{"batch-norm-inference(y, v5, v5, v5, v5), epsilon=0.1, feature_index=1",
                 "f32[3,5]"},
        Inferred{"batch-norm-grad(y, v5, v5, v5, y), epsilon=0.1, feature_index=1",
                 "(f32[3,5], f32[5], f32[5])"},
        Inferred{"triangular-solve(m, m), lower=true", "f32[4,3,3]"}));

INSTANTIATE_TEST_SUITE_P(
    Control, Infers,
    ::testing::Values(Inferred{"tuple(x, t)", "(f32[2,3], (f32[2,3], s32[]))"},
                      Inferred{"get-tuple-element(t), index=1", "s32[]"},
                      Inferred{"call(x), to_apply=neg", "f32[2,3]"},
                      Inferred{"fusion(x), kind=kLoop, calls=neg", "f32[2,3]"},
                      Inferred{"map(x), dimensions={0,1}, to_apply=square", "f32[2,3]"},
                      Inferred{"sort(x), dimensions={1}, to_apply=ge", "f32[2,3]"},
                      Inferred{"while(x), condition=yes, body=neg", "f32[2,3]"},
                      Inferred{"conditional(q, x, x), true_computation=neg, false_computation=neg",
                               "f32[2,3]"},
                      Inferred{"conditional(k, x), branch_computations={neg}", "f32[2,3]"},
                      Inferred{"after-all()", "token[]"}, Inferred{"partition-id()", "u32[]"}));

class Violates : public ::testing::TestWithParam<const char*> {};

TEST_P(Violates, AShapeRule) {
  const std::string error = ErrorOf(GetParam());
  EXPECT_EQ(error.rfind(Location(), 0), 0u) << error;
}

INSTANTIATE_TEST_SUITE_P(Elementwise, Violates,
                         ::testing::Values("f32[2,3] add(x)", "f32[2,3] add(x, y)",
                                           "f32[2,3] add(x, i)", "s32[2,3] exponential(i)",
                                           "f32[2,3] and(x, x)", "f32[2,3] negate(t)",
                                           "pred[2,3] compare(x, x), direction=XX",
                                           "f32[2,3] select(x, x, x)", "f32[3,5] select(p, y, y)",
                                           "f32[2,3] clamp(y, x, f)", "c64[2,3] complex(h, h)",
                                           "f32[3,2] convert(i)", "f32[2,3] shift-left(x, x)",
                                           "s32[2,3] is-finite(x)"));

INSTANTIATE_TEST_SUITE_P(
    Movement, Violates,
    ::testing::Values(
        "f32[2,3,4] broadcast(x), dimensions={0}", "f32[2,3,4] broadcast(x), dimensions={0,2}",
        "f32[2,3,4] broadcast(x), dimensions={0,3}", "f32[2,2] broadcast(x), dimensions={0,0}",
        "s32[2,3,4] broadcast(x), dimensions={0,1}", "f32[3,2] transpose(x), dimensions={1,1}",
        "f32[7] reshape(x)", "s32[6] reshape(x)", "f32[7] bitcast(x)",
        "f32[2,3] slice(x), slice={[0:2]}", "f32[2,3] slice(x), slice={[0:3], [0:3]}",
        "f32[2,3] slice(x), slice={[1:0], [0:3]}", "f32[2,3] slice(x), slice={[0:2:0], [0:3]}",
        "f32[2,3] slice(x), slice={[-1:1], [0:3]}",
        "f32[3,3] dynamic-slice(x, k, k), dynamic_slice_sizes={3,3}",
        "f32[2,2] dynamic-slice(x, k), dynamic_slice_sizes={2,2}",
        "f32[2,2] dynamic-slice(x, f, f), dynamic_slice_sizes={2,2}",
        "f32[2,3] dynamic-update-slice(x, y, k, k)", "f32[1,3] pad(x, k), padding=0_-1x0_0",
        "f32[2,3] pad(x, f), padding=0_0", "f32[2,3] pad(x, f), padding=0_-9x0_0",
        "f32[2,3] pad(x, f), padding=0_0_-1x0_0",
        "f32[2,3] pad(x, f), padding=9223372036854775807_9223372036854775807x0_0",
        "f32[5,3] concatenate(x, y), dimensions={0}", "f32[2,3] concatenate(x), dimensions={0,1}",
        "f32[2,3] reverse(x), dimensions={2}", "f32[2] iota(), iota_dimension=1",
        "pred[2] iota(), iota_dimension=0", "f32[2,3] bitcast-convert(m)",
        "f32[2,4] gather(y, n), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
        "index_vector_dim=1, slice_sizes={1,6}",
        "f32[2,4] gather(y, n), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={2}, "
        "index_vector_dim=1, slice_sizes={1,4}",
        "f32[2,4] gather(y, n), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
        "index_vector_dim=2, slice_sizes={1,4}",
        "f32[2,5] gather(y, n), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
        "index_vector_dim=1, slice_sizes={0,5}",
        "f32[4,2] gather(y, n), offset_dims={1,0}, collapsed_slice_dims={}, start_index_map={1,0}, "
        "index_vector_dim=0, slice_sizes={2,4}"));

INSTANTIATE_TEST_SUITE_P(
    ContractionsAndControl, Violates,
    ::testing::Values(
        "f32[2,5] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
        "f32[2,5] dot(x, y), lhs_contracting_dims={1}",
        "f32[5] dot(x, y), lhs_contracting_dims={9}",
        "f32[2] reduce(x, f), dimensions={2}, to_apply=sum",
        "f32[2] reduce(x, k), dimensions={1}, to_apply=sum",
        "f32[2] reduce(x), dimensions={1}, to_apply=sum",
        "f32[2] reduce(x, f), dimensions={1}, to_apply=square",
        "f32[2] reduce(x, f), dimensions={1}, to_apply=neg",
        "f32[2,3] reduce-window(x, f), window={size=1}, to_apply=sum",
        "f32[2,3] reduce-window(x, f), window={size=0x1}, to_apply=sum",
        "f32[1,6,7,6] convolution(img, ker), window={size=3x3}, dim_labels=b01f_01io->b01f",
        "f32[1,6,7,6] convolution(img, ker), window={size=2x3}, dim_labels=b01f_01io->b01f, "
        "feature_group_count=2",
        "f32[3,4] batch-norm-inference(y, v5, v5, v5, v5), epsilon=0.1, feature_index=1",
        "s32[3,5] batch-norm-inference(y, v5, v5, v5, v5), epsilon=0.1, feature_index=1",
        "f32[3,5] batch-norm-inference(y, v5, y, v5, v5), epsilon=0.1, feature_index=1",
        "f32[3,5] batch-norm-inference(y, v5, v5, v5, v5), epsilon=0.1, feature_index=0",
        "f32[3,5] batch-norm-inference(y, v5, v5, v5, v5), epsilon=0.1, feature_index=2",
        "(f32[3,5], f32[7], f32[5]) batch-norm-training(y, v5, v5), epsilon=0.1, feature_index=1",
        "(f32[3,5], f32[5], f32[5]) batch-norm-grad(y, v5, v5, v5, v5), epsilon=0.1, "
        "feature_index=1",
        "f32[4,3,3] cholesky(y)", "s32[] get-tuple-element(t), index=2",
        "s32[] get-tuple-element(x), index=0", "f32[2,3] call(x, x), to_apply=neg",
        "f32[2,3] map(i), to_apply=square", "f32[2,3] sort(x), dimensions={0}, to_apply=sum",
        "f32[2,3] sort(x), dimensions={}, to_apply=square",
        // Along no dimension, and along two.
        "f32[2,3] sort(x), dimensions={}, to_apply=ge",
        "f32[2,3] sort(x), dimensions={0,1}, to_apply=ge",
        "f32[2,3] while(x), condition=neg, body=neg", "f32[2,3] while(y), condition=yes, body=neg",
        "f32[2,3] conditional(q, x), branch_computations={neg}",
        "f32[2,3] conditional(k, x, y), branch_computations={neg, neg}"));

TEST(Verify, LetsPrecisionsDiffer) {
  EXPECT_EQ(ErrorOf("f32[2,3] add(x, h)"), "");
  EXPECT_EQ(ErrorOf("f32[2] reduce(h, f), dimensions={1}, to_apply=sum"), "");
  EXPECT_EQ(ErrorOf("s32[2,5] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}"), "");
  EXPECT_NE(ErrorOf("bf16[] get-tuple-element(t), index=0"), "");
}

TEST(Verify, TransformsHaveTheirTypes) {
  const auto error_of = [](const std::string& from, const std::string& kind, const std::string& to,
                           const std::string& lengths) {
    auto module = ParseModule("ENTRY e { x = " + from + " parameter(0) ROOT r = " + to +
                                  " fft(x), fft_type=" + kind + ", fft_length={" + lengths + "} }",
                              "t");
    return module ? "" : llvm::toString(module.takeError());
  };
  EXPECT_EQ(error_of("c128[2,4]", "IFFT", "c128[2,4]", "4"), "");
  EXPECT_EQ(error_of("f64[2,8]", "RFFT", "c128[2,5]", "2,8"), "");
  EXPECT_EQ(error_of("c64[5]", "IRFFT", "f32[8]", "8"), "");
  EXPECT_EQ(error_of("f32[0]", "RFFT", "c64[0]", "0"), "");
  EXPECT_NE(error_of("f16[8]", "RFFT", "c64[5]", "8"), "");
  EXPECT_NE(error_of("f64[8]", "RFFT", "c64[5]", "8"), "");
  EXPECT_NE(error_of("c64[8]", "RFFT", "c64[5]", "8"), "");
  EXPECT_NE(error_of("c64[8]", "FFT", "c128[8]", "8"), "");
  EXPECT_NE(error_of("f32[8]", "FFT", "f32[8]", "8"), "");
  EXPECT_NE(error_of("f32[8]", "RFFT", "c64[4]", "8"), "");
  EXPECT_NE(error_of("f32[9]", "RFFT", "c64[5]", "8"), "");
  EXPECT_NE(error_of("c64[5]", "IRFFT", "f32[9]", "8"), "");
}

TEST(Verify, TransformsHaveThreeDimensionsAtMost) {
  const auto error_of = [](const std::string& sizes, const std::string& lengths) {
    const std::string type = "c64[" + sizes + "]";
    auto module = ParseModule("ENTRY e { x = " + type + " parameter(0) ROOT r = " + type +
                                  " fft(x), fft_type=FFT, fft_length={" + lengths + "} }",
                              "t");
    return module ? "" : llvm::toString(module.takeError());
  };
  EXPECT_EQ(error_of("5,2,2,2", "2,2,2"), "");
  EXPECT_EQ(error_of("2", "2"), "");
  EXPECT_NE(error_of("2,2,2,2", "2,2,2,2"), "");
  EXPECT_NE(error_of("2", "2,2"), "");
  EXPECT_NE(error_of("2", ""), "");
}

TEST(Verify, StartIndicesHaveOneType) {
  const auto error_of = [](const std::string& second) {
    auto module =
        ParseModule("ENTRY e { x = f32[4,4] parameter(0) i = s32[] parameter(1) j = " + second +
                        " parameter(2) ROOT r = f32[2,2] dynamic-slice(x, i, j), "
                        "dynamic_slice_sizes={2,2} }",
                    "t");
    return module ? "" : llvm::toString(module.takeError());
  };
  EXPECT_EQ(error_of("s32[]"), "");
  EXPECT_NE(error_of("s64[]").find("start indices of one type"), std::string::npos);
}

TEST(Verify, ConvolutionsHaveGroupsOfOneKind) {
  const auto error_of = [](const std::string& groups) {
    auto module = ParseModule(
        "ENTRY e { x = f32[2,4,4,4] parameter(0) k = f32[1,1,2,4] parameter(1) ROOT r = f32[" +
            groups + ", window={size=1x1}, dim_labels=b01f_01io->b01f }",
        "t");
    return module ? "" : llvm::toString(module.takeError());
  };
  EXPECT_EQ(error_of("2,4,4,4] convolution(x, k), feature_group_count=2"), "");
  EXPECT_NE(error_of("1,4,4,4] convolution(x, k), feature_group_count=2, batch_group_count=2")
                .find("one of feature_group_count and batch_group_count"),
            std::string::npos);
}

// XLA reads a fusion whose arguments do not fit its parameters; executing it has no meaning.
TEST(Verify, ArgumentsMatterOnlyForExecution) {
  const std::string text = std::string(kPrelude) + "f32[2,3] call(y), to_apply=neg }";
  auto module = ParseModule(text, "t");
  ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
  const std::string error = llvm::toString(VerifyExecutable(**module, "t"));
  EXPECT_EQ(error,
            Location() + "the shape f32[2,3] of parameter 0 of neg for operand 0, found f32[3,5]");
  auto good = ParseModule(std::string(kPrelude) + "f32[2,3] call(x), to_apply=neg }", "t");
  ASSERT_TRUE(static_cast<bool>(good)) << llvm::toString(good.takeError());
  EXPECT_EQ(llvm::toString(VerifyExecutable(**good, "t")), "");
}

// XLA's reader takes any state; its compiler refuses the module that its expander leaves.
TEST(Verify, StatesOfRandomNumbersHaveTheSizeOfTheirGenerator) {
  auto error_of = [](const std::string& type, const std::string& algorithm) {
    auto module = ParseModule("ENTRY e { s = " + type + " parameter(0) ROOT r = (" + type +
                                  ", u32[4]) rng-bit-generator(s), algorithm=" + algorithm + " }",
                              "t");
    return llvm::toString(VerifyArguments(*llvm::cantFail(std::move(module)), "t"));
  };
  for (const char* algorithm : {"rng_three_fry", "rng_philox", "rng_default"}) {
    EXPECT_EQ(error_of("u64[2]", algorithm), "");
    EXPECT_NE(error_of("u64[4]", algorithm), "");
    EXPECT_NE(error_of("u32[2]", algorithm), "");
    EXPECT_NE(error_of("u64[2,1]", algorithm), "");
  }
  EXPECT_EQ(error_of("u64[3]", "rng_philox"), "");
  EXPECT_EQ(error_of("u64[3]", "rng_three_fry"),
            "t:1:40: error: expected a state u64[2] of rng-bit-generator, found u64[3]");
}

// The error by which a module is refused as a whole, as XLA's reader or its compiler does.
std::string ErrorOfWhole(const std::string& text) {
  auto module = ParseModule(text, "t");
  if (!module) return llvm::toString(module.takeError());
  if (llvm::Error error = Verify(**module, "t")) return llvm::toString(std::move(error));
  return llvm::toString(VerifyArguments(**module, "t"));
}

TEST(Verify, TheHeaderHasTheShapesOfTheEntry) {
  const auto error_of = [](const std::string& operands, const std::string& result) {
    return ErrorOfWhole("HloModule m, entry_computation_layout={(" + operands + ")->" + result +
                        "}\nENTRY e { x = f32[4] parameter(0) ROOT n = f32[4] negate(x) }");
  };
  EXPECT_EQ(error_of("f32[4]{0}", "f32[4]{0}"), "");
  EXPECT_EQ(error_of("f32[<=4]{0}", "f32[4]"), "");  // a size that is bounded there
  for (const char* operands : {"", "f32[4], f32[4]", "f32[5]", "s32[4]", "(f32[4])"})
    EXPECT_NE(error_of(operands, "f32[4]"), "") << operands;
  EXPECT_NE(error_of("f32[4]", "f32[3]"), "");
  EXPECT_NE(error_of("f32[4]", "(f32[4])"), "");
}

TEST(Verify, AliasesAreThoseOfArraysThatAreThere) {
  const auto error_of = [](const std::string& aliases) {
    return ErrorOfWhole("HloModule m, input_output_alias={ " + aliases +
                        " }\nENTRY e { x = f32[4] parameter(0) y = s32[4] parameter(1) z = f32[2] "
                        "parameter(2) ROOT t = (f32[4], f32[4]) tuple(x, x) }");
  };
  EXPECT_EQ(error_of("{0}: (0, {}, may-alias)"), "");
  EXPECT_EQ(error_of("{1}: (1, {}, may-alias)"), "");
  for (const char* aliases :
       {"{2}: (0, {}, may-alias)", "{0}: (3, {}, may-alias)", "{0}: (0, {1}, may-alias)",
        "{0}: (0, {}, may-alias), {1}: (0, {}, may-alias)", "{0}: (2, {}, may-alias)",
        "{0}: (1, {}, must-alias)", "x"})
    EXPECT_NE(error_of(aliases), "") << aliases;
}

TEST(Verify, WhatIsStartedIsCompletedBeforeItIsRead) {
  const auto error_of = [](const std::string& rest) {
    return ErrorOfWhole(
        "HloModule m\nsum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) "
        "}\nENTRY e { x = f32[4] parameter(0)\n s = f32[4] all-reduce-start(x), "
        "replica_groups={}, to_apply=sum\n c = (f32[4], f32[4], u32[]) copy-start(x)\n" +
        rest + " }");
  };
  const std::string copied = "f = f32[4] copy-done(c)\n", done = "d = f32[4] all-reduce-done(s)\n";
  EXPECT_EQ(error_of(copied + done + "ROOT n = f32[4] add(d, f)"), "");
  for (const std::string& rest :
       {copied + "ROOT n = f32[4] negate(s)", copied + "ROOT n = f32[4] negate(x)",
        copied + done + "n = f32[4] negate(s) ROOT r = f32[4] add(n, d)",
        copied + done + "o = f32[4] all-reduce-done(s) ROOT r = f32[4] add(o, d)",
        done + "g = f32[4] get-tuple-element(c), index=1 ROOT r = f32[4] add(g, d)",
        copied + "t = (f32[4]) tuple(s) g = f32[4] get-tuple-element(t), index=0 ROOT r = f32[4] "
                 "add(g, f)",
        copied + "b = f32[4] opt-barrier(s) ROOT r = f32[4] add(b, f)"})
    EXPECT_NE(error_of(rest), "") << rest;
}

TEST(Verify, NoInstructionWaitsForOneBelow) {
  const auto error_of = [](const std::string& predecessors) {
    return ErrorOfWhole("ENTRY e { x = f32[4] parameter(0) a = f32[4] negate(x) b = f32[4] abs(a)" +
                        predecessors + " ROOT c = f32[4] abs(b) }");
  };
  EXPECT_EQ(error_of(", control-predecessors={x}"), "");
  EXPECT_EQ(error_of(", control-predecessors={a, x}"), "");
  for (const char* wrong : {"b", "c", "x, c", "nothing"})
    EXPECT_NE(error_of(std::string(", control-predecessors={") + wrong + "}"), "") << wrong;
}

TEST(Verify, GroupsHaveDevicesAndChannels) {
  const auto error_of = [](const std::string& attributes) {
    return ErrorOfWhole(
        "HloModule m, replica_count=2\nsum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r "
        "= f32[] add(a, b) }\nENTRY e { x = f32[4] parameter(0) ROOT s = f32[4] all-reduce(x), "
        "to_apply=sum, " +
        attributes + " }");
  };
  EXPECT_EQ(error_of("replica_groups={{0,1}}"), "");
  EXPECT_EQ(error_of("replica_groups={{0,1}}, channel_id=1, use_global_device_ids=true"), "");
  EXPECT_EQ(error_of("replica_groups={{0,1}}, use_global_device_ids=false"), "");
  EXPECT_NE(error_of("replica_groups={{0,1}}, use_global_device_ids=true"), "");
  EXPECT_NE(error_of("replica_groups={{0,1},{}}"), "");
}

// Damage that text cannot express, done by a program.
TEST(Verify, FindsBrokenGraphs) {
  auto fresh = [] {
    return llvm::cantFail(
        ParseModule("f { a = f32[] parameter(0) } ENTRY e { x = f32[] parameter(0) "
                    "y = f32[] negate(x) ROOT z = f32[] call(y), to_apply=f }",
                    "t"));
  };
  auto broken = [](const Module& module) { return llvm::toString(Verify(module, "t")) != ""; };
  EXPECT_FALSE(broken(*fresh()));
  auto module = fresh();
  module->entry = nullptr;
  EXPECT_TRUE(broken(*module));
  module = fresh();
  module->entry->root = nullptr;
  EXPECT_TRUE(broken(*module));
  module = fresh();
  module->entry->instructions[1]->name = "x";
  EXPECT_TRUE(broken(*module));
  module = fresh();
  module->entry->instructions[1]->id = module->entry->instructions[0]->id;
  EXPECT_TRUE(broken(*module));
  module = fresh();
  std::swap(module->entry->instructions[0], module->entry->instructions[1]);
  EXPECT_TRUE(broken(*module)) << "an operand stands behind its user";
  module = fresh();
  std::swap(module->computations[0], module->computations[1]);
  EXPECT_TRUE(broken(*module)) << "a callee stands behind its caller";
  module = fresh();
  module->entry->instructions[0]->parameter_number = 1;
  EXPECT_TRUE(broken(*module));
  module = fresh();
  module->entry->instructions[1]->shape.dims = {-5};
  EXPECT_TRUE(broken(*module));
  module = fresh();
  module->entry->root->called[0] = nullptr;
  EXPECT_TRUE(broken(*module));
}

}  // namespace
}  // namespace affirm::hlo
