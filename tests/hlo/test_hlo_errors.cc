// Malformed HLO text: the error message, its location, and bounds on time and memory.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <ctime>

#include "core/hlo/text.h"
#include "core/hlo/verifier.h"
#include "tests/hlo/hlo_generators.h"

namespace affirm::hlo {
namespace {

// The message, or "" when the text reads.
std::string ErrorOf(llvm::StringRef text) {
  llvm::Expected<std::vector<std::unique_ptr<Module>>> modules = ParseModules(text, "t");
  return modules ? "" : llvm::toString(modules.takeError());
}

struct BadText {
  const char* text;
  const char* error;  // how the message begins
};

class Refuses : public ::testing::TestWithParam<BadText> {};

TEST_P(Refuses, WithALocationAndAReason) {
  const std::string error = ErrorOf(GetParam().text);
  EXPECT_EQ(error.substr(0, std::string(GetParam().error).size()), GetParam().error) << error;
}

INSTANTIATE_TEST_SUITE_P(
    Syntax, Refuses,
    ::testing::Values(
        BadText{"", "t:1:1: error: expected an HLO module"},
        BadText{"\n// only a comment\n", "t:3:1: error: expected an HLO module"},
        BadText{"hlo_module { name: \"main\" }",
                "t:1:18: error: expected '=' behind the name 'name'"},
        BadText{"HloModule", "t:1:10: error: expected the name of the module"},
        BadText{"HloModule m", "t:1:12: error: expected a computation"},
        BadText{"HloModule m\nFileNames\n1 \"a\"\n2\n\nENTRY e { x = f32[] parameter(0) }",
                "t:4:2: error: expected row 2 of FileNames behind its number"},
        BadText{"HloModule m, buffer_donor={",
                "t:1:27: error: expected a '}' that closes this bracket"},
        BadText{"HloModule m, buffer_donor={(]}", "t:1:29: error: expected ')' to close"},
        BadText{"ENTRY e {", "t:1:10: error: expected an instruction or '}' in computation e"},
        BadText{"e { }", "t:1:5: error: expected at least one instruction"},
        BadText{"e {\n  x = f32[] add(y, y) }",
                "t:2:17: error: expected an instruction defined above"},
        BadText{"e {\n  x = f32[] negate(x) }",
                "t:2:20: error: expected an instruction defined above"},
        BadText{"e {\n  x = f32[] parameter(0)\n  y = compare(x, x), direction=LT, order=ANY }",
                "t:3:42: error: expected order=TOTAL or PARTIAL, found 'ANY'"},
        BadText{"e {\n  x = f32[] parameter(0)\n  y = f32[] negate(x#0) }",
                "t:3:21: error: expected the number of an element of f32[], found '#0'"},
        BadText{"e {\n  x = (f32[]) parameter(0)\n  y = f32[] negate(x#1) }",
                "t:3:21: error: expected the number of an element of (f32[]), found '#1'"},
        BadText{"e {\n  x = (f32[]) parameter(0)\n  y = f32[] negate(x#-1) }",
                "t:3:21: error: expected the number of an element of (f32[]), found '#-1'"},
        BadText{"e {\n  x = (f32[]) parameter(0)\n  y = f32[] negate(x#) }",
                "t:3:22: error: expected the number of an element behind '#'"},
        BadText{
            "x = f32[] negate(y)",
            "t:1:18: error: expected an instruction defined above as operand or a shape before"},
        BadText{"e { x = f32[] parameter(0)\n x = f32[] negate(x) }",
                "t:2:2: error: expected a new name, found 'x'"},
        BadText{"e { x = f32[] parameter(0) } e { x = f32[] parameter(0) }",
                "t:1:30: error: expected a new name, found 'e'"},
        BadText{"ENTRY e { x = f32[] parameter(0) } ENTRY f { x = f32[] parameter(0) }",
                "t:1:42: error: expected one ENTRY"},
        BadText{"e { ROOT x = f32[] parameter(0) ROOT y = f32[] negate(x) }",
                "t:1:38: error: expected one ROOT"},
        BadText{"e { x = f33[] parameter(0) }",
                "t:1:9: error: expected a shape like 'f32[2,3]', found 'f33'"},
        BadText{"e { x = f32[-1] parameter(0) }", "t:1:13: error: expected a size of at least 0"},
        BadText{"e { x = f32[99999999999999999999] parameter(0) }",
                "t:1:13: error: expected a size, a number that fits 64 bits"},
        BadText{"e { x = f32[4294967296,4294967296] parameter(0) }",
                "t:1:12: error: expected a shape whose size in bytes fits 64 bits"},
        BadText{"e { x = f32[0,4294967296,4294967296] parameter(0) }",
                "t:1:12: error: expected a shape whose size in bytes fits 64 bits"},
        BadText{"e { x = f32[2,3]{0,0} parameter(0) }",
                "t:1:18: error: expected a layout that names each of the 2"},
        BadText{"e { x = f32[2,3]{0} parameter(0) }", "t:1:18: error: expected a layout"},
        BadText{"e { x = f32[] parameter(-1) }",
                "t:1:25: error: expected the number of the parameter"},
        BadText{"e { x = f32[] parameter(1) }",
                "t:1:5: error: expected the parameters of computation e"},
        BadText{"e { x = f32[] parameter(999999999999) }", "t:1:5: error: expected the parameters"},
        BadText{"e { x = f32[] parameter(0) y = f32[] parameter(0) }",
                "t:1:28: error: expected the parameters of computation e"},
        BadText{"e { x = f32[] parameter(0), }", "t:1:29: error: expected an attribute"},
        BadText{"e { x = f32[] parameter(0), sharding= }", "t:1:39: error: expected a value"},
        BadText{"e { x = f32[] parameter(0), origin=1, origin=2 }",
                "t:1:39: error: expected each attribute once"},
        BadText{"e { x = f32[] parameter(0), metadata=\"abc }",
                "t:1:38: error: expected a closing '\"'"},
        BadText{"e { x = f32[] parameter(0) y = f32[] negate(x,) }",
                "t:1:47: error: expected an operand of negate, found ')'"},
        BadText{"e { x = f32[] parameter(0) y = f32[] call(x), to_apply=g }",
                "t:1:56: error: expected the name of a computation of this module, found 'g'"},
        BadText{"e { x = f32[] parameter(0) y = f32[] call(x), to_apply=e }",
                "t:1:28: error: expected calls that end"},
        BadText{"f { x = f32[] parameter(0) y = f32[] call(x), to_apply=g }\n"
                "g { x = f32[] parameter(0) y = f32[] call(x), to_apply=f }",
                "t:2:28: error: expected calls that end"},
        BadText{"e { x = f32[] parameter(0), control-predecessors={z} }",
                "t:1:51: error: expected the name of an instruction"},
        BadText{"e (a: f32[]) -> s32[] { x = f32[] parameter(0) }",
                "t:1:1: error: expected a computation whose root has the shape s32[]"},
        BadText{"e { x = broadcast(f32[] parameter(0)) }",
                "t:1:5: error: expected a shape in front of broadcast"},
        BadText{"e { x = \x01 }", "t:1:9: error: expected a shape or an opcode, found '\\x01'"}));

INSTANTIATE_TEST_SUITE_P(
    Constants, Refuses,
    ::testing::Values(
        BadText{"e { x = constant(1) }", "t:1:18: error: expected the shape of the constant"},
        BadText{"e { x = s8[] constant(128) }",
                "t:1:23: error: expected a number that s8 holds, found '128'"},
        BadText{"e { x = u4[] constant(-1) }", "t:1:23: error: expected a number that u4 holds"},
        BadText{"e { x = s32[] constant(1.5) }", "t:1:24: error: expected a number that s32 holds"},
        BadText{"e { x = f32[2] constant({1, 2, 3}) }",
                "t:1:30: error: expected '}' behind the 2 elements"},
        BadText{"e { x = f32[2] constant({1}) }",
                "t:1:27: error: expected ',' behind element 0 of the 2 elements"},
        BadText{"e { x = f32[2] constant({{1, 2}}) }",
                "t:1:26: error: expected an element of f32[2]"},
        BadText{"e { x = f32[2,1] constant({1, 2}) }",
                "t:1:28: error: expected '{' before the 1 elements"},
        BadText{"e { x = f32[] constant({1}) }", "t:1:24: error: expected an element of f32[]"},
        BadText{"e { x = f32[0] constant({1}) }", "t:1:25: error: expected no elements"},
        BadText{"e { x = f32[] constant() }",
                "t:1:24: error: expected a number that f32 holds, found ')'"},
        BadText{"e { x = pred[] constant(maybe) }",
                "t:1:25: error: expected true or false, found 'maybe'"},
        BadText{"e { x = s8[1000000000000] constant(1) }",
                "t:1:36: error: expected the elements of"},
        BadText{"e { x = s8[1000000000000] constant({1}) }", "t:1:38: error: expected ','"},
        BadText{"e { x = token[] constant(1) }", "t:1:26: error: expected a literal of an array"},
        BadText{"e { x = (s8[], s8[]) constant((1)) }", "t:1:33: error: expected ',' between"}));

// Every prefix of a module is refused, or is a module.
TEST(Robust, Truncation) {
  const std::string text = R"(HloModule m, entry_computation_layout={(s4[])->f32[]}
f (a: f32[]) -> f32[] { a = f32[] parameter(0) /* c */ ROOT b = f32[] negate(a), metadata={op_name="x\"y"} }
g { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] add(a, b) }
ENTRY e { p = (f32[2,<=3]{1,0:T(8)}, s4[]) parameter(0)
 c = c64[2] constant({(1,2),(3,nan(0x1))}) s = f32[] constant(1) v = f32[3,4] constant({...})
 w = f32[4,8] reduce-window(v, s), to_apply=g, window={size=1x2 pad=0_1x2_3}
 ROOT r = f32[] call(s), to_apply={ q = f32[] parameter(0) }
})";
  EXPECT_EQ(ErrorOf(text), "");
  for (size_t n = 0; n < text.size(); ++n) {
    const llvm::StringRef prefix = llvm::StringRef(text).take_front(n);
    const std::string error = ErrorOf(prefix);
    // Behind the first computation the module could end.
    if (prefix.rtrim().ends_with("}")) continue;
    EXPECT_EQ(error.rfind("t:", 0), 0u) << prefix.str();
  }
}

// A valid module with one byte replaced by any other, or a part of it repeated.
RC_GTEST_PROP(Robust, Mutation, ()) {
  std::string text = ToString(*testing::AnyModule());
  const int edits = *rc::gen::inRange(1, 4);
  for (int i = 0; i < edits; ++i) {
    const auto at = *rc::gen::inRange<size_t>(0, text.size());
    const auto length = *rc::gen::inRange<size_t>(0, 12);
    if (*rc::gen::arbitrary<bool>()) {
      text[at] = *rc::gen::arbitrary<char>();
    } else {
      text.insert(*rc::gen::inRange<size_t>(0, text.size()), text.substr(at, length));
    }
  }
  auto module = ParseModule(text, "t");
  if (!module) {
    RC_ASSERT(llvm::StringRef(llvm::toString(module.takeError())).starts_with("t:"));
    return;
  }
  auto again = ParseModule(ToString(**module), "t");
  if (!again) RC_FAIL(llvm::toString(again.takeError()));
  RC_ASSERT(SameModule(**module, **again));
}

std::string Repeat(const std::string& part, size_t count) {
  std::string text;
  text.reserve(part.size() * count);
  for (size_t i = 0; i < count; ++i) text += part;
  return text;
}

// Each of these is refused or read within seconds; a quadratic reader would need hours.
TEST(Robust, LongAndDeepTexts) {
  constexpr size_t kLong = 10'000'000;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_NE(ErrorOf(std::string(kLong, 'x')), "");
  EXPECT_NE(ErrorOf(std::string(kLong, '\0')), "");
  EXPECT_NE(ErrorOf(std::string(kLong, '(')), "");
  EXPECT_NE(ErrorOf(Repeat("// -----", kLong / 8)), "");
  EXPECT_NE(ErrorOf(Repeat("/*", kLong / 2)), "");
  EXPECT_NE(ErrorOf("HloModule m, a=" + std::string(kLong, '{')), "");
  EXPECT_NE(ErrorOf("HloModule m, a=\"" + std::string(kLong, '\\')), "");
  EXPECT_NE(ErrorOf("e { x = " + std::string(kLong, '(')), "");
  EXPECT_NE(ErrorOf("e { x = f32[" + Repeat("1,", kLong / 2)), "");
  EXPECT_NE(ErrorOf("e { x = f32[] " + Repeat("negate(", 100'000)), "");
  EXPECT_NE(ErrorOf("e { x = f32[] constant(" + std::string(kLong, '9') + ") }"), "");
  EXPECT_NE(ErrorOf(Repeat("e { x = f32[] call(), to_apply={", 10'000)), "");
  EXPECT_NE(ErrorOf("e { x = (f32[]) parameter(0) " + Repeat("y = tuple(x,x)", 100'000)), "");
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_LT(seconds.count(), 60);
}

// Text that would grow exponentially, or a million-fold, when it is taken at its word.
TEST(Robust, SmallTextsDoNotBecomeLarge) {
  std::string doubling = "e { t0 = f32[] parameter(0)\n";
  for (int i = 0; i < 100; ++i) {
    const std::string last = "t" + std::to_string(i);
    doubling += "t" + std::to_string(i + 1) + " = tuple(" + last + ", " + last + ")\n";
  }
  EXPECT_NE(ErrorOf(doubling + "}").find("expected the shapes of tuples this large to be written"),
            std::string::npos);
  std::string filled = "e {\n";
  for (int i = 0; i < 100; ++i) {
    filled += "c" + std::to_string(i) + " = f64[1000000] constant(1)\n";
  }
  EXPECT_NE(ErrorOf(filled + "}").find("too large for one number to fill"), std::string::npos);
}

// A module as large as whole models are, on one line.
TEST(Robust, LargeModulesReadFast) {
  std::string text = "e { x0 = f32[128,1024]{1,0} parameter(0) ";
  for (int i = 1; i < 40'000; ++i) {
    text += "x" + std::to_string(i) + " = f32[128,1024]{1,0} add(x0, x" + std::to_string(i - 1) +
            "), metadata={op_name=\"jit(f)/add\" source_line=7} ";
  }
  text += "}";
  // Measures processor time, not a clock that others share. Quadratic time would be hours.
  const std::clock_t start = std::clock();
  EXPECT_EQ(ErrorOf(text), "");
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_LT(seconds, 20) << "for " << text.size() << " bytes";
}

}  // namespace
}  // namespace affirm::hlo
