// The laws, held against the interpreter: both sides of an exact law give the same bits on special
// values and random ones; a law that is not exact has arguments on which they differ. And each
// value rule is a law that is applied.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "core/hlo/text.h"
#include "driver/equivalence/equivalence.h"
#include "llvm/ADT/StringExtras.h"
#include "verify/equivalence/laws.h"
#include "verify/equivalence/prove.h"
#include "verify/value_rules/instance.h"
#include "verify/value_rules/table.h"

namespace affirm::driver {
namespace {

struct Example {
  const char* a;
  const char* b;
};

// For a law, two computations of x, y (f32[512]) or h (bf16[512]) that are the same by it.
const std::map<std::string, Example> kExamples = {
    {"negate.twice",
     {"n = f32[512] negate(x) ROOT r = f32[512] negate(n)", "ROOT r = f32[512] copy(x)"}},
    {"subtract.as_add",
     {"ROOT r = f32[512] subtract(x, y)", "n = f32[512] negate(y) ROOT r = f32[512] add(x, n)"}},
    {"add.negative_zero",
     {"c = f32[] constant(-0) b = f32[512] broadcast(c), dimensions={} ROOT r = f32[512] add(x, b)",
      "ROOT r = f32[512] copy(x)"}},
    {"add.zero_again",
     {"c = f32[] constant(0) b = f32[512] broadcast(c), dimensions={} s = f32[512] add(x, b) ROOT "
      "r "
      "= f32[512] add(b, s)",
      "c = f32[] constant(0) b = f32[512] broadcast(c), dimensions={} ROOT r = f32[512] add(x, "
      "b)"}},
    {"multiply.minus_one",
     {"c = f32[] constant(-1) b = f32[512] broadcast(c), dimensions={} ROOT r = f32[512] "
      "multiply(x, b)",
      "ROOT r = f32[512] negate(x)"}},
    {"divide.power_of_two",
     {"c = f32[] constant(-8) b = f32[512] broadcast(c), dimensions={} ROOT r = f32[512] divide(x, "
      "b)",
      "c = f32[] constant(-0.125) b = f32[512] broadcast(c), dimensions={} ROOT r = f32[512] "
      "multiply(x, b)"}},
    {"narrow.in_f32",
     {"t = bf16[512] tanh(h) s = bf16[512] multiply(t, h) ROOT r = f32[512] convert(s)",
      "w = f32[512] convert(h) t = f32[512] tanh(w) n = bf16[512] convert(t) v = f32[512] "
      "convert(n) "
      "s = f32[512] multiply(v, w) m = bf16[512] convert(s) ROOT r = f32[512] convert(m)"}},
    {"constant.operation",
     {"c = f32[] constant(3) d = f32[] constant(7) q = f32[] add(c, d) b = f32[512] "
      "broadcast(q), dimensions={} "
      "ROOT r = f32[512] add(x, b)",
      "c = f32[] constant(10) b = f32[512] broadcast(c), dimensions={} ROOT r = f32[512] "
      "add(x, b)"}},
    {"fold.nested",
     {"m = f32[8,64] reshape(x) z = f32[] constant(-inf) v = f32[8] reduce(m, z), dimensions={1}, "
      "to_apply=most "
      "s = f32[] reduce(v, z), dimensions={0}, to_apply=most ROOT r = f32[512] broadcast(s), "
      "dimensions={}",
      "z = f32[] constant(-inf) s = f32[] reduce(x, z), dimensions={0}, to_apply=most "
      "ROOT r = f32[512] broadcast(s), dimensions={}"}},
    {"fold.nested_sums",
     {"m = f32[8,64] reshape(x) z = f32[] constant(-0) v = f32[8] reduce(m, z), dimensions={1}, "
      "to_apply=sum "
      "s = f32[] reduce(v, z), dimensions={0}, to_apply=sum ROOT r = f32[512] broadcast(s), "
      "dimensions={}",
      "z = f32[] constant(-0) s = f32[] reduce(x, z), dimensions={0}, to_apply=sum "
      "ROOT r = f32[512] broadcast(s), dimensions={}"}},
    {"convert.narrow_widen",
     {"n = bf16[512] convert(x) ROOT r = f32[512] convert(n)", "ROOT r = f32[512] copy(x)"}},
    {"add.zero",
     {"c = f32[] constant(0) b = f32[512] broadcast(c), dimensions={} s = f32[512] add(x, b) d = "
      "f32[] constant(1) "
      "o = f32[512] broadcast(d), dimensions={} ROOT r = f32[512] divide(o, s)",
      "d = f32[] constant(1) o = f32[512] broadcast(d), dimensions={} ROOT r = f32[512] divide(o, "
      "x)"}},
    {"add.reassociate",
     {"a = f32[512] add(x, y) ROOT r = f32[512] add(a, y)",
      "a = f32[512] add(y, y) ROOT r = f32[512] add(x, a)"}},
    {"multiply.reassociate",
     {"a = f32[512] multiply(x, y) ROOT r = f32[512] multiply(a, y)",
      "a = f32[512] multiply(y, y) ROOT r = f32[512] multiply(x, a)"}},
    {"divide.as_reciprocal",
     {"ROOT r = f32[512] divide(x, y)",
      "c = f32[] constant(1) b = f32[512] broadcast(c), dimensions={} q = f32[512] divide(b, y) "
      "ROOT r = f32[512] multiply(x, q)"}},
    {"reciprocal.of_product",
     {"c = f32[] constant(1) b = f32[512] broadcast(c), dimensions={} p = f32[512] multiply(x, y) "
      "ROOT r = f32[512] divide(b, p)",
      "c = f32[] constant(1) b = f32[512] broadcast(c), dimensions={} s = f32[512] divide(b, x) t "
      "= "
      "f32[512] divide(b, y) ROOT r = f32[512] multiply(s, t)"}},
    {"rsqrt.as_reciprocal",
     {"a = f32[512] abs(x) ROOT r = f32[512] rsqrt(a)",
      "a = f32[512] abs(x) s = f32[512] sqrt(a) c = f32[] constant(1) b = f32[512] broadcast(c), "
      "dimensions={} "
      "ROOT r = f32[512] divide(b, s)"}},
    {"logistic.expanded",
     {"ROOT r = f32[512] logistic(x)",
      "n = f32[512] negate(x) e = f32[512] exponential(n) c = f32[] constant(1) b = f32[512] "
      "broadcast(c), dimensions={} "
      "s = f32[512] add(b, e) ROOT r = f32[512] divide(b, s)"}},
    {"power.square",
     {"c = f32[] constant(2) b = f32[512] broadcast(c), dimensions={} ROOT r = f32[512] power(x, "
      "b)",
      "ROOT r = f32[512] multiply(x, x)"}},
};

// Laws that the interpreter happens to compute in one way, so that it cannot tell.
const std::set<std::string> kAlikeHere = {"rsqrt.as_reciprocal", "logistic.expanded",
                                          "power.square"};

std::unique_ptr<hlo::Module> Read(const std::string& body) {
  auto module = hlo::ParseModule(
      "HloModule m\nmost { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, "
      "b) }\nsum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
      "ENTRY e { x = f32[512] parameter(0) y = f32[512] parameter(1) h = bf16[512] parameter(2) " +
          body + " }",
      "test");
  if (!module) ADD_FAILURE() << llvm::toString(module.takeError());
  return module ? std::move(*module) : nullptr;
}

ModuleEquivalence Compare(const Example& example, const std::vector<std::string>& allowed) {
  auto a = Read(example.a), b = Read(example.b);
  EquivalenceOptions options;
  options.allowed_laws = allowed;
  auto result = CompareModules(*a, *b, options);
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return {};
  }
  return std::move(*result);
}

TEST(Laws, ExamplesNeedThem) {
  for (const auto& [name, example] : kExamples) {
    const auto law =
        llvm::find_if(equivalence::Laws(), [&](const auto& of) { return of.name == name; });
    ASSERT_NE(law, equivalence::Laws().end()) << name;
    ModuleEquivalence with =
        Compare(example, law->exact ? std::vector<std::string>() : std::vector{name});
    EXPECT_EQ(with.verdict, Verdict::kProved)
        << name << ": " << (with.results.empty() ? "" : with.results[0].reason);
    EXPECT_NE(std::find(with.laws.begin(), with.laws.end(), name), with.laws.end()) << name;
    if (law->exact) {
      // The interpreter rounds as IEEE 754 says: what an exact law relates is equal to the bit.
      EXPECT_FALSE(with.difference) << name;
      EXPECT_GT(with.elements, 0) << name;
      EXPECT_EQ(with.largest_ulp, 0) << name;
      continue;
    }
    ModuleEquivalence without = Compare(example, {});
    EXPECT_NE(without.verdict, Verdict::kProved) << name;
    if (!kAlikeHere.contains(name)) {
      EXPECT_EQ(without.verdict, Verdict::kRefuted) << name;
    }
  }
}

// B may keep precision that A throws away, and not the other way round.
TEST(Laws, DropRoundingsOfTheFirstAlone) {
  const std::vector<std::string> allowed = {"convert.narrow_widen"};
  const std::string rounded = "n = bf16[512] convert(x) a = f32[512] convert(n) ";
  const std::string of_y = "m = bf16[512] convert(y) b = f32[512] convert(m) ";
  auto verdict = [&](const std::string& a, const std::string& b) {
    return Compare(Example{a.c_str(), b.c_str()}, allowed).verdict;
  };
  const std::string both = rounded + of_y + "ROOT r = f32[512] subtract(a, b)";
  EXPECT_EQ(verdict(both, "ROOT r = f32[512] subtract(x, y)"), Verdict::kProved);
  EXPECT_EQ(verdict(both, rounded + "ROOT r = f32[512] subtract(a, y)"), Verdict::kProved);
  EXPECT_EQ(verdict(both, of_y + "ROOT r = f32[512] subtract(x, b)"), Verdict::kProved);
  // No array of the one is as large as one of the other.
  const std::string lowest = "z = f32[] constant(-inf) ";
  EXPECT_EQ(
      verdict(lowest + rounded + of_y +
                  "d = f32[512] subtract(a, b) g = f32[] reduce(d, z), dimensions={0}, "
                  "to_apply=most ROOT r = f32[512] broadcast(g), dimensions={}",
              lowest + "u = f32[8,64] reshape(x) n = bf16[8,64] convert(u) a = f32[8,64] "
                       "convert(n) v = f32[8,64] reshape(y) d = f32[8,64] subtract(a, v) g = f32[] "
                       "reduce(d, z), dimensions={0,1}, to_apply=most ROOT r = f32[512] "
                       "broadcast(g), dimensions={}"),
      Verdict::kProved);
  EXPECT_EQ(verdict("ROOT r = f32[512] subtract(x, y)", both), Verdict::kRefuted);
  // One of A that is rounded is no two of B, of which one is not.
  const std::string sums =
      "s = f32[512] add(x, y) t = f32[512] add(y, x) n = bf16[512] convert(s) "
      "a = f32[512] convert(n) ";
  EXPECT_EQ(verdict(sums + "l = f32[512] subtract(s, t) ROOT r = f32[512] add(a, l)",
                    sums + "m = bf16[512] convert(t) b = f32[512] convert(m) "
                           "l = f32[512] subtract(s, b) ROOT r = f32[512] add(a, l)"),
            Verdict::kRefuted);
  EXPECT_EQ(verdict(rounded + "ROOT r = f32[512] subtract(a, y)",
                    of_y + "ROOT r = f32[512] subtract(x, b)"),
            Verdict::kRefuted);
}

// Rules whose condition is seen to hold of numbers alone, or of nothing that has a term.
const std::set<std::string> kWithNumbers = {"divide.power_of_two", "sign.of_product",
                                            "maximum.of_minimum", "compare.difference"};

// The two sides of every rule, at each of its types, as two modules.
TEST(Laws, EachValueRuleIsApplied) {
  for (const value_rules::ValueRule& rule : value_rules::BuiltinRules()) {
    // Integers have a normal form of their own.
    if (kWithNumbers.contains(rule.family) || rule.family.starts_with("integer.")) continue;
    for (const value_rules::Types& types : value_rules::TypesOf(rule)) {
      auto side = [&](size_t k) {
        auto instance = llvm::cantFail(value_rules::Instance::Create(rule, types));
        hlo::Computation& entry = const_cast<hlo::Computation&>(instance.computation());
        entry.root = entry.root->operands[k];
        return instance;
      };
      const value_rules::Instance left = side(0), right = side(1);
      const std::vector<std::string> allowed = rule.of_class == value_rules::RuleClass::kExact
                                                   ? std::vector<std::string>()
                                                   : std::vector{rule.family};
      const auto laws = llvm::cantFail(equivalence::ChooseLaws(allowed));
      const equivalence::EquivalenceProof proof =
          equivalence::ProveEquivalent(left.computation(), right.computation(), {.laws = laws});
      EXPECT_TRUE(proof.proved()) << rule.name << " " << ToString(rule, types) << ": "
                                  << proof.results[0].reason;
    }
  }
}

// exp(104) is no number of f8e4m3fn, which has no infinity, and logistic(-104) is 0.
TEST(Laws, ExpandedLogisticNeedsAnInfinity) {
  const Example& example = kExamples.at("logistic.expanded");
  for (const auto& [type, is_expanded] : {std::pair("f8e5m2", true), {"f8e4m3fn", false}}) {
    auto of_type = [&](const std::string& body) {
      auto module = hlo::ParseModule("HloModule m\nENTRY e { x = " + std::string(type) +
                                         "[512] parameter(0) " +
                                         llvm::join(llvm::split(body, "f32"), type) + " }",
                                     "test");
      return llvm::cantFail(std::move(module));
    };
    EquivalenceOptions options;
    options.allowed_laws = {"logistic.expanded"};
    auto result = llvm::cantFail(CompareModules(*of_type(example.a), *of_type(example.b), options));
    EXPECT_EQ(result.verdict, is_expanded ? Verdict::kProved : Verdict::kRefuted) << type;
  }
}

TEST(Laws, NamesAreWhole) {
  auto names = [](const std::string& allowed) {
    std::vector<std::string> chosen;
    for (const equivalence::Law* law : llvm::cantFail(equivalence::ChooseLaws({allowed}))) {
      if (!law->exact) chosen.push_back(law->name);
    }
    return llvm::join(chosen, " ");
  };
  EXPECT_EQ(names("power.square"), "power.square");
  EXPECT_EQ(names("convert.narrow_widen"),
            "convert.narrow_widen convert.narrow_widen.f64 convert.narrow_widen.operand "
            "convert.narrow_widen.divisor");
  EXPECT_EQ(names("convert.narrow_widen.divisor"), "convert.narrow_widen.divisor");
  for (const char* part : {"convert.narrow", "power.squar", ""}) {
    auto chosen = equivalence::ChooseLaws({part});
    EXPECT_FALSE(static_cast<bool>(chosen)) << part;
    llvm::consumeError(chosen.takeError());
  }
}

// An operation on constants is computed where IEEE 754 says how.
TEST(Laws, ConstantsAreRoundedOnce) {
  auto constant_of = [](const std::string& op, const std::string& number,
                        const std::string& value) {
    const std::string fill = "[512] broadcast(s), dimensions={}";
    auto of = [&](const std::string& scalar) { return scalar + " ROOT r = f32" + fill; };
    const std::string a = of("c = f32[] constant(" + number + ") s = f32[] " + op + "(c)"),
                      b = of("s = f32[] constant(" + value + ")");
    return Compare({a.c_str(), b.c_str()}, {}).verdict;
  };
  EXPECT_EQ(constant_of("sqrt", "2", "1.41421354"), Verdict::kProved);
  EXPECT_EQ(constant_of("negate", "2", "-2"), Verdict::kProved);
  EXPECT_EQ(constant_of("sqrt", "2", "1.41421366"), Verdict::kRefuted);
}

// An exact rule is proved; a licensed rule, or a step without a rule, is believed from an oracle.
TEST(Laws, OraclesSayWhatIsBelieved) {
  auto oracles = [](const std::string& law, bool is_exact) {
    return Compare(kExamples.at(law), is_exact ? std::vector<std::string>() : std::vector{law})
        .oracles;
  };
  EXPECT_EQ(oracles("negate.twice", true), "");
  EXPECT_EQ(oracles("add.negative_zero", true), "");
  EXPECT_EQ(oracles("constant.operation", true), "constants 1");
  EXPECT_EQ(oracles("power.square", false), "licences 1");
  EXPECT_EQ(oracles("add.reassociate", false), "licences 1");
  EXPECT_EQ(oracles("rsqrt.as_reciprocal", false), "definitions 1");
  EXPECT_NE(oracles("fold.nested", true).find("folds 1"), std::string::npos);
}

TEST(Laws, UnknownNamesAreErrors) {
  auto laws = equivalence::ChooseLaws({"add.reassociates"});
  ASSERT_FALSE(static_cast<bool>(laws));
  EXPECT_NE(llvm::toString(laws.takeError())
                .find("expected some of logistic.expanded, logistic.expanded.narrow"),
            std::string::npos);
}

}  // namespace
}  // namespace affirm::driver
