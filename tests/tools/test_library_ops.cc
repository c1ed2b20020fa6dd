// Cholesky factors and triangular systems are run as loops of kernels, and compared with what the
// interpreter says of the op, to the bit.
#include <gtest/gtest.h>

#include "core/hlo/text.h"
#include "driver/check/check.h"
#include "driver/check/library_ops.h"
#include "llvm/ADT/STLExtras.h"
#include "tests/parse_module.h"
#include "verify/reference/arguments.h"
#include "verify/reference/interpreter.h"

namespace affirm::driver {
namespace {

ModuleReport Check(const std::string& entry, FaultInjection faults = {}) {
  auto module = hlo::ParseModule("HloModule m\n" + entry, "test.hlo");
  if (!module) {
    ADD_FAILURE() << llvm::toString(module.takeError());
    return {};
  }
  CheckOptions options;
  options.faults = std::move(faults);
  return Checker(std::move(options)).Check(**module, "test.hlo", [](llvm::StringRef) {});
}

void ExpectAffirmed(const std::string& entry, size_t ops = 1) {
  SCOPED_TRACE(entry);
  const ModuleReport report = Check(entry);
  EXPECT_EQ(report.status(), 0) << report.verdict();
  EXPECT_EQ(report.whole.libraries.size(), ops);
  for (const LibraryCheck& check : report.whole.libraries) {
    EXPECT_EQ(check.runs, 1) << check.instruction;
    EXPECT_GT(check.comparison.elements, 0) << check.instruction;
    EXPECT_EQ(check.comparison.mismatches, 0) << check.instruction;
  }
}

// The loop by the interpreter against the op, on arguments of all kinds and on those for which
// there is a result.
void ExpectSameValue(const std::string& entry) {
  SCOPED_TRACE(entry);
  auto module = testing::ParseOrFail("HloModule m\n" + entry);
  ASSERT_NE(module, nullptr);
  const hlo::Computation& op = *module->entry;
  ASSERT_TRUE(IsLibraryOp(*op.root));
  const auto loop = LoopModuleOf(*op.root);
  auto sets = {hlo::MakeArguments(op, 1, hlo::ArgumentKind::kSmall),
               hlo::MakeArguments(op, 1, hlo::ArgumentKind::kRounding),
               hlo::MakeArguments(op, 1, hlo::ArgumentKind::kSpecial),
               hlo::MakeArguments(op, 1, hlo::ArgumentKind::kWide),
               WellConditionedArguments(op, 1),
               WellConditionedArguments(op, 2)};
  for (const std::vector<hlo::Literal>& arguments : sets) {
    auto expected = hlo::Interpret(op, arguments);
    auto actual = hlo::Interpret(*loop->entry, arguments);
    ASSERT_TRUE(expected && actual)
        << llvm::toString(expected.takeError()) << llvm::toString(actual.takeError());
    EXPECT_EQ(hlo::Compare(*expected, *actual, 0).mismatches, 0);
  }
}

std::string System(const std::string& type, const std::string& left, const std::string& lower,
                   const std::string& unit, const std::string& transpose) {
  const std::string matrix = type + "[2,4,4]",
                    sides = type + (left == "true" ? "[2,4,3]" : "[2,3,4]");
  return "ENTRY e { t = " + matrix + " parameter(0)\n  b = " + sides +
         " parameter(1)\n  ROOT x = " + sides + " triangular-solve(t, b), left_side=" + left +
         ", lower=" + lower + ", unit_diagonal=" + unit + ", transpose_a=" + transpose + " }\n";
}

TEST(LibraryOps, TriangularSystems) {
  for (const char* left : {"true", "false"}) {
    for (const char* lower : {"true", "false"}) {
      for (const char* unit : {"true", "false"}) {
        for (const char* transpose : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}) {
          ExpectSameValue(System("f32", left, lower, unit, transpose));
          ExpectSameValue(System("bf16", left, lower, unit, transpose));
        }
        ExpectAffirmed(System("f32", left, lower, unit, "TRANSPOSE"));
      }
    }
  }
  ExpectAffirmed(System("f16", "false", "false", "true", "NO_TRANSPOSE"));
}

std::string Factor(const std::string& shape, const std::string& lower) {
  return "ENTRY e { a = " + shape + " parameter(0)\n  ROOT l = " + shape +
         " cholesky(a), lower=" + lower + " }\n";
}

TEST(LibraryOps, Factors) {
  for (const char* shape : {"f32[1,1]", "bf16[3,4,4]", "f64[2,1,3,3]", "f32[20,20]{0,1}",
                            "c64[2,5,5]", "c128[3,3]{0,1}"}) {
    for (const char* lower : {"true", "false"}) ExpectSameValue(Factor(shape, lower));
  }
  ExpectAffirmed(Factor("f32[2,5,5]", "false"));
  ExpectAffirmed(Factor("f32[40,40]{0,1}", "true"));
  ExpectAffirmed(Factor("c64[4,4]", "false"));
}

constexpr char kBranch[] = R"(f { p = f32[3,3] parameter(0) ROOT n = f32[3,3] negate(p) }
g { p = f32[3,3] parameter(0) ROOT l = f32[3,3] cholesky(p), lower=true }
ENTRY e { t = pred[] constant(true)
  p = f32[3,3] parameter(0)
  ROOT c = f32[3,3] conditional(t, p, p), true_computation=f, false_computation=g }
)";

TEST(LibraryOps, InABranchThatIsNotTaken) { ExpectAffirmed(kBranch); }

// One in a fusion is run by the host, as is what calls it.
TEST(LibraryOps, InFusionsAndCalls) {
  ExpectAffirmed(R"(g { p = f32[3,3] parameter(0)
  n = f32[3,3] add(p, p)
  ROOT l = f32[3,3] cholesky(n), lower=true }
f { p = f32[3,3] parameter(0)
  c = f32[3,3] call(p), to_apply=g
  ROOT n = f32[3,3] negate(c) }
ENTRY e { p = f32[3,3] parameter(0)
  q = f32[3,3] fusion(p), kind=kLoop, calls=f
  ROOT r = f32[3,3] call(q), to_apply=g }
)",
                 1);
}

// An operand that stands twice, one that is a tuple's, a result that is used again.
TEST(LibraryOps, BetweenKernels) {
  ExpectAffirmed(R"(ENTRY e { t = (f32[3,3], f32[3,3]) parameter(0)
  a = f32[3,3] get-tuple-element(t), index=0
  s = f32[3,3] triangular-solve(a, a), left_side=true, lower=true, transpose_a=NO_TRANSPOSE
  n = f32[3,3] negate(s)
  u = f32[3,3] triangular-solve(a, n), left_side=true, lower=true, transpose_a=NO_TRANSPOSE
  ROOT r = (f32[3,3], f32[3,3]) tuple(s, u) }
)",
                 2);
}

// A wrong value that a kernel hands on inside of the loop is seen.
TEST(LibraryOps, AWrongValueIsSeen) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"l", Factor("f32[4,4]", "true")},
      {"l", kBranch},
      {"x", System("f32", "true", "true", "false", "NO_TRANSPOSE")}};
  for (const auto& [name, entry] : cases) {
    SCOPED_TRACE(entry);
    FaultInjection faults;
    faults.handed_on = [name = name](const std::string& kernel_of, hlo::Literal& value) {
      if (kernel_of.rfind(name + ".", 0) != 0) return;
      hlo::Literal& part = value.shape().IsTuple() ? value.tuple().front() : value;
      if (part.shape().type != hlo::PrimitiveType::kF64) return;
      part.SetFloat(0, part.GetFloat(0) * 1.001 + 0.001);
    };
    const ModuleReport report = Check(entry, std::move(faults));
    EXPECT_EQ(report.status(), 1) << report.verdict();
    EXPECT_GT(report.whole.libraries[0].comparison.mismatches, 0);
  }
}

// Loops for these ops do not read elements that the ops do not read: NaN there changes nothing.
TEST(LibraryOps, WellConditionedArgumentsAreNaNWhereNothingReads) {
  for (const std::string& entry : {Factor("f32[5,5]", "true"), Factor("c64[5,5]", "false"),
                                   System("f64", "false", "true", "true", "ADJOINT")}) {
    auto module = testing::ParseOrFail("HloModule m\n" + entry);
    ASSERT_NE(module, nullptr);
    const auto arguments = WellConditionedArguments(*module->entry, 0);
    const hlo::Literal& matrix = arguments[0];
    bool has_nan = false;
    for (int64_t i = 0; i < matrix.NumElements(); ++i) has_nan |= std::isnan(matrix.GetFloat(i));
    EXPECT_TRUE(has_nan);
    auto value = hlo::Interpret(*module->entry, arguments);
    ASSERT_TRUE(static_cast<bool>(value));
    for (int64_t i = 0; i < value->NumElements(); ++i)
      EXPECT_TRUE(std::isfinite(value->GetFloat(i))) << entry << i;
  }
}

// A module with one is not affirmed by proofs alone.
TEST(LibraryOps, AreUnknownWhereNothingRuns) {
  const ModuleReport report = Check(Factor("f32[40000,40000]", "true"));
  EXPECT_EQ(report.status(), 2) << report.verdict();
  EXPECT_NE(report.verdict().find("'l' was not compared with its loop"), std::string::npos)
      << report.verdict();
}

// Matrices without elements and systems of complex numbers have none.
TEST(LibraryOps, OthersHaveNoLoop) {
  for (const std::string& entry : {Factor("f32[0,0]", "true"), Factor("f32[0,3,3]", "true"),
                                   System("c64", "true", "true", "false", "ADJOINT")}) {
    auto module = testing::ParseOrFail("HloModule m\n" + entry);
    ASSERT_NE(module, nullptr);
    EXPECT_FALSE(IsLibraryOp(*module->entry->root)) << entry;
  }
}

}  // namespace
}  // namespace affirm::driver
