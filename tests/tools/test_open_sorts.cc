// Sorts by what is no strict weak order have no result: every verb says so, of every size.
#include <gtest/gtest.h>

#include <string>

#include "driver/check/check.h"
#include "driver/check/program.h"
#include "driver/open_sorts.h"
#include "driver/validate/validate.h"
#include "emit/kernel.h"
#include "emit/runtime/device_kernel.h"
#include "tests/parse_module.h"
#include "tests/tools/run_affirm.h"

namespace affirm::driver {
namespace {

using testing::RunAffirm;
using testing::RunResult;

// A comparator of `a0` and `b0`, and of the second array's elements `a1` and `b1` where there are
// two.
std::string SortText(const std::string& body, int64_t size, int arrays, bool is_stable) {
  const std::string n = std::to_string(size);
  std::string less = "HloModule sorts\nless {\n", entry = "ENTRY e {\n", operands, shapes;
  for (int k = 0; k < arrays; ++k) {
    const std::string of = std::to_string(k), shape = "s32[" + n + "]";
    less += "  a" + of + " = s32[] parameter(" + std::to_string(2 * k) + ")\n  b" + of +
            " = s32[] parameter(" + std::to_string(2 * k + 1) + ")\n";
    entry += "  p" + of + " = " + shape + " parameter(" + of + ")\n";
    operands += (k > 0 ? ", p" : "p") + of;
    shapes += (k > 0 ? ", " : "") + shape;
  }
  if (arrays > 1) shapes = "(" + shapes + ")";
  return less + body + "\n}\n" + entry + "  ROOT s = " + shapes + " sort(" + operands +
         "), dimensions={0}, is_stable=" + (is_stable ? "true" : "false") + ", to_apply=less\n}\n";
}

std::string Compare(const std::string& direction) {
  return "  ROOT r = pred[] compare(a0, b0), direction=" + direction;
}
const char kTrue[] = "  ROOT r = pred[] constant(true)";
const char kPlusOne[] =
    "  one = s32[] constant(1)\n  b = s32[] add(b0, one)\n"
    "  ROOT r = pred[] compare(a0, b), direction=LT";
// Of numbers that are not close to each other an order.
const char kLessByTwo[] =
    "  one = s32[] constant(1)\n  a = s32[] add(a0, one)\n"
    "  ROOT r = pred[] compare(a, b0), direction=LT";
const char kEitherLess[] =
    "  x = pred[] compare(a0, b0), direction=LT\n  y = pred[] compare(a1, b1), direction=LT\n"
    "  ROOT r = pred[] or(x, y)";
// Of numbers that are not far from each other an order, and of others none.
const char kDifference[] =
    "  zero = s32[] constant(0)\n  d = s32[] subtract(a0, b0)\n"
    "  ROOT r = pred[] compare(d, zero), direction=LT";

ModuleReport Checked(const std::string& text) {
  const auto module = testing::ParseOrFail(text);
  return Checker({}).Check(*module, "test.hlo", [](llvm::StringRef) {});
}

void ExpectOpen(const std::string& text) {
  const ModuleReport report = Checked(text);
  EXPECT_EQ(report.status(), 2) << text << report.verdict();
  EXPECT_NE(report.verdict().find("sort s compares with what is no strict weak order"),
            std::string::npos)
      << text << report.verdict();
  for (const Finding& finding : report.findings)
    EXPECT_EQ(finding.kind, Finding::Kind::kUnknown) << text << finding.text;
}

TEST(OpenSorts, AreUnknownInSmallRows) {
  for (const bool is_stable : {false, true}) {
    for (const int64_t size : {2, 3, 37, 1025}) {
      for (const std::string& body :
           {Compare("LE"), Compare("GE"), Compare("NE"), Compare("EQ"), std::string(kTrue),
            std::string(kPlusOne), std::string(kLessByTwo), std::string(kDifference)}) {
        if (size > 37 && (is_stable || body == kTrue)) continue;
        ExpectOpen(SortText(body, size, 1, is_stable));
        if (size <= 37) ExpectOpen(SortText(body, size, 2, is_stable));
      }
      if (size <= 37) ExpectOpen(SortText(kEitherLess, size, 2, is_stable));
    }
  }
}

TEST(OpenSorts, AreUnknownInRowsThatAreNotRun) {
  constexpr int64_t kMillion = 1'000'000;
  ExpectOpen(SortText(Compare("LE"), kMillion, 1, false));
  ExpectOpen(SortText(Compare("NE"), kMillion, 1, true));
  ExpectOpen(SortText(kLessByTwo, kMillion, 1, true));
  ExpectOpen(SortText(kEitherLess, kMillion, 2, true));
}

TEST(OpenSorts, HaveAResultWhereNothingIsCompared) {
  const ModuleReport report = Checked(SortText(Compare("LE"), 1, 1, false));
  EXPECT_EQ(report.status(), 0) << report.verdict();
}

TEST(OpenSorts, AreNoneOfAnOrder) {
  for (const bool is_stable : {false, true}) {
    const ModuleReport report = Checked(SortText(Compare("GT"), 37, 2, is_stable));
    EXPECT_EQ(report.status(), 0) << report.verdict();
  }
}

// The kernel of a sort by < exchanges two elements where one by <= may: of the latter neither that
// it does so, nor what comes of it, is a proof or a run of anything.
TEST(OpenSorts, ProveNoKernelAndRefuteNone) {
  const auto less = testing::ParseOrFail(SortText(Compare("LT"), 16, 1, false));
  Context context;
  const auto kernel = llvm::cantFail(emit::EmitKernel(*less->entry, context));
  const auto device = llvm::cantFail(emit::DeviceKernelOf(kernel));
  auto validate = [&](const hlo::Module& module, ValidateOptions::Execution execution) {
    ValidateOptions options;
    options.execution = execution;
    return Validate({module.entry, &device.ir, device.launch}, options);
  };
  for (const auto execution :
       {ValidateOptions::Execution::kWhole, ValidateOptions::Execution::kSample}) {
    EXPECT_EQ(validate(*less, execution).verdict, Verdict::kProved);
    for (const std::string& body : {Compare("LE"), std::string(kPlusOne)}) {
      const auto module = testing::ParseOrFail(SortText(body, 16, 1, false));
      const Validation validation = validate(*module, execution);
      for (const ClaimResult& claim : validation.claims) {
        const bool of_values = claim.claim == kernel::Claim::kValues;
        EXPECT_EQ(claim.verdict, of_values ? Verdict::kUnknown : Verdict::kProved);
        EXPECT_EQ(claim.reason.find("strict weak order") != std::string::npos, of_values)
            << claim.reason;
      }
      EXPECT_EQ(validation.executed.elements, 0);
    }
  }
}

// Of a comparator that asks for positions too, rows may look sorted to the interpreter which the
// kernel sorts in another way: neither is wrong.
TEST(OpenSorts, AreNotComparedWhereTheyLookSorted) {
  const auto module = testing::ParseOrFail(SortText(kLessByTwo, 1'000'000, 1, true));
  const Program program(*module);
  Context context;
  int64_t sorts = 0;
  for (const FusedComputation& whole : program.fused_computations()) {
    for (const FusedComputation& fused : program.partitions(whole).kernels) {
      if (WhySortIsOpen(*fused.computation).empty() || ++sorts > 12) continue;
      const auto kernel = llvm::cantFail(EmitKernel(fused, context));
      const auto device = llvm::cantFail(emit::DeviceKernelOf(kernel));
      ValidateOptions options;
      options.execution = ValidateOptions::Execution::kSample;
      const Validation validation =
          ExecuteClaims({fused.computation, &device.ir, device.launch}, options);
      EXPECT_EQ(validation.verdict, Verdict::kUnknown);
      EXPECT_EQ(validation.executed.elements, 0);
    }
  }
  EXPECT_GT(sorts, 0);
}

// What a program leaves open is held against nothing; what another leaves open is not what it says.
TEST(OpenSorts, AreComparedWithNothing) {
  const testing::TemporaryFolder folder({{"less.hlo", SortText(Compare("LT"), 16, 1, false)},
                                         {"plus.hlo", SortText(kPlusOne, 16, 1, false)}});
  const std::string less = folder.path() + "/less.hlo", plus = folder.path() + "/plus.hlo";
  const RunResult open = RunAffirm({"equiv", "--hlo", plus, less});
  EXPECT_EQ(open.status, 2) << open.out;
  EXPECT_NE(open.out.find("no strict weak order"), std::string::npos) << open.out;
  EXPECT_EQ(RunAffirm({"equiv", "--hlo", less, plus}).status, 1);
}

}  // namespace
}  // namespace affirm::driver
