// Kernels that are too large to run, executed in samples: what refutes, what does not, and that
// nothing is concluded from blocks that agree.
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "core/hlo/text.h"
#include "driver/check/program.h"
#include "driver/input.h"
#include "driver/validate/element_values.h"
#include "driver/validate/sample.h"
#include "driver/validate/validate.h"
#include "emit/kernel.h"
#include "emit/runtime/device_kernel.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/reference/interpreter.h"
#include "verify/scalar/scalar.h"

namespace affirm::driver {
namespace {

using kernel::Claim;

// 2^31 elements, 8 GiB; a thread for each.
constexpr int64_t kBlocks = int64_t{1} << 24;
constexpr const char* kTwice =
    "HloModule m\nENTRY e {\n  p = f32[2147483648] parameter(0)\n  c = f32[] constant(2)\n"
    "  b = f32[2147483648] broadcast(c), dimensions={}\n"
    "  ROOT t = f32[2147483648] multiply(p, b)\n}";
constexpr const char* kLaunch =
    R"({"grid": [16777216], "threads": [128], "params": [
        {"shape": "f32[2147483648]", "bytes": 8589934592, "role": "input", "memory": 0},
        {"shape": "f32[2147483648]", "bytes": 8589934592, "role": "output", "memory": 1}]})";

// `index` computes %i, the element that is read, from the own one, %own; `value` computes %r from
// the element %v.
std::string KernelOf(const std::string& index, const std::string& value) {
  return "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
         "declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
         "define ptx_kernel void @k(ptr %in, ptr %out) {\n"
         "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
         "  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
         "  %t64 = zext i32 %t to i64\n  %b64 = zext i32 %b to i64\n"
         "  %first = mul i64 %b64, 128\n  %own = add i64 %first, %t64\n" +
         index +
         "\n  %p = getelementptr float, ptr %in, i64 %i\n  %v = load float, ptr %p, align 4\n" +
         value +
         "\n  %q = getelementptr float, ptr %out, i64 %own\n  store float %r, ptr %q, align 4\n"
         "  ret void\n}";
}

constexpr const char* kOwnElement = "  %i = add i64 %own, 0";
constexpr const char* kDoubled = "  %r = fmul float %v, 2.0";

Validation ValidateText(const std::string& hlo, const std::string& text, const std::string& launch,
                        const ValidateOptions& options = {}) {
  auto module = hlo::ParseModule(hlo, "m.hlo");
  auto parsed = kernel::ParseLaunch(launch, "l.json");
  auto ir = kernel::ReadKernelIr(text, "k.ll");
  EXPECT_TRUE(!!module && !!parsed && !!ir);
  KernelSubject subject{(*module)->entry, &*ir, *parsed};
  llvm::Error error = CheckSubject(subject);
  EXPECT_FALSE(!!error) << llvm::toString(std::move(error));
  return Validate(subject, options);
}

const ClaimResult& Of(const Validation& validation, Claim claim) {
  return validation.claims[static_cast<size_t>(claim)];
}

TEST(Sample, OfARightKernelAgreesAndItsProofsCarryTheVerdict) {
  const Validation right = ValidateText(kTwice, KernelOf(kOwnElement, kDoubled), kLaunch);
  EXPECT_EQ(right.verdict, Verdict::kProved);
  ASSERT_TRUE(right.executed.sample);
  EXPECT_EQ(right.executed.sample->blocks, 6);
  EXPECT_EQ(right.executed.sample->of_blocks, kBlocks);
  EXPECT_EQ(right.executed.sample->elements, 6 * 64);
  EXPECT_EQ(right.executed.sample->of_elements, int64_t{1} << 31);
  EXPECT_EQ(right.executed.sample->not_compared, "");
  EXPECT_EQ(right.executed.runs, 5);
}

// Elements of a sort of rows, and of what is computed of it, are those of the interpreter.
TEST(Sample, ElementsOfASortAreThoseOfItsRow) {
  auto module = hlo::ParseModule(R"(HloModule m
    less { a = s32[] parameter(0) b = s32[] parameter(1) c = u8[] parameter(2) d = u8[] parameter(3)
      ROOT r = pred[] compare(a, b), direction=GT }
    ENTRY e { k = s32[4,9,2] parameter(0) v = u8[4,9,2] parameter(1)
      n = s32[4,9,2] negate(k)
      s = (s32[4,9,2], u8[4,9,2]) sort(n, v), dimensions={1}, is_stable=true, to_apply=less
      a = s32[4,9,2] get-tuple-element(s), index=0 b = u8[4,9,2] get-tuple-element(s), index=1
      r = s32[4,9,2] reverse(a), dimensions={0}
      ROOT t = (s32[4,9,2], u8[4,9,2]) tuple(r, b) })",
                                 "m.hlo");
  ASSERT_TRUE(static_cast<bool>(module));
  const hlo::Computation& entry = *(*module)->entry;
  std::vector<hlo::Literal> arguments;
  std::vector<hlo::Shape> shapes;
  for (const hlo::Instruction* parameter : entry.parameters) {
    shapes.push_back(parameter->shape);
    arguments.emplace_back(parameter->shape);
    for (int64_t i = 0; i < arguments.back().NumElements(); ++i)
      arguments.back().SetInt(i, arguments.size() == 1 ? i * i * 7 % 11 - 5 : i);
  }
  auto expected = hlo::Interpret(entry, arguments);
  ASSERT_TRUE(static_cast<bool>(expected));
  ElementValues values(entry, shapes);
  values.Begin(
      [&](int64_t buffer, int64_t position) {
        const auto& argument = arguments[static_cast<size_t>(buffer)];
        return EnclosedScalar::Point(
            compare::OfScalar(argument.shape().type, hlo::Load(argument, position)));
      },
      {}, 1 << 20);
  for (int64_t leaf : {0, 1}) {
    const hlo::Literal& wanted = expected->tuple()[static_cast<size_t>(leaf)];
    for (int64_t i = 0; i < wanted.NumElements(); ++i) {
      auto term = values.TermOf(leaf, {i / 18, i / 2 % 9, i % 2});
      ASSERT_TRUE(static_cast<bool>(term));
      auto value = values.Evaluate(*term);
      ASSERT_TRUE(static_cast<bool>(value));
      EXPECT_EQ(compare::AsType(value->scalar, wanted.shape().type).i, wanted.GetInt(i))
          << leaf << " " << i;
    }
  }
}

// Equal elements that are different may come in any order from an unstable sort.
TEST(Sample, ElementsThatAnUnstableSortLeavesOpenAreNotExpected) {
  auto module = hlo::ParseModule(R"(HloModule m
    less { a = s32[] parameter(0) b = s32[] parameter(1) c = s32[] parameter(2) d = s32[] parameter(3)
      ROOT r = pred[] compare(a, b), direction=LT }
    ENTRY e { k = s32[6] parameter(0) v = s32[6] parameter(1)
      ROOT s = (s32[6], s32[6]) sort(k, v), dimensions={0}, to_apply=less })",
                                 "m.hlo");
  ASSERT_TRUE(static_cast<bool>(module));
  const hlo::Computation& entry = *(*module)->entry;
  const int64_t arrays[2][6] = {{5, 1, 3, 1, 9, 3}, {0, 7, 4, 8, 0, 4}};
  ElementValues values(entry, {entry.parameters[0]->shape, entry.parameters[1]->shape});
  values.Begin(
      [&](int64_t buffer, int64_t position) {
        return EnclosedScalar::Point(
            compare::OfInteger(arrays[buffer][position], hlo::PrimitiveType::kS32));
      },
      {}, 1 << 20);
  // 1, 1 with 7 and 8 in any order; 3, 3 with 4 and 4; 5; 9.
  for (int64_t i = 0; i < 6; ++i) {
    auto term = values.TermOf(1, {i});
    ASSERT_TRUE(static_cast<bool>(term));
    auto value = values.Evaluate(*term);
    EXPECT_EQ(static_cast<bool>(value), i >= 2) << i;
    if (!value) llvm::consumeError(value.takeError());
  }
}

// The square root of a negative number may be any NaN; the bits of a parameter are given.
TEST(Sample, BitsOfAComputedNanAreNotExpected) {
  auto hlo = [](const std::string& bits_of) {
    return "HloModule m\nENTRY e {\n  p = f32[2147483648] parameter(0)\n  c = f32[] constant(1)\n"
           "  b = f32[2147483648] broadcast(c), dimensions={}\n  a = f32[2147483648] abs(p)\n"
           "  s = f32[2147483648] add(a, b)\n  n = f32[2147483648] negate(s)\n"
           "  q = f32[2147483648] sqrt(n)\n  ROOT r = s32[2147483648] bitcast-convert(" +
           bits_of + ")\n}";
  };
  constexpr const char* kBits =
      R"({"grid": [16777216], "threads": [128], "params": [
        {"shape": "f32[2147483648]", "bytes": 8589934592, "role": "input", "memory": 0},
        {"shape": "s32[2147483648]", "bytes": 8589934592, "role": "output", "memory": 1}]})";
  const std::string kernel =
      KernelOf(kOwnElement, "  %r = select i1 true, float 0x7FF8000000000000, float %v");
  const Validation open = ValidateText(hlo("q"), kernel, kBits);
  EXPECT_EQ(open.verdict, Verdict::kUnknown);
  EXPECT_EQ(ValidateText(hlo("p"), kernel, kBits).verdict, Verdict::kRefuted);
}

TEST(Sample, RefutesAWrongOperation) {
  const Validation wrong =
      ValidateText(kTwice, KernelOf(kOwnElement, "  %r = fmul float %v, 3.0"), kLaunch);
  EXPECT_EQ(wrong.verdict, Verdict::kRefuted);
  ASSERT_TRUE(Of(wrong, Claim::kValues).counterexample);
  const KernelCounterexample& example = *Of(wrong, Claim::kValues).counterexample;
  EXPECT_EQ(example.element, example.block * 128 + example.thread);
  EXPECT_NE(example.expected, example.actual);
}

TEST(Sample, RefutesAWrongIndex) {
  const Validation wrong =
      ValidateText(kTwice, KernelOf("  %i = xor i64 %own, 1", kDoubled), kLaunch);
  EXPECT_EQ(wrong.verdict, Verdict::kRefuted);
  EXPECT_EQ(Of(wrong, Claim::kValues).verdict, Verdict::kRefuted);
}

// The last block runs: what only its last thread does wrong is seen, with its place.
TEST(Sample, RefutesWhatIsWrongInTheLastBlock) {
  const std::string value =
      "  %last = icmp eq i32 %b, 16777215\n  %factor = select i1 %last, float 3.0, float 2.0\n"
      "  %r = fmul float %v, %factor";
  const Validation wrong = ValidateText(kTwice, KernelOf(kOwnElement, value), kLaunch);
  EXPECT_EQ(wrong.verdict, Verdict::kRefuted);
  ASSERT_TRUE(Of(wrong, Claim::kValues).counterexample);
  EXPECT_EQ(Of(wrong, Claim::kValues).counterexample->block, kBlocks - 1);

  const Validation outside =
      ValidateText(kTwice, KernelOf("  %i = add i64 %own, 1", kDoubled), kLaunch);
  EXPECT_EQ(outside.verdict, Verdict::kRefuted);
  ASSERT_TRUE(Of(outside, Claim::kBounds).counterexample);
  EXPECT_EQ(Of(outside, Claim::kBounds).counterexample->block, kBlocks - 1);
  EXPECT_EQ(Of(outside, Claim::kBounds).counterexample->thread, 127);
}

// The block where the index begins again runs beside the first one: two blocks write one element.
TEST(Sample, RefutesAnIndexThatLosesItsUpperBit) {
  std::string text = KernelOf(kOwnElement, kDoubled);
  const std::string own = "%own = add i64 %first, %t64";
  text.replace(text.find(own), own.size(),
               "%all = add i64 %first, %t64\n  %cut = trunc i64 %all to i30\n"
               "  %own = zext i30 %cut to i64");
  const Validation wrong = ValidateText(kTwice, text, kLaunch);
  EXPECT_EQ(wrong.verdict, Verdict::kRefuted);
  EXPECT_EQ(Of(wrong, Claim::kRaces).verdict, Verdict::kRefuted);
}

// A fault in a block that does not run is not seen, and nothing is said to be right because of
// that: `values` is neither proved nor executed.
TEST(Sample, AloneAffirmsNothing) {
  const std::string value =
      "  %some = icmp eq i32 %b, 77\n  %factor = select i1 %some, float 3.0, float 2.0\n"
      "  %r = fmul float %v, %factor";
  const Validation wrong = ValidateText(kTwice, KernelOf(kOwnElement, value), kLaunch);
  EXPECT_EQ(wrong.verdict, Verdict::kUnknown);
  EXPECT_EQ(Of(wrong, Claim::kValues).verdict, Verdict::kUnknown);
  EXPECT_EQ(Of(wrong, Claim::kBounds).verdict, Verdict::kProved);
  EXPECT_GT(wrong.executed.elements, 0);

  // Not if all blocks of a small grid run in the sample, either.
  ValidateOptions options;
  options.execution = ValidateOptions::Execution::kSample;
  const std::string small =
      "HloModule m\nENTRY e {\n  p = f32[256] parameter(0)\n"
      "  ROOT t = f32[256] multiply(p, p)\n}";
  const std::string launch =
      R"({"grid": [2], "threads": [128], "params": [
        {"shape": "f32[256]", "bytes": 1024, "role": "input", "memory": 0},
        {"shape": "f32[256]", "bytes": 1024, "role": "output", "memory": 1}]})";
  // Right, in a form that is not proved.
  const std::string square = "  %r = call float @llvm.fma.f32(float %v, float %v, float -0.0)";
  const std::string text =
      "declare float @llvm.fma.f32(float, float, float)\n" + KernelOf(kOwnElement, square);
  const Validation sampled = ValidateText(small, text, launch, options);
  EXPECT_EQ(sampled.verdict, Verdict::kUnknown);
  EXPECT_EQ(sampled.executed.sample->blocks, 2);
  EXPECT_EQ(ValidateText(small, text, launch).verdict, Verdict::kExecuted)
      << "executed whole, with the other claims proved";
}

// A sum of three numbers of a row, in another order than that of the computation; of each row of
// which `condition` holds, NaN.
constexpr const char* kRowSums = R"(HloModule m
    add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
    ENTRY e { x = f32[2147483648,3] parameter(0) z = f32[] constant(0)
      ROOT s = f32[2147483648] reduce(x, z), dimensions={1}, to_apply=add })";
Validation ValidateRowSums(const std::string& condition) {
  const std::string index =
      "  %i = mul i64 %own, 3\n  %i1 = add i64 %i, 1\n  %i2 = add i64 %i, 2\n"
      "  %p1 = getelementptr float, ptr %in, i64 %i1\n"
      "  %p2 = getelementptr float, ptr %in, i64 %i2\n"
      "  %v1 = load float, ptr %p1, align 4\n  %v2 = load float, ptr %p2, align 4";
  const std::string value = "  %s = fadd float %v1, %v2\n  %a = fadd float %s, %v\n" + condition +
                            "\n  %r = select i1 %c, float 0x7FF8000000000000, float %a";
  return ValidateText(kRowSums, KernelOf(index, value),
                      R"({"grid": [16777216], "threads": [128], "params": [
        {"shape": "f32[2147483648,3]", "bytes": 25769803776, "role": "input", "memory": 0},
        {"shape": "f32[2147483648]", "bytes": 8589934592, "role": "output", "memory": 1}]})");
}

// A result that is not finite is the kernel's fault if no sum overflows in any order, as in whole
// runs.
TEST(Sample, RefutesNanOfSums) {
  const Validation wrong = ValidateRowSums("  %c = icmp eq i64 0, 0");
  EXPECT_EQ(Of(wrong, Claim::kValues).verdict, Verdict::kRefuted);
  ASSERT_TRUE(Of(wrong, Claim::kValues).counterexample);
  EXPECT_EQ(Of(wrong, Claim::kValues).counterexample->actual, "nan");
  const Validation right = ValidateRowSums("  %c = icmp eq i64 0, 1");
  EXPECT_NE(right.verdict, Verdict::kRefuted);
  EXPECT_GT(right.executed.elements, 0);
}

TEST(Sample, IsTheSameForTheSameSeed) {
  auto text = [](uint64_t seed) {
    ValidateOptions options;
    options.seed = seed;
    const Validation wrong =
        ValidateText(kTwice, KernelOf(kOwnElement, "  %r = fmul float %v, 3.0"), kLaunch, options);
    return Of(wrong, Claim::kValues).reason;
  };
  EXPECT_EQ(text(3), text(3));
  EXPECT_NE(text(3), text(4));
}

// A block that never ends takes the steps that a sample has, which is no refutation.
TEST(Sample, OfABlockThatTakesTooLongIsNone) {
  const std::string forever =
      "  br label %loop\nloop:\n  %n = phi i64 [0, %0], [%m, %loop]\n  %m = add i64 %n, 1\n"
      "  %go = icmp ne i64 %m, -1\n  br i1 %go, label %loop, label %end\nend:\n"
      "  %r = fmul float %v, 2.0";
  ValidateOptions options;
  options.sample.most_codes = 1 << 16;
  const Validation open = ValidateText(kTwice, KernelOf(kOwnElement, forever), kLaunch, options);
  EXPECT_EQ(open.verdict, Verdict::kUnknown);
  EXPECT_EQ(open.executed.sample->blocks, 0);
  EXPECT_EQ(open.executed.sample->elements, 0);
}

// Two integers of 4 bits in a byte.
TEST(Sample, OfPackedIntegers) {
  const std::string hlo =
      "HloModule m\nENTRY e {\n  p = s4[8589934592] parameter(0)\n"
      "  ROOT t = s4[8589934592] negate(p)\n}";
  const std::string launch =
      R"({"grid": [33554432], "threads": [128], "params": [
        {"shape": "s4[8589934592]", "bytes": 4294967296, "role": "input", "memory": 0},
        {"shape": "s4[8589934592]", "bytes": 4294967296, "role": "output", "memory": 1}]})";
  auto text = [](const std::string& high) {
    return "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
           "declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
           "define ptx_kernel void @k(ptr %in, ptr %out) {\n"
           "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
           "  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
           "  %t64 = zext i32 %t to i64\n  %b64 = zext i32 %b to i64\n"
           "  %first = mul i64 %b64, 128\n  %own = add i64 %first, %t64\n"
           "  %p = getelementptr i8, ptr %in, i64 %own\n  %v = load i8, ptr %p\n"
           "  %high = and i8 %v, -16\n  %nh = sub i8 0, %high\n  %n = sub i8 0, %v\n"
           "  %low = and i8 %n, 15\n  %r = or i8 %low, " +
           high +
           "\n  %q = getelementptr i8, ptr %out, i64 %own\n  store i8 %r, ptr %q\n  ret void\n}";
  };
  const Validation right = ValidateText(hlo, text("%nh"), launch);
  EXPECT_NE(right.verdict, Verdict::kRefuted);
  EXPECT_EQ(right.executed.sample->elements, 6 * 64);
  const Validation wrong = ValidateText(hlo, text("%high"), launch);
  EXPECT_EQ(wrong.verdict, Verdict::kRefuted);
  EXPECT_EQ(Of(wrong, Claim::kValues).counterexample->element % 2, 1) << "the upper half";
}

// The layout of the launch says where an element is: the same bytes are the transpose.
TEST(Sample, FollowsTheLayoutsOfTheLaunch) {
  const std::string hlo =
      "HloModule m\nENTRY e {\n  p = f32[65536,32768] parameter(0)\n"
      "  t = f32[32768,65536] transpose(p), dimensions={1,0}\n"
      "  ROOT s = f32[32768,65536] add(t, t)\n}";
  auto launch = [](const std::string& layout) {
    return R"({"grid": [16777216], "threads": [128], "params": [
        {"shape": "f32[65536,32768]{1,0}", "bytes": 8589934592, "role": "input", "memory": 0},
        {"shape": "f32[32768,65536])" +
           layout + R"(", "bytes": 8589934592, "role": "output", "memory": 1}]})";
  };
  const std::string text = KernelOf(kOwnElement, "  %r = fadd float %v, %v");
  EXPECT_EQ(ValidateText(hlo, text, launch("{0,1}")).verdict, Verdict::kProved);
  EXPECT_EQ(ValidateText(hlo, text, launch("{1,0}")).verdict, Verdict::kRefuted);
}

// Indices into an operand that no host holds are in range, at its ends and outside.
TEST(Sample, RefutesAGatherThatDoesNotClamp) {
  const std::string hlo =
      "HloModule m\nENTRY e {\n  p = f32[2147483648] parameter(0)\n"
      "  i = s64[4096,1] parameter(1)\n"
      "  ROOT t = f32[4096] gather(p, i), offset_dims={}, collapsed_slice_dims={0}, "
      "start_index_map={0}, index_vector_dim=1, slice_sizes={1}\n}";
  const std::string launch =
      R"({"grid": [32], "threads": [128], "params": [
        {"shape": "f32[2147483648]", "bytes": 8589934592, "role": "input", "memory": 0},
        {"shape": "s64[4096,1]", "bytes": 32768, "role": "input", "memory": 1},
        {"shape": "f32[4096]", "bytes": 16384, "role": "output", "memory": 2}]})";
  auto text = [](const std::string& clamp) {
    return "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
           "declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
           "declare i64 @llvm.smax.i64(i64, i64)\ndeclare i64 @llvm.smin.i64(i64, i64)\n"
           "define ptx_kernel void @k(ptr %in, ptr %indices, ptr %out) {\n"
           "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
           "  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
           "  %first = mul i32 %b, 128\n  %own = add i32 %first, %t\n"
           "  %pi = getelementptr i64, ptr %indices, i32 %own\n"
           "  %i = load i64, ptr %pi, align 8\n" +
           clamp +
           "\n  %p = getelementptr float, ptr %in, i64 %c\n  %v = load float, ptr %p, align 4\n"
           "  %q = getelementptr float, ptr %out, i32 %own\n  store float %v, ptr %q, align 4\n"
           "  ret void\n}";
  };
  const std::string below = "  %n = call i64 @llvm.smax.i64(i64 %i, i64 0)\n";
  EXPECT_EQ(ValidateText(
                hlo, text(below + "  %c = call i64 @llvm.smin.i64(i64 %n, i64 2147483647)"), launch)
                .verdict,
            Verdict::kProved);
  const Validation open = ValidateText(hlo, text(below + "  %c = add i64 %n, 0"), launch);
  EXPECT_EQ(Of(open, Claim::kBounds).verdict, Verdict::kRefuted);
  const Validation early = ValidateText(
      hlo, text(below + "  %c = call i64 @llvm.smin.i64(i64 %n, i64 2147483646)"), launch);
  EXPECT_EQ(Of(early, Claim::kValues).verdict, Verdict::kRefuted);
}

// All blocks and all elements of the kernels of small modules: what is emitted for them is right,
// and so no sample may refute it. Each op's value term, argument and tolerance is used.
TEST(Sample, OfAllBlocksAgreesWithWholeExecutions) {
  ValidateOptions options;
  options.execution = ValidateOptions::Execution::kSample;
  options.sample = {.blocks = INT64_MAX, .elements_of_block = INT64_MAX};
  int64_t kernels = 0, elements = 0;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator("corpus/hlo")) {
    if (entry.path().extension() == ".hlo" && entry.file_size() < 4096) {
      paths.push_back(entry.path());
    }
  }
  llvm::sort(paths);
  for (const auto& path : paths) {
    auto text = ReadInput(path.string(), "HLO");
    ASSERT_TRUE(!!text);
    auto module = hlo::ParseModule(text->text, path.string());
    if (!module) {
      llvm::consumeError(module.takeError());
      continue;
    }
    const Program program(**module);
    for (const FusedComputation& fused : program.fused_computations()) {
      for (const FusedComputation& part : program.partitions(fused).kernels) {
        Context context;
        auto kernel = driver::EmitKernel(part, context);
        if (!kernel) {
          llvm::consumeError(kernel.takeError());
          continue;
        }
        auto device = emit::DeviceKernelOf(*kernel);
        if (!device) {
          llvm::consumeError(device.takeError());
          continue;
        }
        const KernelSubject subject{part.computation, &device->ir, device->launch};
        if (subject.launch.NumBlocks() * subject.launch.NumThreads() > 1 << 12) continue;
        const Validation sampled = ExecuteSample(subject, options);
        EXPECT_NE(sampled.verdict, Verdict::kRefuted) << path << ": " << part.name;
        for (const ClaimResult& claim : sampled.claims) {
          if (claim.verdict == Verdict::kRefuted) ADD_FAILURE() << claim.reason;
        }
        ++kernels;
        elements += sampled.executed.elements;
      }
    }
  }
  EXPECT_GT(kernels, 50);
  EXPECT_GT(elements, 10'000);
  std::printf("%lld kernels, %lld elements\n", static_cast<long long>(kernels),
              static_cast<long long>(elements));
}

}  // namespace
}  // namespace affirm::driver
