// Folds whose order counts, and what a sum may start with.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/equivalence/compare_modules.h"
#include "verify/equivalence/combiner_laws.h"
#include "verify/reference/interpreter.h"
#include "verify/terms/fold_laws.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::driver {
namespace {

// A combiner of pairs (a, b) and (c, d) of a type.
std::string OfPairs(const std::string& type, const std::string& body) {
  return "c { a = " + type + "[] parameter(0) b = " + type + "[] parameter(1) c = " + type +
         "[] parameter(2) d = " + type + "[] parameter(3) " + body + " }\n";
}
std::string OfPairsOf(const std::string& first, const std::string& second,
                      const std::string& body) {
  return "c { a = " + first + "[] parameter(0) i = " + second + "[] parameter(1) b = " + first +
         "[] parameter(2) j = " + second + "[] parameter(3) " + body + " }\n";
}
// A combiner of a and b.
std::string OfScalars(const std::string& type, const std::string& body) {
  return "c { a = " + type + "[] parameter(0) b = " + type + "[] parameter(1) " + body + " }\n";
}

struct Combiner {
  const char* says;
  std::string text;
  bool takes_any_order;
};

const Combiner kCombinersOfLaws[] = {
    {"affine maps",
     OfPairs("s32",
             "p = s32[] multiply(a, c) q = s32[] multiply(a, d) r = s32[] add(q, b) "
             "ROOT t = (s32[], s32[]) tuple(p, r)"),
     false},
    {"argmax by >=",
     OfPairsOf("s32", "s32",
               "g = pred[] compare(a, b), direction=GE v = s32[] select(g, a, b) "
               "k = s32[] select(g, i, j) ROOT t = (s32[], s32[]) tuple(v, k)"),
     false},
    {"argmax by > without ties",
     OfPairsOf("s32", "s32",
               "g = pred[] compare(a, b), direction=GT v = s32[] select(g, a, b) "
               "k = s32[] select(g, i, j) ROOT t = (s32[], s32[]) tuple(v, k)"),
     false},
    {"argmax, the first of ties",
     OfPairsOf("s32", "s32",
               "g = pred[] compare(a, b), direction=GT e = pred[] compare(a, b), direction=EQ "
               "l = pred[] compare(i, j), direction=LT n = pred[] and(e, l) h = pred[] or(g, n) "
               "v = s32[] select(h, a, b) k = s32[] select(h, i, j) "
               "ROOT t = (s32[], s32[]) tuple(v, k)"),
     true},
    {"argmax of floats, the first of ties: of two NaN, the one that comes first",
     OfPairsOf("f32", "s32",
               "g = pred[] compare(a, b), direction=GT n = pred[] compare(a, a), direction=NE "
               "p = pred[] or(g, n) e = pred[] compare(a, b), direction=EQ "
               "l = pred[] compare(i, j), direction=LT m = pred[] and(e, l) q = pred[] or(p, m) "
               "v = f32[] select(p, a, b) k = s32[] select(q, i, j) "
               "ROOT t = (f32[], s32[]) tuple(v, k)"),
     false},
    {"the first", OfScalars("s32", "ROOT r = s32[] copy(a)"), false},
    {"the last", OfScalars("f32", "ROOT r = f32[] copy(b)"), false},
    {"a distance", OfScalars("s32", "d = s32[] subtract(a, b) ROOT r = s32[] abs(d)"), false},
    {"a mean of integers",
     OfScalars("s32", "s = s32[] add(a, b) k = s32[] constant(2) ROOT r = s32[] divide(s, k)"),
     false},
    {"a * b + a + b",
     OfScalars("s32", "p = s32[] multiply(a, b) s = s32[] add(a, b) ROOT r = s32[] add(p, s)"),
     true},
    {"a maximum by a choice, of floats: a NaN stays on one side only",
     OfScalars("f32", "g = pred[] compare(a, b), direction=GT ROOT r = f32[] select(g, a, b)"),
     false},
    {"a maximum by a choice, of integers",
     OfScalars("s32", "g = pred[] compare(a, b), direction=GT ROOT r = s32[] select(g, a, b)"),
     true},
    {"a sum modulo two, of predicates",
     OfScalars("pred", "ROOT r = pred[] compare(a, b), direction=NE"), true},
    {"an implication", OfScalars("pred", "n = pred[] not(a) ROOT r = pred[] or(n, b)"), false},
    {"sums that count what was there",
     OfPairs("s32",
             "s = s32[] add(a, c) p = s32[] multiply(s, b) q = s32[] add(p, d) "
             "ROOT t = (s32[], s32[]) tuple(s, q)"),
     false},
    {"a maximum beside a minimum",
     OfPairs("f32",
             "s = f32[] maximum(a, c) p = f32[] minimum(b, d) "
             "ROOT t = (f32[], f32[]) tuple(s, p)"),
     true},
    {"a sum of floats beside its square",
     OfPairs("f32",
             "s = f32[] add(a, c) m = f32[] multiply(a, c) p = f32[] add(b, d) q = f32[] add(p, m) "
             "ROOT t = (f32[], f32[]) tuple(s, q)"),
     false},
};

TEST(FoldLaws, CombinersTakeAnyOrderWhereTheyCommuteAndAssociate) {
  for (const Combiner& of : kCombinersOfLaws) {
    auto module = testing::ParseOrFail(of.text + "ENTRY e { ROOT p = f32[] parameter(0) }\n");
    ASSERT_NE(module, nullptr) << of.says;
    EXPECT_EQ(equivalence::TakesAnyOrder(*module->FindComputation("c")), of.takes_any_order)
        << of.says;
  }
}

// reduce of one array, or of two, forwards and backwards.
std::string Reduced(const std::string& combiner, bool backwards, const std::string& first,
                    const std::string& second = "") {
  const std::string pair = "(" + first + "[], " + second + "[])";
  std::string text = combiner + "ENTRY e {\n x = " + first + "[6] parameter(0)\n o = " + first +
                     "[] parameter(1)\n";
  if (backwards) text += "xr = " + first + "[6] reverse(x), dimensions={0}\n";
  const std::string x = backwards ? "xr" : "x";
  if (second.empty()) {
    return text + "ROOT r = " + first + "[] reduce(" + x + ", o), dimensions={0}, to_apply=c\n}\n";
  }
  text += "y = " + second + "[6] parameter(2)\n z = " + second + "[] parameter(3)\n";
  if (backwards) text += "yr = " + second + "[6] reverse(y), dimensions={0}\n";
  return text + "ROOT r = " + pair + " reduce(" + x + ", " + (backwards ? "yr" : "y") +
         ", o, z), dimensions={0}, to_apply=c\n}\n";
}

TEST(FoldLaws, ReductionsInAnotherOrderAreEqualWhereTheCombinerTakesAny) {
  for (const Combiner& of : kCombinersOfLaws) {
    const llvm::StringRef text = of.text;
    const std::string type = text.split("a = ").second.split("[]").first.str();
    const bool is_pair = text.contains("parameter(3)");
    const llvm::StringRef behind = text.split(text.contains("i = ") ? " i = " : " b = ").second;
    const std::string second = is_pair ? behind.split("[]").first.str() : "";
    const std::string forth = Reduced(of.text, false, type, second),
                      back = Reduced(of.text, true, type, second);
    auto verdict = [](const std::string& a, const std::string& b) {
      return Compare(a, b, {.execute = false}).verdict;
    };
    EXPECT_EQ(verdict(forth, forth), Verdict::kProved) << of.says;
    EXPECT_EQ(verdict(forth, back), of.takes_any_order ? Verdict::kProved : Verdict::kUnknown)
        << of.says;
    // The same fold of other values is the same fold.
    std::string copied = forth;
    copied.insert(copied.rfind("ROOT r"), "n = " + type + "[6] copy(x)\n");
    copied.replace(copied.find("reduce(x"), 8, "reduce(n");
    EXPECT_EQ(verdict(forth, copied), Verdict::kProved) << of.says;
  }
}

// A window of all elements, or another shape of them, is no promise of an order.
TEST(FoldLaws, WhereTheOrderCountsOpsAndDimensionsCount) {
  const std::string last = OfScalars("s32", "ROOT r = s32[] copy(b)"),
                    most = OfScalars("s32",
                                     "g = pred[] compare(a, b), direction=GT ROOT r = s32[] "
                                     "select(g, a, b)");
  auto in_one = [](const std::string& combiner) {
    return combiner + Entry(
                          "x = s32[6] parameter(0) o = s32[] parameter(1) "
                          "ROOT r = s32[] reduce(x, o), dimensions={0}, to_apply=c");
  };
  auto in_two = [](const std::string& combiner) {
    return combiner + Entry(
                          "x = s32[6] parameter(0) o = s32[] parameter(1) "
                          "m = s32[2,3] reshape(x) "
                          "ROOT r = s32[] reduce(m, o), dimensions={0,1}, to_apply=c");
  };
  auto in_window = [](const std::string& combiner) {
    return combiner + Entry(
                          "x = s32[6] parameter(0) o = s32[] parameter(1) "
                          "w = s32[1] reduce-window(x, o), window={size=6}, to_apply=c "
                          "ROOT r = s32[] reshape(w)");
  };
  auto verdict = [](const std::string& a, const std::string& b) {
    return Compare(a, b, {.execute = false}).verdict;
  };
  EXPECT_EQ(verdict(in_one(most), in_two(most)), Verdict::kProved);
  EXPECT_EQ(verdict(in_one(most), in_window(most)), Verdict::kProved);
  EXPECT_EQ(verdict(in_one(last), in_two(last)), Verdict::kUnknown);
  EXPECT_EQ(verdict(in_one(last), in_window(last)), Verdict::kUnknown);
}

// Sums of floats beside zeros: {the operands of a sum, the operands of another}, and whether the
// sums are the same for all x, y.
TEST(FoldLaws, ZerosAmongSummandsCountWhereNothingElseIsNeverNegativeZero) {
  auto module = [](const std::string& values, const std::string& count, const std::string& start) {
    return kCombiners +
           Entry(
               "x = f32[2] parameter(0) z = f32[1] constant({0}) n = f32[1] constant({-0}) "
               "e = f32[2] exponential(x) s = f32[2] multiply(x, x) o = f32[] constant(" +
               start + ") v = f32[" + count + "] concatenate(" + values +
               "), dimensions={0} ROOT r = f32[] reduce(v, o), dimensions={0}, to_apply=sum");
  };
  auto verdict = [](const std::string& a, const std::string& b) {
    return Compare(a, b, {.execute = false}).verdict;
  };
  const std::string plain = module("x, n", "3", "-0");
  const auto equal = Verdict::kProved, unknown = Verdict::kUnknown;
  EXPECT_EQ(verdict(plain, module("x, n, n", "4", "-0")), equal);
  EXPECT_EQ(verdict(plain, module("x, z", "3", "-0")), unknown);
  EXPECT_EQ(verdict(module("x, z", "3", "-0"), plain), unknown);
  EXPECT_EQ(verdict(plain, module("x, n", "3", "0")), unknown);
  EXPECT_EQ(verdict(module("x, z", "3", "-0"), module("x, z, z", "4", "-0")), equal);
  EXPECT_EQ(verdict(module("x, z", "3", "-0"), module("x, n", "3", "0")), equal);
  EXPECT_EQ(verdict(module("e, n", "3", "-0"), module("e, z", "3", "0")), equal);
  EXPECT_EQ(verdict(module("s, n", "3", "-0"), module("s, z", "3", "-0")), equal);
  EXPECT_EQ(verdict(plain, module("x, n", "3", "3")), unknown);
}

// Each exact law holds of all values of small types, as the interpreter has them; so do identities.
class LawTable : public ::testing::Test {
 protected:
  // The value of `op` on two scalars given by their bits.
  static uint8_t Apply(const hlo::Computation& entry, hlo::PrimitiveType type, uint8_t a,
                       uint8_t b) {
    hlo::Literal x(hlo::Shape::Array(type, {})), y = x;
    x.data()[0] = a;
    y.data()[0] = b;
    auto result = hlo::Interpret(entry, {x, y});
    EXPECT_TRUE(!!result);
    if (!result) return 0;
    const bool is_nan = hlo::IsFloat(type) && std::isnan(result->GetFloat(0));
    return is_nan ? 0x7f : result->data()[0];  // NaNs are one
  }
};

TEST_F(LawTable, ExactLawsHoldOfAllValues) {
  for (const terms::FoldOperation& row : terms::FoldOperations()) {
    for (const hlo::PrimitiveType type :
         {hlo::PrimitiveType::kS8, hlo::PrimitiveType::kU8, hlo::PrimitiveType::kF8E5M2}) {
      const bool is_float = hlo::IsFloat(type);
      if ((is_float ? row.on_floats : row.on_integers) != terms::AnyOrder::kExact) continue;
      if (!is_float && terms::IsUnsigned(row.op) != (type == hlo::PrimitiveType::kU8)) continue;
      const std::string name = hlo::Name(type).str();
      auto module = testing::ParseOrFail(
          Entry("a = " + name + "[] parameter(0) b = " + name + "[] parameter(1) ROOT r = " + name +
                "[] " + hlo::Name(terms::OpcodeOf(row.op)).str() + "(a, b)"));
      ASSERT_NE(module, nullptr);
      auto apply = [&](int a, int b) {
        return Apply(*module->entry, type, static_cast<uint8_t>(a), static_cast<uint8_t>(b));
      };
      // All pairs of some, and triples of fewer; NaNs (0x7f) and zeros (0x00, 0x80) among them.
      for (int a = 0; a < 256; a += 3) {
        for (int b : {0x00, 0x01, 0x3c, 0x7b, 0x7c, 0x7f, 0x80, 0x81, 0xbc, 0xfc}) {
          EXPECT_EQ(apply(a, b), apply(b, a)) << terms::Name(row.op).str() << " " << a << " " << b;
          EXPECT_EQ(apply(apply(a, b), a), apply(a, apply(b, a))) << terms::Name(row.op).str();
          if (row.idempotent) {
            EXPECT_EQ(apply(apply(a, b), b), apply(a, b)) << terms::Name(row.op).str();
          }
          for (int c : {0x00, 0x3c, 0x80, 0xbd})
            EXPECT_EQ(apply(apply(a, b), c), apply(a, apply(b, c))) << terms::Name(row.op).str();
        }
      }
    }
  }
}

// For integers, exactly the identities may start a fold. For floats, zeros of either sign may too,
// and for extrema numbers that stand for an infinity.
TEST_F(LawTable, InitialValuesAreIdentities) {
  terms::Pool pool;
  for (const terms::FoldOperation& row : terms::FoldOperations()) {
    using enum hlo::PrimitiveType;
    for (const hlo::PrimitiveType type : {kS8, kU8, kS1, kU1, kF8E5M2, kPred}) {
      if (terms::FoldOpOf(terms::OpcodeOf(row.op), type) != row.op) continue;
      const bool is_float = hlo::IsFloat(type), is_bit = terms::TermType(type) == kPred;
      if (is_float && row.on_floats == terms::AnyOrder::kNever) continue;
      const std::string name = hlo::Name(type).str();
      auto module = testing::ParseOrFail(
          Entry("a = " + name + "[] parameter(0) b = " + name + "[] parameter(1) ROOT r = " + name +
                "[] " + hlo::Name(terms::OpcodeOf(row.op)).str() + "(a, b)"));
      ASSERT_NE(module, nullptr);
      const int values = is_bit ? 2 : 256;
      constexpr uint8_t kNegativeZero = 0x80, kLargest = 0x71;  // 10,240 of f8e5m2
      for (int initial = 0; initial < values; ++initial) {
        bool is_identity = true;
        for (int with = 0; with < values; ++with) {
          const auto bits = static_cast<uint8_t>(with);
          if (is_float && (bits & ~kNegativeZero) > kLargest) continue;
          uint8_t result = Apply(*module->entry, type, static_cast<uint8_t>(initial), bits);
          if (is_float && result == kNegativeZero && bits == 0) result = 0;
          if (is_float && result == 0 && bits == kNegativeZero) result = kNegativeZero;
          if (is_bit) result &= 1;
          is_identity = is_identity && result == bits;
        }
        const terms::Term term =
            is_bit     ? pool.OfCondition(initial != 0 ? pool.True() : pool.False())
            : is_float ? pool.Literal(type, initial)
                       : pool.OfInteger(pool.Number(initial), terms::TermType(type));
        EXPECT_EQ(terms::MayBeAnyNumberOfTimes(row.op, term), is_identity)
            << terms::Name(row.op).str() << " of " << name << " from " << initial;
      }
    }
  }
  EXPECT_EQ(terms::MayBeAnyNumberOfTimes(terms::Op::kAdd,
                                         pool.Load(0, pool.Number(0), hlo::PrimitiveType::kF32)),
            std::nullopt);
  EXPECT_EQ(
      terms::MayBeAnyNumberOfTimes(terms::Op::kSubtract, pool.Literal(hlo::PrimitiveType::kF32, 0)),
      std::nullopt);
}

// Combiners that are written otherwise, and are proved to compute the same.
TEST(FoldLaws, CombinersThatComputeTheSameAreOne) {
  const std::string first =
      "g = pred[] compare(a, b), direction=GT e = pred[] compare(a, b), direction=EQ l = pred[] "
      "compare(i, j), direction=LT m = pred[] and(e, l) q = pred[] or(g, m) ";
  const std::string result = " k = s32[] select(q, i, j) ROOT t = (pred[], s32[]) tuple(v, k)";
  // From an identity, as HLO requires of what is known.
  auto reduced = [&](const std::string& value) {
    return OfPairsOf("pred", "s32", first + value + result) +
           "ENTRY e { x = pred[6] parameter(0) y = s32[6] parameter(1) o = pred[] constant(false) "
           "z = s32[] constant(0) r = (pred[], s32[]) reduce(x, y, o, z), dimensions={0}, "
           "to_apply=c ROOT k = s32[] get-tuple-element(r), index=1 }\n";
  };
  auto verdict = [&](const std::string& a, const std::string& b) {
    return Compare(reduced(a), reduced(b), {.execute = false}).verdict;
  };
  const std::string chosen = "v = pred[] select(g, a, b)";
  EXPECT_EQ(verdict(chosen, "v = pred[] or(a, b)"), Verdict::kProved);
  EXPECT_EQ(verdict("v = pred[] or(b, a)", chosen), Verdict::kProved);
  EXPECT_NE(verdict(chosen, "v = pred[] and(a, b)"), Verdict::kProved);
  EXPECT_NE(verdict(chosen, "v = pred[] select(g, b, a)"), Verdict::kProved);
}

}  // namespace
}  // namespace affirm::driver
