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
#include "verify/reference/arguments.h"
#include "verify/reference/interpreter.h"
#include "verify/reference/open_elements.h"

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
// An order only for numbers that are not close to each other.
const char kLessByTwo[] =
    "  one = s32[] constant(1)\n  a = s32[] add(a0, one)\n"
    "  ROOT r = pred[] compare(a, b0), direction=LT";
const char kEitherLess[] =
    "  x = pred[] compare(a0, b0), direction=LT\n  y = pred[] compare(a1, b1), direction=LT\n"
    "  ROOT r = pred[] or(x, y)";
// An order only for numbers that are not far from each other.
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

// If the comparator also asks for positions, rows may look sorted to the interpreter although the
// kernel sorts them in another way: neither is wrong.
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

// An open result of the program is compared with nothing; nor is a result with another program's
// open one.
TEST(OpenSorts, AreComparedWithNothing) {
  const testing::TemporaryFolder folder({{"less.hlo", SortText(Compare("LT"), 16, 1, false)},
                                         {"plus.hlo", SortText(kPlusOne, 16, 1, false)}});
  const std::string less = folder.path() + "/less.hlo", plus = folder.path() + "/plus.hlo";
  const RunResult open = RunAffirm({"equiv", "--hlo", plus, less});
  EXPECT_EQ(open.status, 2) << open.out;
  EXPECT_NE(open.out.find("no strict weak order"), std::string::npos) << open.out;
  EXPECT_EQ(RunAffirm({"equiv", "--hlo", less, plus}).status, 1);
}

// Validates a kernel of two arrays of two elements each, `arrays` of them operands and as many
// results; `copied`: the results start as the operands.
Validation ValidateText(const std::string& text, const hlo::Module& module, int64_t arrays,
                        bool copied, bool may_omit_contents) {
  const auto ir = llvm::cantFail(kernel::ReadKernelIr(text, "k.ll", "k"));
  kernel::Launch launch;
  launch.kernel = "k";
  launch.grid = launch.threads = {1, 1, 1};
  for (int64_t number = 0; number < 2 * arrays; ++number) {
    kernel::Param param;
    param.shape = hlo::Shape::Array(hlo::PrimitiveType::kS32, {2});
    param.bytes = 8;
    param.role = number < arrays ? kernel::Param::kInput : kernel::Param::kOutput;
    param.memory = number;
    if (copied && number >= arrays) param.starts_as = number - arrays;
    launch.params.push_back(param);
  }
  ValidateOptions options;
  options.may_omit_contents = may_omit_contents;
  return Validate({module.entry, &ir, launch}, options);
}

constexpr char kTarget[] = R"(target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
)";

// XLA copies the operands of a sort to its results, and sorts there. A launch that was written by
// hand may leave that out; one of a program says it.
TEST(OpenSorts, OfCopiedOperandsAreNotRefuted) {
  const auto module = testing::ParseOrFail(SortText(Compare("LT"), 2, 1, false));
  const std::string sorts = std::string(kTarget) + R"(
define ptx_kernel void @k(ptr %in, ptr %out) {
  %second = getelementptr i32, ptr %out, i64 1
  %a = load i32, ptr %out
  %b = load i32, ptr %second
  %swap = icmp slt i32 %b, %a
  br i1 %swap, label %exchange, label %end
exchange:
  store i32 %b, ptr %out
  store i32 %a, ptr %second
  br label %end
end:
  ret void
}
)";
  auto validate = [&](bool copied, bool may_omit_contents) {
    return ValidateText(sorts, *module, 1, copied, may_omit_contents);
  };
  EXPECT_NE(validate(true, false).verdict, Verdict::kRefuted);
  EXPECT_EQ(validate(false, false).verdict, Verdict::kRefuted);
  const Validation unsaid = validate(false, true);
  EXPECT_EQ(unsaid.verdict, Verdict::kUnknown);
  const auto values = static_cast<size_t>(kernel::Claim::kValues);
  EXPECT_NE(unsaid.claims[values].reason.find("starts_as"), std::string::npos);
  // A fault on copies too is a fault.
  std::string wrong = sorts;
  wrong.replace(wrong.find("slt"), 3, "sgt");
  EXPECT_EQ(ValidateText(wrong, *module, 1, false, true).verdict, Verdict::kRefuted);
}

// The payloads of equal keys may come in any order; a kernel that loses one is wrong.
TEST(OpenSorts, OfTiesAreNotRefuted) {
  const auto stable = testing::ParseOrFail(SortText(Compare("LT"), 2, 2, true));
  const auto unstable = testing::ParseOrFail(SortText(Compare("LT"), 2, 2, false));
  auto verdict = [&](const hlo::Module& module, const std::string& lost) {
    const std::string text = std::string(kTarget) + R"(
define ptx_kernel void @k(ptr %k, ptr %v, ptr %ks, ptr %vs) {
  %k1p = getelementptr i32, ptr %k, i64 1
  %v1p = getelementptr i32, ptr %v, i64 1
  %k0 = load i32, ptr %k
  %k1 = load i32, ptr %k1p
  %v0 = load i32, ptr %v
  %v1 = load i32, ptr %v1p
  %swap = icmp sle i32 %k1, %k0
  %a = select i1 %swap, i32 %k1, i32 %k0
  %b = select i1 %swap, i32 %k0, i32 %k1
  %c = select i1 %swap, i32 %v1, i32 %v0
  %d = select i1 %swap, i32 )" +
                             lost +
                             R"(, i32 %v1
  %ks1 = getelementptr i32, ptr %ks, i64 1
  %vs1 = getelementptr i32, ptr %vs, i64 1
  store i32 %a, ptr %ks
  store i32 %b, ptr %ks1
  store i32 %c, ptr %vs
  store i32 %d, ptr %vs1
  ret void
}
)";
    return ValidateText(text, module, 2, false, false).verdict;
  };
  EXPECT_EQ(verdict(*stable, "%v0"), Verdict::kRefuted);
  EXPECT_EQ(verdict(*unstable, "%v0"), Verdict::kUnknown);
  EXPECT_EQ(verdict(*unstable, "%v1"), Verdict::kRefuted);
}

// A dimension of size 0 has no elements: nothing is read, which is what affirm's map says.
TEST(OpenSizes, OfNoElementsReadNothing) {
  for (const char* size : {"0", "1", "4"}) {
    const ModuleReport report =
        Checked("HloModule m\nENTRY e {\n  p = s32[4,2]{1,0} parameter(0)\n  z = s32[] constant(" +
                std::string(size) +
                ")\n  ROOT d = s32[<=4,2]{1,0} set-dimension-size(p, z), dimensions={0}\n}\n");
    EXPECT_EQ(report.status(), 2) << size << report.verdict();
    for (const Finding& finding : report.findings)
      EXPECT_EQ(finding.kind, Finding::Kind::kUnknown) << size << finding.text;
  }
}

// Unique indices of 64 bits, and such as are brought back inside, are given as the program promises
// them; a program that breaks the promise is not refuted for what its kernel does then.
TEST(OpenIndices, ThatAreSaidToBeSortedAre) {
  auto of = [](const std::string& attributes) {
    return "HloModule m\nadd { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, "
           "b) }\nENTRY e {\n  o = f32[9,5] parameter(0)\n  i = s32[2,6] parameter(1)\n"
           "  u = f32[6] parameter(2)\n  ROOT s = f32[9,5] scatter(o, i, u), "
           "update_window_dims={}, inserted_window_dims={0,1}, scatter_dims_to_operand_dims={0,1}, "
           "index_vector_dim=0, indices_are_sorted=true" +
           attributes + ", to_apply=add\n}\n";
  };
  const std::string gather =
      "HloModule m\nENTRY e {\n  o = f32[9,5] parameter(0)\n  i = s64[7] parameter(1)\n"
      "  ROOT g = f32[7,5] gather(o, i), offset_dims={1}, collapsed_slice_dims={0}, "
      "start_index_map={0}, index_vector_dim=1, slice_sizes={1,5}, indices_are_sorted=true\n}\n";
  for (const std::string& text : {of(""), of(", unique_indices=true"), gather}) {
    auto module = testing::ParseOrFail(text);
    ASSERT_NE(module, nullptr);
    for (uint64_t seed = 0; seed < 20; ++seed) {
      for (hlo::ArgumentKind kind : hlo::kArgumentKinds) {
        const auto arguments = hlo::MakeArguments(*module->entry, seed, kind);
        EXPECT_EQ(hlo::WhyPromiseIsBroken(*module->entry, arguments), "") << hlo::Name(kind);
      }
    }
    EXPECT_EQ(Checked(text).status(), 0) << text;
  }
}

TEST(OpenIndices, ThatAreSaidToBeUniqueAre) {
  auto of = [](const std::string& type, const std::string& indices) {
    return "HloModule m\nr { a = s32[] parameter(0) ROOT b = s32[] parameter(1) }\n"
           "ENTRY e {\n  o = s32[10]{0} parameter(0)\n  i = " +
           type + "[10]{0} parameter(1)\n  z = " + type + "[] constant(0)\n  n = " + type +
           "[] constant(10)\n  zs = " + type +
           "[10]{0} broadcast(z), dimensions={}\n  ns = " + type +
           "[10]{0} broadcast(n), dimensions={}\n  w = " + type +
           "[10]{0} add(i, ns)\n  p = pred[10]{0} compare(i, zs), direction=LT\n  j = " + indices +
           "\n  u = s32[10]{0} iota(), iota_dimension=0\n"
           "  ROOT s = s32[10]{0} scatter(o, j, u), update_window_dims={}, "
           "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
           "unique_indices=true, to_apply=r\n}\n";
  };
  for (const char* type : {"s32", "s64", "u64"}) {
    const std::string shape = type + std::string("[10]{0}");
    EXPECT_EQ(Checked(of(type, shape + " copy(i)")).status(), 0) << type;
    if (type[0] == 's') {
      EXPECT_EQ(Checked(of(type, shape + " select(p, w, i)")).status(), 0) << type;
    }
    // Arguments keep the promise, also where negative indices count from the end.
    if (type[0] == 's') {
      auto module = testing::ParseOrFail(of(type, shape + " select(p, w, i)"));
      ASSERT_NE(module, nullptr);
      for (uint64_t seed = 0; seed < 40; ++seed) {
        for (hlo::ArgumentKind kind : hlo::kArgumentKinds) {
          const auto arguments = hlo::MakeArguments(*module->entry, seed, kind);
          EXPECT_EQ(hlo::WhyPromiseIsBroken(*module->entry, arguments), "") << hlo::Name(kind);
        }
      }
    }
    // Ten numbers of which some are the same.
    const ModuleReport broken = Checked(of(type, shape + " and(i, ns)"));
    EXPECT_NE(broken.status(), 1) << type << broken.verdict();
  }
}

}  // namespace
}  // namespace affirm::driver
