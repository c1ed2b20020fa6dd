// Rules about values: reading them, proving true ones, and refuting wrong ones with the bits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "verify/value_rules/definition.h"
#include "verify/value_rules/prove.h"
#include "verify/value_rules/table.h"

namespace affirm::value_rules {
namespace {

using ::testing::HasSubstr;

// A file of one rule; the clauses but for the class and the reason.
std::string File(const std::string& sides, const std::string& with, const std::string& when = "") {
  return "rule r: " + sides + "\n  with " + with + "\n" +
         (when.empty() ? "" : "  when " + when + "\n") + "  class exact\n  why for a test\n";
}

ValueRule Read(const std::string& text) {
  auto rules = ParseValueRules(text, "f.rules");
  if (!rules) {
    ADD_FAILURE() << llvm::toString(rules.takeError()) << text;
    return {};
  }
  EXPECT_EQ(rules->size(), 1U);
  return rules->front();
}

std::string ErrorOf(const std::string& text) {
  auto rules = ParseValueRules(text, "f.rules");
  return rules ? "" : llvm::toString(rules.takeError());
}

RuleProof ProofOf(const std::string& sides, const std::string& with, const std::string& when = "") {
  auto proof = Prove(Read(File(sides, with, when)));
  if (!proof) {
    ADD_FAILURE() << llvm::toString(proof.takeError()) << sides;
    return {};
  }
  return std::move(*proof);
}

// Each instance is refuted; with the values of the first.
std::string Refuted(const std::string& sides, const std::string& with,
                    const std::string& when = "") {
  const RuleProof proof = ProofOf(sides, with, when);
  std::string first;
  for (const InstanceProof& of : proof.instances) {
    EXPECT_EQ(of.verdict, Verdict::kRefuted) << sides << " " << ToString(proof.rule, of.types);
    EXPECT_TRUE(of.counterexample.has_value());
    if (first.empty() && of.counterexample) first = of.counterexample->ToString();
  }
  return first;
}

TEST(ValueRules, TermsArePrintedAsTheyAreRead) {
  for (const char* sides :
       {"x + y * x  =>  (x + y) * x", "-(x - y) - x  =>  -x + y", "x - (y - x)  =>  x",
        "max(x, -0.0)  =>  min(x, -inf)", "select(x < y && !(y == x), x, T(3))  =>  nan",
        "convert(convert(x, f64), T)  =>  x", "x / y / x  =>  x % y",
        "negate(3) + x  =>  abs(x - -1.5e-3)", "clamp(0, x, y)  =>  1e30"}) {
    const ValueRule rule = Read(File(sides, "x, y : T for T in {f16, f32}"));
    EXPECT_EQ(ToString(rule.lhs) + "  =>  " + ToString(rule.rhs), sides);
    // And what is printed is the same rule.
    const ValueRule again = Read(ToString(rule));
    EXPECT_EQ(ToString(again), ToString(rule));
  }
}

// One rule for each operation and number that are named.
TEST(ValueRules, ChoicesAreRulesOfTheirOwn) {
  const std::string text =
      "rule r: -f(x) * c  =>  f(-x) * reduce_precision(c, 11, 7)\n  with x : T for T in {f32, "
      "f64}, "
      "f in {sign, floor}, c in {1, 0.5}\n  class exact\n  why for a test\n";
  auto rules = llvm::cantFail(ParseValueRules(text, "f.rules"));
  std::vector<std::string> sides;
  for (const ValueRule& rule : rules) {
    EXPECT_EQ(rule.family, "r");
    EXPECT_EQ(rule.types.size(), 1U);
    sides.push_back(rule.name + ": " + ToString(rule.lhs) + " = " + ToString(rule.rhs));
  }
  EXPECT_THAT(sides,
              ::testing::ElementsAre(
                  "r.sign.1: -sign(x) * 1 = sign(-x) * reduce_precision(1, 11, 7)",
                  "r.sign.0.5: -sign(x) * 0.5 = sign(-x) * reduce_precision(0.5, 11, 7)",
                  "r.floor.1: -floor(x) * 1 = floor(-x) * reduce_precision(1, 11, 7)",
                  "r.floor.0.5: -floor(x) * 0.5 = floor(-x) * reduce_precision(0.5, 11, 7)"));
  const RuleProof of_sign = llvm::cantFail(Prove(rules[0])),
                  of_floor = llvm::cantFail(Prove(rules[2]));
  EXPECT_EQ(of_sign.verdict(), Verdict::kProved);
  EXPECT_EQ(of_floor.verdict(), Verdict::kRefuted);
}

// Z3 rounds to fewer bits as the interpreter does, carries and ties included.
TEST(ValueRules, PrecisionIsReducedInZ3) {
  for (const char* bits : {"8, 7", "8, 22", "11, 1", "8, 23"}) {
    const std::string of = "reduce_precision(x, " + std::string(bits) + ")";
    EXPECT_EQ(ProofOf("-" + of + "  =>  reduce_precision(-x, " + bits + ")", "x : f32").verdict(),
              Verdict::kProved);
    EXPECT_EQ(ProofOf("reduce_precision(" + of + ", " + bits + ")  =>  " + of, "x : f32").verdict(),
              Verdict::kProved);
  }
  EXPECT_EQ(
      ProofOf("reduce_precision(x, 8, 7)  =>  convert(convert(x, bf16), f32)", "x : f32").verdict(),
      Verdict::kProved);
  Refuted("reduce_precision(x, 8, 8)  =>  convert(convert(x, bf16), f32)", "x : f32");
  // Without a mantissa a NaN becomes an infinity, of either sign.
  EXPECT_NE(
      ProofOf("reduce_precision(x, 8, 0)  =>  reduce_precision(-x, 8, 0)", "x : f32", "x != x")
          .verdict(),
      Verdict::kProved);
  Refuted("reduce_precision(x, 8, 0)  =>  select(x == x, reduce_precision(x, 8, 0), x)", "x : f32");
}

// Operations on narrow floats are those on f32, rounded: which no sample of values shows.
TEST(ValueRules, DefinitionsProve) {
  const std::string with = "x, y : T for T in {f16, bf16}";
  const RuleProof proof =
      ProofOf("atan2(x, y)  =>  convert(atan2(convert(x, f32), convert(y, f32)), T)", with);
  EXPECT_EQ(proof.verdict(), Verdict::kProved);
  EXPECT_THAT(proof.instances[0].by, HasSubstr("definition"));
  Refuted("atan2(x, y)  =>  convert(atan2(convert(y, f32), convert(x, f32)), T)", with);
  // Not of f64, and not through another type; whatever a sample shows.
  auto is_definition = [](const std::string& sides, const std::string& of) {
    const ValueRule rule = Read(File(sides, of));
    return IsByDefinition(llvm::cantFail(Instance::Create(rule, TypesOf(rule)[0])));
  };
  const std::string power = "power(x, y)  =>  convert(power(convert(x, f32), convert(y, f32)), ";
  EXPECT_TRUE(is_definition(power + "bf16)", "x, y : bf16"));
  EXPECT_FALSE(is_definition(power + "f64)", "x, y : f64"));
  EXPECT_FALSE(is_definition("power(x, y)  =>  power(y, x)", "x, y : bf16"));
  EXPECT_FALSE(is_definition("x + 1.0  =>  x + 2.0", "x : bf16"));
  EXPECT_FALSE(is_definition("x < y  =>  x <= y", "x, y : bf16"));
  EXPECT_FALSE(
      is_definition("reduce_precision(x, 8, 7)  =>  reduce_precision(x, 8, 6)", "x : f32"));
  EXPECT_NE(ProofOf("power(x, y)  =>  convert(power(convert(x, f32), convert(y, f32)), f64)",
                    "x, y : f64")
                .verdict(),
            Verdict::kProved);
  EXPECT_NE(ProofOf("power(x, y)  =>  convert(power(convert(x, f64), convert(y, f64)), T)", with)
                .verdict(),
            Verdict::kProved);
}

TEST(ValueRules, ErrorsSayWhereAndWhat) {
  const std::string xs = "x : T for T in {f32}";
  struct Case {
    std::string text, says;
  };
  for (const Case& c : std::vector<Case>{
           {File("x + z  =>  x", xs), "f.rules:1:13: error: there is no variable 'z'"},
           {File("foo(x)  =>  x", xs), "there is no elementwise operation 'foo'"},
           {File("add_dependency(x, x)  =>  x", xs), "there is no elementwise operation"},
           {File("bitcast_convert(x, s32)  =>  s32(0)", xs), "there is no elementwise operation"},
           {File("compare(x, x)  =>  x", xs), "there is no elementwise operation 'compare'"},
           {File("add(x)  =>  x", xs), "expected 2 operands of 'add'"},
           {File("convert(x)  =>  x", xs), "expected 1 operand and a type of 'convert'"},
           {File("convert(x, q)  =>  x", xs), "expected a type"},
           {File("x < x < x  =>  x == x", xs), "comparisons do not form chains"},
           {File("x", xs), "expected"},
           {File("x  =>  x )", xs), "expected an operator, or 'with'"},
           {File("x  =>  x", "x : U for T in {f32}"), "there is no type 'U'"},
           {File("x  =>  x", "x : T for T in {c64}"), "expected an integer or float type"},
           {File("x  =>  x", "x, x : f32"), "variable 'x' is named twice"},
           {File("x  =>  x", "x : T for T in {f32}, T in {f16}"), "type 'T' is named twice"},
           {File("x + 0x  =>  x", xs), "expected a number"},
           {File("T(x)  =>  x", xs), "expected a number in 'T(...)'"},
           {File("reduce_precision(x, 5)  =>  x", xs), "expected ','"},
           {File("reduce_precision(x)  =>  x", xs),
            "and the bits of the exponent and the mantissa"},
           {File("reduce_precision(x, 5, 99)  =>  x", xs), "expected numbers of bits"},
           {File("f(x)  =>  x", "x : f32 for f in {abs, add}"), "'add' has another number of"},
           {File("f(x)  =>  x", "x : f32 for f in {abs, f16}"), "found 'f16'"},
           {File("f(x)  =>  x", "x : f32 for f in {convert}"), "found 'convert'"},
           {File("x  =>  x", "x : f32 for x in {abs}"), "'x' is the name of something else"},
           {File("x  =>  x", "x : f32 for abs in {floor}"), "'abs' is the name of something else"},
           {File("x + c  =>  x", "x : f32 for c in {1, abs}"), "found 'abs'"},
           {File("c(x)  =>  x", "x : f32 for c in {1, 2}"), "no elementwise operation 'c'"},
           {"rule r: x => x\n", "expected a line 'with'"},
           {"rule r: x => x\n  with x : f32\n  why no\n", "expected 'class'"},
           {"rule r: x => x\n  with x : f32\n  class sure\n",
            "expected exact, defined or licensed"},
           {"rule r: x => x\n  with x : f32\n  class exact\n", "'why'"},
           {File("x => x", xs) + File("x => x", xs), "rule 'r' is defined twice"},
           {File(std::string(500, '(') + "x => x", xs), "nested too deep"},
       }) {
    EXPECT_THAT(ErrorOf(c.text), HasSubstr(c.says)) << c.text;
    EXPECT_THAT(ErrorOf(c.text), HasSubstr("f.rules:")) << c.text;
  }
}

// As a number on both sides, a name would be one value of all that `with` declares.
TEST(ValueRules, WordsOfTheLanguageNameNothing) {
  for (const std::string word :
       {"inf", "nan", "true", "false", "rule", "with", "for", "in", "when", "class", "why"}) {
    const std::string says = "'" + word + "' is a word of the language";
    EXPECT_THAT(ErrorOf(File("x  =>  x", word + ", x : f16")),
                HasSubstr("f.rules:2:8: error: " + says));
    EXPECT_THAT(ErrorOf(File("x  =>  x", "x, " + word + " : pred")), HasSubstr(says));
    for (const char* choices : {"{1, 2}", "{abs, floor}", "{f16, f32}"}) {
      const std::string with = "x : f16 for " + word + " in " + choices;
      EXPECT_THAT(ErrorOf(File("x  =>  x", with)), HasSubstr(says)) << with;
    }
  }
  // A part of a name is none.
  EXPECT_EQ(ProofOf("max(inf_x, nan.y)  =>  max(nan.y, inf_x)", "inf_x, nan.y : f8e5m2").verdict(),
            Verdict::kProved);
  Refuted("-inf_x  =>  -inf", "inf_x : f16");
}

// A rule that HLO's verifier refuses is an error at the types, not a verdict.
TEST(ValueRules, OperationsExistOnTheTypes) {
  auto error_of = [](const std::string& sides, const std::string& with,
                     const std::string& when = "") {
    auto proof = Prove(Read(File(sides, with, when)));
    return proof ? "" : llvm::toString(proof.takeError());
  };
  EXPECT_THAT(error_of("sqrt(x)  =>  x", "x : T for T in {f32, s32}"),
              HasSubstr("f.rules:1: error: rule 'r', T = s32: "));
  EXPECT_THAT(error_of("x == x  =>  x", "x : f32"), HasSubstr("the right side of f32"));
  EXPECT_THAT(error_of("x  =>  x", "x : f32", "x + x"), HasSubstr("expected a predicate"));
  EXPECT_THAT(error_of("1 + 2  =>  3", "x : f32"), HasSubstr("numbers of no type"));
  EXPECT_THAT(error_of("x + y  =>  x", "x : f32, y : f16"),
              HasSubstr("the operands of add are of types f32 and f16"));
}

TEST(ValueRules, WrongOnesAreRefutedWithTheBits) {
  const std::string floats = "x : T for T in {f8e4m3fn, f16, bf16, f32, f64}";
  EXPECT_EQ(Refuted("x + 0.0  =>  x", floats),
            "x = -0.0 (0x80): left is 0.0 (0x00), right is -0.0 (0x80)");
  Refuted("x * (1 / 3)  =>  x / 3", floats);
  EXPECT_EQ(Refuted("min(x, nan)  =>  x", "x : f32"),
            "x = 0.0 (0x00000000): left is nan (0x7fc00000), right is 0.0 (0x00000000)");
  // Shifts by the width.
  EXPECT_EQ(Refuted("shift_left(x, 8)  =>  x", "x : T for T in {s8, u8}"),
            "x = 1 (0x01): left is 0 (0x00), right is 1 (0x01)");
  Refuted("shift_right_arithmetic(x, 32)  =>  0", "x : s32");
  // A bound of a saturation that is off by one.
  Refuted("convert(clamp(-128, x, 128), s8)  =>  convert(clamp(-128, x, 127), s8)", "x : s32");
  Refuted("convert(min(x, 254), u8)  =>  convert(min(x, 255), u8)", "x : u32");
  Refuted("(x + y) - x  =>  y", "x, y : T for T in {f16, f32, f64}");
  Refuted("x - x  =>  0.0", floats);
  Refuted("x / x  =>  1.0", floats);
  Refuted("-(x - y)  =>  y - x", "x, y : T for T in {f16, f32}");
  Refuted("max(x, y)  =>  select(x < y, y, x)", "x, y : T for T in {f16, f32}");
  Refuted("x < y  =>  !(x >= y)", "x, y : f32");
  Refuted("abs(x)  =>  select(x < 0, -x, x)", "x : f16");
  Refuted("x % 4  =>  and(x, 3)", "x : T for T in {s8, s32}");
  Refuted("x / 4  =>  shift_right_arithmetic(x, 2)", "x : T for T in {s8, s32}");
  Refuted("abs(x) >= 0  =>  true", "x : s32");
  // At one of 2^32 values, which no sample meets: Z3 finds it.
  EXPECT_EQ(Refuted("select(x == 123456789, s32(1), 0)  =>  0", "x : s32"),
            "x = 123456789 (0x075bcd15): left is 1 (0x00000001), right is 0 (0x00000000)");
}

TEST(ValueRules, ConditionsCount) {
  EXPECT_EQ(ProofOf("x / y * y  =>  x", "x, y : s8", "y != 0 && x % y == 0").verdict(),
            Verdict::kProved);
  EXPECT_EQ(ProofOf("x / y * y  =>  x", "x, y : s8", "y != 0").verdict(), Verdict::kRefuted);
  EXPECT_EQ(ProofOf("x - x  =>  0.0", "x : T for T in {f16, f32, f64}", "is_finite(x)").verdict(),
            Verdict::kProved);
  // A rule that says nothing is no rule: by enumeration, and by Z3.
  for (const char* with : {"x : s8", "x : s64"}) {
    const RuleProof vacuous = ProofOf("x  =>  x + 1", with, "x < 0 && x > 0");
    EXPECT_TRUE(vacuous.instances.front().vacuous) << with;
    EXPECT_EQ(vacuous.verdict(), Verdict::kRefuted) << with;
  }
}

// The same where operations on narrow floats are equal by definition; and a condition rests on the
// functions of this host as a side does.
TEST(ValueRules, ConditionsAreLookedAtWhateverProves) {
  const std::string sides = "x + y  =>  convert(convert(x, f32) + convert(y, f32), T)";
  const std::string with = "x, y : T for T in {f16, bf16}";
  EXPECT_EQ(ProofOf(sides, with).verdict(), Verdict::kProved);
  EXPECT_EQ(ProofOf(sides, with, "x == x").verdict(), Verdict::kProved);
  EXPECT_EQ(ProofOf(sides, with, "x != x && x == x").verdict(), Verdict::kRefuted);
  EXPECT_EQ(ProofOf("x == 1.5  =>  false", "x : f16", "x + 1.0 == 1.0").verdict(),
            Verdict::kProved);
  EXPECT_EQ(ProofOf("x == 1.595703125  =>  false", "x : f16", "log_plus_one(x) == 0.95361328125")
                .verdict(),
            Verdict::kUnknown);
}

TEST(ValueRules, WithMayStandBeforeAnySpace) {
  for (const char* space : {" ", "\t", "\n    "}) {
    const std::string text = "rule r: x + x => x + x\n  with" + std::string(space) +
                             "x : s8\n  class exact\n  why for a test\n";
    EXPECT_TRUE(HasValueRules(text)) << text;
    EXPECT_EQ(ErrorOf(text), "") << text;
  }
}

TEST(ValueRules, WhatHasNoFormIsUnknown) {
  const RuleProof proof = ProofOf("exponential(x) * 1.5  =>  1.5 * exponential(x)", "x : f64");
  EXPECT_EQ(proof.verdict(), Verdict::kUnknown);
  EXPECT_THAT(proof.instances[0].reason, HasSubstr("exponential of f64 has no form in Z3"));
}

// An equality of this host's functions, at all values, need not hold of those of a device.
TEST(ValueRules, FunctionsThatDevicesRoundAreNotComputed) {
  for (const auto& [sides, with] : {std::pair("power(x, 2.0)  =>  x * x", "x : f16"),
                                    {"cbrt(x)  =>  cbrt(abs(x)) * sign(x)", "x : f8e5m2"},
                                    {"rsqrt(x) * 0.0  =>  rsqrt(x) * 0.0 + 0.0", "x : f8e5m2"}}) {
    const RuleProof proof = ProofOf(sides, with);
    EXPECT_NE(proof.verdict(), Verdict::kProved) << sides;
    EXPECT_NE(proof.verdict(), Verdict::kExecuted) << sides;
  }
  const RuleProof square = ProofOf("power(x, 2.0)  =>  x * x", "x : f16");
  EXPECT_EQ(square.verdict(), Verdict::kUnknown);
  EXPECT_THAT(square.instances[0].reason, HasSubstr("power is rounded as devices like"));
  // By definition of narrow types, whichever function it is.
  EXPECT_EQ(
      ProofOf("tanh(x)  =>  convert(tanh(convert(x, f32)), T)", "x : T for T in {f16}").verdict(),
      Verdict::kProved);
}

TEST(ValueRules, LicensedOnesClaimNoEquality) {
  ValueRule rule = Read(File("x + 0.0  =>  x", "x : f32"));
  rule.of_class = RuleClass::kLicensed;
  auto proof = Prove(rule);
  ASSERT_TRUE(static_cast<bool>(proof));
  EXPECT_EQ(proof->verdict(), Verdict::kUnknown);
  EXPECT_TRUE(proof->instances[0].counterexample.has_value());
}

TEST(ValueRuleTable, IsReadAsItIsPrinted) {
  std::set<std::string> names;
  int64_t exact = 0;
  for (const ValueRule& rule : BuiltinRules()) {
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
    EXPECT_EQ(ToString(Read(ToString(rule))), ToString(rule));
    exact += rule.of_class == RuleClass::kExact ? 1 : 0;
  }
  EXPECT_GE(exact, 60);
}

}  // namespace
}  // namespace affirm::value_rules
