// Each kind of finding about memory and integers: a kernel that has it, and the one that is
// repaired.
#include <gtest/gtest.h>

#include "tests/kernel_emulator/run_kernel.h"

namespace affirm::testing {
namespace {

// out[t] = in[t], with `index` for the second and `value` computed by `extra`.
std::string Copy(const std::string& load_index, const std::string& store_index,
                 const std::string& extra = "", const std::string& value = "%v") {
  return R"(
%p = getelementptr i32, ptr %in, i32 )" +
         load_index + R"(
%v = load i32, ptr %p, align 4
)" + extra +
         R"(
%q = getelementptr i32, ptr %out, i32 )" +
         store_index + "\nstore i32 " + value + ", ptr %q, align 4\nret void";
}

TEST(Findings, NoneInACopy) {
  TestRun run = RunKernel({.body = Copy("%t", "%t")});
  EXPECT_EQ(run.Claims(), "");
  EXPECT_EQ(run.output, (std::vector<int32_t>{10, 20, 30, 40}));
}

TEST(Findings, ReadOutsideNamesThreadBufferAndElement) {
  TestRun run = RunKernel({.body = "%i = add i32 %t, 1" + Copy("%i", "%t")});
  ASSERT_EQ(run.Claims(), "bounds values");  // and what was read reaches the result
  const kernel::Finding& finding = run.findings[0];
  EXPECT_EQ(finding.block, 0);
  EXPECT_EQ(finding.thread, 3);
  EXPECT_EQ(finding.param, 0);
  EXPECT_EQ(finding.element, 4);
  EXPECT_NE(finding.instruction.find("load i32"), std::string::npos);
  EXPECT_GT(finding.line, 0);
}

TEST(Findings, ReadBeforeTheBuffer) {
  TestRun run = RunKernel({.body = "%i = sub i32 %t, 1" + Copy("%i", "%t")});
  ASSERT_EQ(run.Claims(), "bounds values");
  EXPECT_EQ(run.findings[0].element, -1);
}

TEST(Findings, WriteOutside) {
  TestRun run = RunKernel({.body = Copy("%t", "%t"), .outputs = 3});
  ASSERT_EQ(run.Claims(), "bounds");
  EXPECT_EQ(run.findings[0].param, 1);
}

TEST(Findings, WriteToAnInput) {
  const char* body =
      "%p = getelementptr i32, ptr %in, i32 %t\nstore i32 1, ptr %p, align 4\n"
      "%q = getelementptr i32, ptr %out, i32 %t\nstore i32 1, ptr %q, align 4\n"
      "ret void";
  EXPECT_EQ(RunKernel({.body = body}).Claims(), "bounds");
  EXPECT_EQ(RunKernel({.body = body, .in_place = true}).Claims(), "");
}

TEST(Findings, Misaligned) {
  auto body = [](const char* bytes) {
    return std::string("%p = getelementptr i8, ptr %in, i32 ") + bytes +
           "\n%v = load <2 x i32>, ptr %p, align 8\n%e = extractelement <2 x i32> %v, i32 0\n" +
           "%q = getelementptr i32, ptr %out, i32 %t\nstore i32 %e, ptr %q, align 4\nret void";
  };
  EXPECT_EQ(RunKernel({.body = body("4")}).Claims(), "bounds values");
  EXPECT_EQ(RunKernel({.body = body("8")}).Claims(), "");
}

TEST(Findings, NullPointer) {
  EXPECT_EQ(
      RunKernel({.body = "%v = load i32, ptr null, align 4\nret void", .outputs = 0}).Claims(),
      "bounds");
}

TEST(Findings, ElementsNeverWritten) {
  const char* guard = "%c = icmp slt i32 %t, 3\nbr i1 %c, label %do, label %end\ndo:\n";
  const char* end = "br label %end\nend:\nret void";
  std::string store = "%q = getelementptr i32, ptr %out, i32 %t\nstore i32 7, ptr %q, align 4\n";
  TestRun run = RunKernel({.body = guard + store + end});
  ASSERT_EQ(run.Claims(), "writes");
  EXPECT_EQ(run.findings[0].element, 3);
  // In place, an element that is left alone is what it was.
  run = RunKernel({.body = guard + store + end, .in_place = true});
  EXPECT_EQ(run.Claims(), "");
  EXPECT_EQ(run.output, (std::vector<int32_t>{7, 7, 7, 40}));
}

TEST(Findings, ResultReadBeforeItIsWritten) {
  const char* body =
      "%q = getelementptr i32, ptr %out, i32 %t\n%v = load i32, ptr %q, align 4\n"
      "store i32 %v, ptr %q, align 4\nret void";
  EXPECT_EQ(RunKernel({.body = body}).Claims(), "values");
  EXPECT_EQ(RunKernel({.body = body, .in_place = true}).Claims(), "");
}

struct PoisonCase {
  const char* name;
  const char* poison;  // makes %x from %t poison for some thread
  const char* fine;
};

class Poison : public ::testing::TestWithParam<PoisonCase> {};

TEST_P(Poison, IsReportedWhereItIsStored) {
  std::string store =
      "\n%q = getelementptr i32, ptr %out, i32 %t\nstore i32 %x, ptr %q, align 4\n"
      "ret void";
  EXPECT_EQ(RunKernel({.body = GetParam().poison + store}).Claims(), "integers");
  EXPECT_EQ(RunKernel({.body = GetParam().fine + store}).Claims(), "");
}

TEST_P(Poison, IsNotReportedWhereItIsDropped) {
  std::string drop = std::string(GetParam().poison) +
                     "\n%y = select i1 false, i32 %x, i32 %t\n"
                     "%q = getelementptr i32, ptr %out, i32 %t\nstore i32 %y, ptr %q, align 4\n"
                     "ret void";
  EXPECT_EQ(RunKernel({.body = drop}).Claims(), "");
}

TEST_P(Poison, IsReportedAsAnAddress) {
  std::string use = std::string(GetParam().poison) +
                    "\n%z = and i32 %x, 0\n%i = add i32 %z, %t\n"
                    "%q = getelementptr i32, ptr %out, i32 %i\nstore i32 1, ptr %q, align 4\n"
                    "ret void";
  EXPECT_NE(RunKernel({.body = use}).Claims().find("integers"), std::string::npos);
}

TEST_P(Poison, IsReportedAsABranch) {
  std::string use = "%q = getelementptr i32, ptr %out, i32 %t\nstore i32 1, ptr %q, align 4\n" +
                    std::string(GetParam().poison) +
                    "\n%c = icmp eq i32 %x, 77\nbr i1 %c, label %end, label %end\nend:\nret void";
  EXPECT_EQ(RunKernel({.body = use}).Claims(), "integers");
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Poison,
    ::testing::Values(
        PoisonCase{"nsw", "%x = add nsw i32 2147483645, %t", "%x = add i32 2147483645, %t"},
        PoisonCase{"nuw", "%x = sub nuw i32 %t, 1", "%x = sub i32 %t, 1"},
        PoisonCase{"exact", "%x = udiv exact i32 %t, 2", "%x = udiv i32 %t, 2"},
        PoisonCase{"disjoint", "%x = or disjoint i32 %t, 1", "%x = or i32 %t, 1"},
        PoisonCase{"shift", "%s = mul i32 %t, 16\n%x = shl i32 1, %s",
                   "%s = mul i32 %t, 8\n%x = shl i32 1, %s"},
        PoisonCase{"nneg",
                   "%s = sub i32 0, %t\n%w = zext nneg i32 %s to i64\n%x = trunc i64 %w to i32",
                   "%s = sub i32 0, %t\n%w = zext i32 %s to i64\n%x = trunc i64 %w to i32"},
        PoisonCase{"trunc",
                   "%w = shl i32 %t, 7\n%b = trunc nuw i32 %w to i8\n%x = zext i8 %b to i32",
                   "%w = shl i32 %t, 6\n%b = trunc nuw i32 %w to i8\n%x = zext i8 %b to i32"},
        PoisonCase{"range", "%x = call range(i32 0, 3) i32 @llvm.nvvm.read.ptx.sreg.tid.x()",
                   "%x = call range(i32 0, 4) i32 @llvm.nvvm.read.ptx.sreg.tid.x()"}),
    [](const auto& info) { return info.param.name; });

TEST(Findings, InBoundsThatLeavesTheBuffer) {
  auto body = [](const char* keyword) {
    return std::string("%p = getelementptr ") + keyword +
           " i32, ptr %in, i32 5\n%b = getelementptr i8, ptr %p, i32 -8\n"
           "%v = load i32, ptr %b, align 4\n"
           "%q = getelementptr i32, ptr %out, i32 %t\nstore i32 %v, ptr %q, align 4\nret void";
  };
  EXPECT_EQ(RunKernel({.body = body("inbounds")}).Claims(), "integers values");
  EXPECT_EQ(RunKernel({.body = body("")}).Claims(), "");
}

TEST(Findings, DivisionByZero) {
  EXPECT_EQ(RunKernel({.body = "%x = udiv i32 8, %t" + Copy("%t", "%t", "", "%x")}).Claims(),
            "integers");
  EXPECT_EQ(
      RunKernel({.body = "%d = add i32 %t, 1\n%x = udiv i32 8, %d" + Copy("%t", "%t", "", "%x")})
          .Claims(),
      "");
}

TEST(Findings, QuotientThatDoesNotFit) {
  EXPECT_NE(
      RunKernel({.body = "%d = sub i32 %t, 1\n%e = or i32 %d, 1\n%x = sdiv i32 -2147483648, %e" +
                         Copy("%t", "%t", "", "%x")})
          .Claims()
          .find("integers"),
      std::string::npos);
}

TEST(Findings, UnreachableAndAssumptions) {
  const std::string assume = "declare void @llvm.assume(i1)";
  EXPECT_EQ(RunKernel({.body = "unreachable", .outputs = 0}).Claims(), "integers");
  EXPECT_EQ(RunKernel({.body = "%c = icmp ult i32 %t, 3\ncall void @llvm.assume(i1 %c)\nret void",
                       .around = assume,
                       .outputs = 0})
                .Claims(),
            "integers");
  EXPECT_EQ(RunKernel({.body = "%c = icmp ult i32 %t, 4\ncall void @llvm.assume(i1 %c)\nret void",
                       .around = assume,
                       .outputs = 0})
                .Claims(),
            "");
}

TEST(Findings, LocalVariables) {
  auto body = [](const char* index) {
    return std::string(
               "%a = alloca [2 x i32], align 4\nstore [2 x i32] zeroinitializer, ptr %a\n"
               "%p = getelementptr i32, ptr %a, i32 ") +
           index +
           "\n%v = load i32, ptr %p, align 4\n%q = getelementptr i32, ptr %out, i32 %t\n"
           "store i32 %v, ptr %q, align 4\nret void";
  };
  EXPECT_EQ(RunKernel({.body = body("1")}).Claims(), "");
  EXPECT_EQ(RunKernel({.body = body("2")}).Claims(), "bounds values");
}

// LangRef, "freeze": any value, and a defined one.
TEST(Findings, UndefinedArgumentsUnlessFrozen) {
  auto body = [](const char* made) {
    return std::string(made) + "\ncall void @f(i32 %u)\nret void";
  };
  const char* around = "define internal void @f(i32 noundef %u) {\nret void\n}";
  auto claims = [&](const char* made) {
    return RunKernel({.body = body(made), .around = around, .outputs = 0}).Claims();
  };
  EXPECT_EQ(claims("%u = add i32 undef, 1"), "values");
  EXPECT_EQ(claims("%u = add i32 poison, 1"), "integers");
  EXPECT_EQ(claims("%u = freeze i32 undef"), "");
  EXPECT_EQ(claims("%v = freeze i32 poison\n%u = mul i32 %v, 3"), "");
}

// All uses of a frozen value have one value, which may cancel: what depends on it may be specified
// all the same, and the run ends where that would count.
TEST(Findings, FrozenValuesMayCancel) {
  auto run = [](const std::string& body, const char* around = "") {
    return RunKernel({.body = body + "\n%q = getelementptr i32, ptr %out, i32 %t\n"
                                     "store i32 %r, ptr %q, align 4\nret void",
                      .around = around});
  };
  const char* tile = "@tile = internal addrspace(3) global [4 x i32] undef";
  for (const std::string& body : std::vector<std::string>{
           "%f = freeze i32 undef\n%r = xor i32 %f, %f",
           "%f = freeze i32 poison\n%y = add i32 %t, %f\n%r = sub i32 %y, %f",
           "%f = freeze i32 undef\n%c = icmp eq i32 %f, %f\n%r = select i1 %c, i32 %t, i32 undef",
           "%f = freeze i32 undef\n%z = xor i32 %f, %f\n%r = and i32 %z, undef",
           "%f = freeze i32 undef\n%z = xor i32 %f, %f\n%o = or i32 %z, 1\n%r = udiv i32 %t, %o",
           "%f = freeze i32 undef\n%z = xor i32 %f, %f\n"
           "%p = getelementptr i32, ptr %in, i32 %z\n%r = load i32, ptr %p, align 4",
           "%f = freeze <2 x i16> undef\n%g = bitcast <2 x i16> %f to i32\n%r = xor i32 %g, %g",
           // Through memory of the thread and of the block.
           "%a = alloca i32\n%f = freeze i32 undef\nstore i32 %f, ptr %a\n%x = load i32, ptr "
           "%a\n%y = load i32, ptr %a\n%r = xor i32 %x, %y",
           "%s = getelementptr [4 x i32], ptr addrspace(3) @tile, i32 0, i32 %t\n%f = freeze i32 "
           "undef\nstore i32 %f, ptr addrspace(3) %s\n%x = load i32, ptr addrspace(3) %s\n%y = "
           "load i32, ptr addrspace(3) %s\n%r = xor i32 %x, %y",
           "%s = getelementptr [4 x i32], ptr addrspace(3) @tile, i32 0, i32 %t\n%f = freeze i32 "
           "undef\n%g = xor i32 %f, undef\nstore i32 %g, ptr addrspace(3) %s\n%x = load i32, ptr "
           "addrspace(3) %s\n%r = and i32 %x, 1"}) {
    const TestRun result = run(body, tile);
    ASSERT_EQ(result.findings.size(), 1u) << body << result.Claims();
    EXPECT_EQ(result.findings[0].kind, kernel::Finding::Kind::kNotModelled) << body;
    EXPECT_NE(result.findings[0].what.find("frozen"), std::string::npos) << body;
  }
  // Each use of a value that is not frozen may see another value.
  for (const char* body : {"%r = xor i32 undef, undef", "%r = add i32 undef, %t",
                           "%a = alloca i32\n%r = load i32, ptr %a"}) {
    const TestRun result = run(body);
    ASSERT_FALSE(result.findings.empty()) << body;
    EXPECT_EQ(result.findings[0].kind, kernel::Finding::Kind::kWrong) << body;
    EXPECT_EQ(result.findings[0].claim, kernel::Claim::kValues) << body;
  }
}

// Half a tebibyte is as much as an address has room for behind the start of its region.
TEST(Findings, BufferBeyondItsRegionIsNotExecuted) {
  const TestRun run = RunKernel({.body = Copy("%t", "%t"), .outputs = int64_t{1} << 37});
  EXPECT_NE(run.error.find("parameter 1 has 549755813888 bytes"), std::string::npos) << run.error;
}

// Modules are split, and a constant stands in another part.
TEST(Memory, AVariableOfAnotherModuleIsNotModelled) {
  const char* body =
      "%a = getelementptr i32, ptr @elsewhere, i32 %t\n%v = load i32, ptr %a\n"
      "%o = getelementptr i32, ptr %out, i32 %t\nstore i32 %v, ptr %o\nret void";
  const TestRun run = RunKernel(
      {.body = body, .around = "@elsewhere = external hidden constant [4 x i32], align 16"});
  EXPECT_NE(run.error.find("@elsewhere is defined elsewhere"), std::string::npos) << run.error;
  EXPECT_TRUE(run.findings.empty());
}

}  // namespace
}  // namespace affirm::testing
