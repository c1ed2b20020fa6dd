// Deep nesting, huge declarations and long names are read or refused with a source location, in
// memory proportional to the text. The program runs with a small address space, so that what takes
// more is killed, and on the usual stack.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "core/hlo/text.h"
#include "core/hlo/verifier.h"

namespace affirm::hlo {
namespace {

constexpr size_t kDeep = 100'000;
constexpr rlim_t kAddressSpace = rlim_t{1} << 30;

std::string Repeat(const std::string& part, size_t count) {
  std::string text;
  text.reserve(part.size() * count);
  for (size_t i = 0; i < count; ++i) text += part;
  return text;
}

std::string Nested(const std::string& open, const std::string& inside, const std::string& close) {
  return Repeat(open, kDeep) + inside + Repeat(close, kDeep);
}

// The message, or "" when the text reads.
std::string ErrorOf(const std::string& text) {
  auto modules = ParseModules(text, "t");
  return modules ? "" : llvm::toString(modules.takeError());
}

// "t:1:17: error: expected ..", in a length that a terminal bears.
void ExpectRefused(const std::string& text, const std::string& reason = "") {
  const std::string error = ErrorOf(text);
  EXPECT_EQ(error.rfind("t:", 0), 0u) << text.substr(0, 60) << "\n" << error.substr(0, 200);
  EXPECT_NE(error.find(": error: "), std::string::npos) << text.substr(0, 60);
  EXPECT_NE(error.find(reason), std::string::npos) << text.substr(0, 60) << "\n"
                                                   << error.substr(0, 200);
  EXPECT_LT(error.size(), 1000u) << text.substr(0, 60);
}

class Bounds : public ::testing::Test {
 protected:
  void SetUp() override {
    rlimit limit;
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = std::min(limit.rlim_max, kAddressSpace);
    setrlimit(RLIMIT_AS, &limit);
  }
};

// Constructs that nest, opened 100,000 times and closed as often, and opened alone.
TEST_F(Bounds, Nesting) {
  const struct {
    std::string before, open, inside, close, after;
  } kinds[] = {
      {"e { x = ", "(", "f32[]", ")", " parameter(0) }"},   // tuples
      {"e { x = ", "b(", "f32[]", ")", " parameter(0) }"},  // buffers
      {"e { p = f32[] parameter(0) x = f32[] negate(", "f32[] negate(", "p", ")", ") }"},
      {"e { x = f32[] constant(", "{", "1", "}", ") }"},
      {"e { x = f32[1,1] constant(", "{", "1", "}", ") }"},
      {"e { x = ((f32[])) constant(", "(", "1", ")", ") }"},
      {"e { x = f32[] parameter(0), a=", "{", "1", "}", " }"},
      {"e { x = f32[] parameter(0), a=", "{(", "1", ")}", " }"},
      {"e { x = f32[] parameter(0), backend_config=", "{\"a\":", "1", "}", " }"},
      {"e { x = f32[] parameter(0), sharding=", "{", "replicated", "}", " }"},
      {"e { x = f32[] call(), to_apply=", "{ x = f32[] call(), to_apply=", "{}", "}", " }"},
      {"HloModule m, entry_computation_layout={", "(", "f32[]", ")", "}"},
      {"HloModule m, a=", "{", "1", "}", ""},
      {"e (p: ", "(", "f32[]", ")", ") -> f32[] { p = f32[] parameter(0) }"},
  };
  for (const auto& kind : kinds) {
    ExpectRefused(kind.before + Repeat(kind.open, kDeep));
    const std::string closed =
        kind.before + Nested(kind.open, kind.inside, kind.close) + kind.after;
    ExpectRefused(closed);
  }
}

// Brackets, strings and comments that are never closed.
TEST_F(Bounds, UnclosedBracketsAreRefused) {
  const std::string filler = Repeat("a, ", kDeep);
  for (const char* before :
       {"HloModule m, buffer_donor={", "HloModule m, buffer_donor=\"",
        "HloModule m, buffer_donor=(", "e {", "e (", "/* ", "e { x = (", "e { x = f32[",
        "e { x = f32[2]{", "e { x = f32[2]{0:", "e { x = f32[2]{0:T(", "e { x = f32[2] constant({",
        "e { x = f32[] constant(", "e { x = f32[] negate(",
        "e { x = f32[] parameter(0), metadata={", "e { x = f32[] parameter(0), metadata={a=\"",
        "e { x = f32[] custom-call(), custom_call_target=\"", "e { x = f32[] call(), to_apply={"}) {
    ExpectRefused(before);
    ExpectRefused(before + filler);
  }
}

// A billion elements are a number in a shape, not memory.
TEST_F(Bounds, DeclaredElements) {
  EXPECT_EQ(ErrorOf("e { x = f32[1000000000] parameter(0) ROOT y = f32[1000000000] negate(x) }"),
            "");
  EXPECT_EQ(ErrorOf("e { x = f32[1000000000] constant({...}) }"), "");
  ExpectRefused("e { x = f32[1000000000] constant(1) }");
  ExpectRefused("e { x = f32[1000000000] constant({1, 2, 3}) }");
  ExpectRefused("e { x = s4[31622,31623] constant({{1}, {2}}) }");
  ExpectRefused("e { x = (f32[1000000000], f32[1000000000]) constant((1, 2)) }");
  const std::string huge = "f64[" + Repeat("9223372036854775807,", 8) + "1]";
  ExpectRefused("e { x = " + huge + " parameter(0) }", "fits 64 bits");
  ExpectRefused("e { x = f64[" + Repeat("2,", 63) + "2] parameter(0) }", "fits 64 bits");
  ExpectRefused("e { x = (f32[], " + huge + ") parameter(0) }", "fits 64 bits");
  ExpectRefused("e { x = f32[2] parameter(0) y = " + huge + " broadcast(x), dimensions={0} }",
                "fits 64 bits");
  ExpectRefused("e { x = f32[2] parameter(0) y = f32[2] negate(" + huge + " x) }", "fits 64 bits");
}

// Names of ten million letters, wherever a name stands.
TEST_F(Bounds, LongNames) {
  const std::string name(10'000'000, 'n');
  EXPECT_EQ(ErrorOf("HloModule " + name + "\ne { " + name + " = f32[] parameter(0) }"), "");
  ExpectRefused("e { x = f32[] parameter(0) y = f32[] negate(" + name + ") }");
  ExpectRefused("e { x = " + name + "[] parameter(0) }");
  ExpectRefused("e { x = f32[] parameter(0) y = f32[] call(x), to_apply=" + name + " }");
  ExpectRefused("e { " + name + " = f32[] parameter(0) " + name + " = f32[] parameter(1) }");
  ExpectRefused("e { x = s32[] constant(" + name + ") }");
  ExpectRefused("e { x = s32[] constant(" + std::string(10'000'000, '1') + ") }");
  ExpectRefused("e { x = f32[2] parameter(" + name + ") }");
  ExpectRefused("e { x = f32[2] parameter(0), dimensions=" + name + " }");
}

// Depth that no bracket shows: each line builds on the one before.
TEST_F(Bounds, ChainsOfLines) {
  std::string calls, wraps = "e { t0 = f32[] parameter(0)\n", chain = wraps;
  calls = "c0 { x = f32[] parameter(0) }\n";
  for (size_t i = 1; i < kDeep; ++i) {
    const std::string last = std::to_string(i - 1), self = std::to_string(i);
    calls += "c" + self + " { x = f32[] parameter(0) y = f32[] call(x), to_apply=c" + last + " }\n";
    wraps += "t" + self + " = tuple(t" + last + ")\n";
    chain += "t" + self + " = f32[] negate(t" + last + ")\n";
  }
  EXPECT_EQ(ErrorOf(calls), "");
  EXPECT_EQ(ErrorOf(chain + "}"), "");
  ExpectRefused(wraps + "}");
}

}  // namespace
}  // namespace affirm::hlo
