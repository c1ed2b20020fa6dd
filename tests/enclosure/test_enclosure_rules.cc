// Operations of whole arrays: their expansions, written by hand, lie inside their enclosures, and
// what is a little wrong lies outside.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <regex>
#include <string>
#include <vector>

#include "tests/parse_module.h"
#include "verify/enclosure/enclose.h"
#include "verify/reference/arguments.h"
#include "verify/reference/elementwise.h"
#include "verify/reference/interpreter.h"

namespace affirm::enclosure {
namespace {

using hlo::Literal;

// x has 8 rows of 8 features, s, o and v one number for each feature; v is not negative.
std::string ModuleOf(const std::string& body) {
  return "HloModule m\n"
         "sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
         "less { a = f32[] parameter(0) b = f32[] parameter(1) c = s32[] parameter(2) d = s32[] "
         "parameter(3) ROOT r = pred[] compare(a, b), direction=LT }\n"
         "ge { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), "
         "direction=GE }\n"
         "best { a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) j = s32[] "
         "parameter(3) p = pred[] compare(a, b), direction=GE k = f32[] select(p, a, b) n = s32[] "
         "select(p, i, j) ROOT t = (f32[], s32[]) tuple(k, n) }\n"
         "step { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] add(a, b) ROOT t = "
         "(f32[], "
         "f32[]) tuple(c, c) }\n"
         "lt { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), "
         "direction=LT }\n"
         "total { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] parameter(2) d = f32[] "
         "parameter(3) z = f32[] constant(0) n = f32[] constant(nan) p = pred[] compare(a, z), "
         "direction=EQ k = f32[] select(p, z, a) p2 = pred[] compare(a, a), direction=NE k2 = "
         "f32[] select(p2, n, k) q = pred[] compare(b, z), direction=EQ l = f32[] select(q, z, b) "
         "q2 = pred[] compare(b, b), direction=NE l2 = f32[] select(q2, n, l) ROOT r = pred[] "
         "compare(k2, l2), direction=LT, type=TOTALORDER }\n"
         "first { a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) j = s32[] "
         "parameter(3) p = pred[] compare(a, b), direction=GT n = pred[] compare(a, a), "
         "direction=NE o = pred[] or(p, n) k = f32[] select(o, a, b) e = pred[] compare(a, b), "
         "direction=EQ f = pred[] compare(i, j), direction=LT g = pred[] and(e, f) h = pred[] "
         "or(o, g) m = s32[] select(h, i, j) ROOT t = (f32[], s32[]) tuple(k, m) }\n"
         "third { a = f32[] parameter(0) c = f32[] constant(3) ROOT r = f32[] divide(a, c) }\n"
         "one { a = f32[64] parameter(0) ROOT r = f32[64] copy(a) }\n"
         "two { a = f32[64] parameter(0) ROOT r = f32[64] tanh(a) }\n"
         "ENTRY e { x = f32[64] parameter(0) y = f32[64] parameter(1) s = f32[8] parameter(2) o = "
         "f32[8] parameter(3) w = f32[8] parameter(4) v = f32[8] abs(w) z = f32[] constant(0) m = "
         "f32[8,8] reshape(x) g = f32[8,8] reshape(y) " +
         body + " }\n";
}

std::vector<Literal> Arguments(const hlo::Module& module) {
  return hlo::MakeArguments(*module.entry, 3, hlo::ArgumentKind::kRounding);
}

Enclosures Of(const std::string& body) {
  auto module = testing::ParseOrFail(ModuleOf(body));
  if (!module) return {};
  auto enclosures = Enclose(*module->entry, Arguments(*module));
  if (enclosures) return std::move(*enclosures);
  ADD_FAILURE() << llvm::toString(enclosures.takeError());
  return {};
}

Literal RunText(const std::string& text) {
  auto module = testing::ParseOrFail(text);
  if (!module) return {};
  auto value = hlo::Interpret(*module->entry, Arguments(*module));
  if (value) return std::move(*value);
  ADD_FAILURE() << llvm::toString(value.takeError());
  return {};
}
Literal RunEntry(const std::string& entry) { return RunText("HloModule m\n" + entry + "\n"); }

// How many elements of a value are outside; integers and floats of one kind, of any width.
int64_t OutsideOf(const Enclosures& of, const Literal& value) {
  EXPECT_EQ(of.not_known, "");
  if (of.result.leaves.empty() || !value.shape().IsArray()) return -1;
  const hlo::PrimitiveType type = of.result.value.shape().type;
  int64_t outside = 0;
  for (int64_t i = 0; i < value.NumElements(); ++i) {
    if (!Contains(type, of.result.At(0, i), hlo::Load(value, i))) ++outside;
  }
  return outside;
}

// Of b's value, as the interpreter computes it, in what a may be.
int64_t Outside(const std::string& a, const std::string& b) {
  return OutsideOf(Of(a), RunText(ModuleOf(b)));
}

std::string Columns(const std::string& name, const std::string& of) {
  return name + " = f32[8,8] broadcast(" + of + "), dimensions={1} ";
}
std::string Constant(const std::string& name, const std::string& value, const std::string& dims) {
  return name + "c = f32[] constant(" + value + ") " + name + " = f32" + dims + " broadcast(" +
         name + "c), dimensions={} ";
}

// As xla/service/batchnorm_expander.cc writes it, with another epsilon and another count.
std::string TrainingExpanded(const std::string& epsilon, const std::string& count) {
  return Constant("n", count, "[8]") + Constant("eps", epsilon, "[8,8]") +
         "q = f32[8,8] multiply(m, m) s1 = f32[8] reduce(m, z), dimensions={0}, to_apply=sum "
         "s2 = f32[8] reduce(q, z), dimensions={0}, to_apply=sum mean = f32[8] divide(s1, n) "
         "mq = f32[8] divide(s2, n) qm = f32[8] multiply(mean, mean) var = f32[8] subtract(mq, "
         "qm) " +
         Columns("mb", "mean") + Columns("vb", "var") + Columns("sb", "s") + Columns("ob", "o") +
         "ve = f32[8,8] add(vb, eps) r1 = f32[8,8] rsqrt(ve) c1 = f32[8,8] subtract(m, mb) "
         "c2 = f32[8,8] multiply(c1, r1) c3 = f32[8,8] multiply(c2, sb) "
         "ROOT r = f32[8,8] add(c3, ob)";
}

TEST(BatchNorm, TrainingHoldsItsExpansion) {
  const std::string op =
      "b = (f32[8,8], f32[8], f32[8]) batch-norm-training(m, s, o), epsilon=0.1, feature_index=1 "
      "ROOT r = f32[8,8] get-tuple-element(b), index=0";
  EXPECT_EQ(Outside(op, TrainingExpanded("0.1", "8")), 0);
  EXPECT_GT(Outside(op, TrainingExpanded("0.101", "8")), 0);
  EXPECT_GT(Outside(op, TrainingExpanded("0.1", "7.99")), 16);
  EXPECT_EQ(Outside(TrainingExpanded("0.1", "8"), op), 0);
}

// In two passes, as cuDNN has it.
TEST(BatchNorm, TrainingHoldsItsDefinition) {
  const std::string op =
      "b = (f32[8,8], f32[8], f32[8]) batch-norm-training(m, s, o), epsilon=0.1, feature_index=1 "
      "ROOT r = f32[8] get-tuple-element(b), index=2";
  auto two_passes = [](const std::string& count) {
    return Constant("n", count, "[8]") +
           "s1 = f32[8] reduce(m, z), dimensions={0}, to_apply=sum mean = f32[8] divide(s1, n) " +
           Columns("mb", "mean") +
           "c1 = f32[8,8] subtract(m, mb) q = f32[8,8] multiply(c1, c1) s2 = f32[8] reduce(q, z), "
           "dimensions={0}, to_apply=sum ROOT r = f32[8] divide(s2, n)";
  };
  EXPECT_EQ(Outside(op, two_passes("8")), 0);
  EXPECT_EQ(Outside(op, two_passes("7.992")), 8);
}

// The mean of the squares less the square of the mean has few digits where the mean is large.
TEST(BatchNorm, VarianceMayCancel) {
  const std::string large =
      Constant("k", "1000.3", "[8,8]") + "h = f32[8,8] tanh(m) a = f32[8,8] add(h, k) ";
  const std::string op =
      large +
      "b = (f32[8,8], f32[8], f32[8]) batch-norm-training(a, s, o), epsilon=0.1, feature_index=1 "
      "ROOT r = f32[8] get-tuple-element(b), index=2";
  const std::string expanded =
      large + Constant("n", "8", "[8]") +
      "q = f32[8,8] multiply(a, a) s1 = f32[8] reduce(a, z), dimensions={0}, to_apply=sum s2 = "
      "f32[8] reduce(q, z), dimensions={0}, to_apply=sum mean = f32[8] divide(s1, n) mq = f32[8] "
      "divide(s2, n) qm = f32[8] multiply(mean, mean) ROOT r = f32[8] subtract(mq, qm)";
  EXPECT_EQ(Outside(op, expanded), 0);
}

std::string InferenceExpanded(const std::string& mean) {
  return Constant("eps", "0.1", "[8]") +
         "ve = f32[8] add(v, eps) r1 = f32[8] rsqrt(ve) sc = f32[8] multiply(s, r1) ms = f32[8] "
         "multiply(" +
         mean + ", sc) sh = f32[8] subtract(o, ms) " + Columns("scb", "sc") + Columns("shb", "sh") +
         "xs = f32[8,8] multiply(m, scb) ROOT r = f32[8,8] add(xs, shb)";
}

TEST(BatchNorm, InferenceHoldsItsExpansion) {
  const std::string op =
      "ROOT r = f32[8,8] batch-norm-inference(m, s, o, w, v), epsilon=0.1, feature_index=1";
  EXPECT_EQ(Outside(op, InferenceExpanded("w")), 0);
  EXPECT_GT(Outside(op, InferenceExpanded("v")), 16);
}

TEST(BatchNorm, GradHoldsItsExpansion) {
  const std::string op =
      "b = (f32[8,8], f32[8], f32[8]) batch-norm-grad(m, s, w, v, g), epsilon=0.1, "
      "feature_index=1 ROOT r = f32[8,8] get-tuple-element(b), index=0";
  auto expanded = [](const std::string& count) {
    return Constant("n", count, "[8]") + Constant("nb", count, "[8,8]") +
           Constant("eps", "0.1", "[8]") + "ve = f32[8] add(v, eps) r1 = f32[8] rsqrt(ve) " +
           Columns("wb", "w") + Columns("veb", "ve") +
           "c1 = f32[8,8] subtract(m, wb) p1 = f32[8,8] multiply(g, c1) sp = f32[8] reduce(p1, z), "
           "dimensions={0}, to_apply=sum sg = f32[8] reduce(g, z), dimensions={0}, to_apply=sum "
           "s1 = f32[8] multiply(s, r1) s2 = f32[8] divide(s1, n) " +
           Columns("spb", "sp") + Columns("sgb", "sg") + Columns("s2b", "s2") +
           "i1 = f32[8,8] multiply(g, nb) i2 = f32[8,8] subtract(i1, sgb) i4 = f32[8,8] "
           "multiply(spb, c1) i5 = f32[8,8] divide(i4, veb) i6 = f32[8,8] subtract(i2, i5) "
           "ROOT r = f32[8,8] multiply(s2b, i6)";
  };
  EXPECT_EQ(Outside(op, expanded("8")), 0);
  EXPECT_GT(Outside(op, expanded("8.008")), 8);
}

TEST(Maps, HoldTheirFunction) {
  const std::string op = "ROOT r = f32[64] map(x), dimensions={0}, to_apply=third";
  EXPECT_EQ(Outside(op, Constant("t", "0.333333343", "[64]") + "ROOT r = f32[64] multiply(x, t)"),
            0);
  EXPECT_GT(Outside(op, Constant("t", "0.3335", "[64]") + "ROOT r = f32[64] multiply(x, t)"), 32);
}

// The window keeps either of two elements that a rounding may exchange, and surely none that is
// smaller than both.
TEST(SelectAndScatter, MayScatterToEitherOfTwo) {
  auto scatter = [](const std::string& of) {
    return of +
           "src = f32[1] constant({7}) ROOT r = f32[3] select-and-scatter(k, src, z), "
           "window={size=3 stride=3}, select=ge, scatter=sum";
  };
  auto keys = [](const std::string& a, const std::string& b) {
    return "a = f32[3] constant({" + a + "}) b = f32[3] constant({" + b +
           "}) k = f32[3] divide(a, b) ";
  };
  // 10 / 3 and 20 / 6 are one number, which either may miss.
  const std::string close = scatter(keys("10, 20, 1", "3, 6, 3"));
  EXPECT_EQ(Outside(close, "ROOT r = f32[3] constant({7, 0, 0})"), 0);
  EXPECT_EQ(Outside(close, "ROOT r = f32[3] constant({0, 7, 0})"), 0);
  EXPECT_EQ(Outside(close, "ROOT r = f32[3] constant({0, 0, 7})"), 1);
  const std::string apart = scatter(keys("10, 20, 1", "3, 7, 3"));
  EXPECT_EQ(Outside(apart, "ROOT r = f32[3] constant({0, 7, 0})"), 2);
}

const std::string kKeys =
    "a = f32[4] constant({10, 5, 20, 1}) b = f32[4] constant({3, 3, 6, 3}) k = f32[4] divide(a, b) "
    "i = s32[4] iota(), iota_dimension=0 ";

TEST(Sorts, ByKeysThatRoundMayExchangeTheClosest) {
  const std::string op = kKeys +
                         "t = (f32[4], s32[4]) sort(k, i), dimensions={0}, to_apply=less "
                         "ROOT r = s32[4] get-tuple-element(t), index=1";
  EXPECT_EQ(Outside(op, "ROOT r = s32[4] constant({3, 1, 0, 2})"), 0);
  EXPECT_EQ(Outside(op, "ROOT r = s32[4] constant({3, 1, 2, 0})"), 0);
  EXPECT_EQ(Outside(op, "ROOT r = s32[4] constant({1, 3, 2, 0})"), 2);
}

TEST(TopK, OfKeysThatRoundMayExchangeTheClosest) {
  const std::string op = kKeys +
                         "t = (f32[2], s32[2]) topk(k), k=2, largest=true ROOT r = s32[2] "
                         "get-tuple-element(t), index=1";
  EXPECT_EQ(Outside(op, "ROOT r = s32[2] constant({0, 2})"), 0);
  EXPECT_EQ(Outside(op, "ROOT r = s32[2] constant({2, 0})"), 0);
  EXPECT_EQ(Outside(op, "ROOT r = s32[2] constant({2, 3})"), 1);
}

TEST(Reductions, ByComparisonsMayTakeTheClosest) {
  const std::string op = kKeys +
                         "l = f32[] constant(-inf) q = s32[] constant(0) "
                         "t = (f32[], s32[]) reduce(k, i, l, q), dimensions={0}, to_apply=best "
                         "ROOT r = s32[] get-tuple-element(t), index=1";
  EXPECT_EQ(Outside(op, "ROOT r = s32[] constant(0)"), 0);
  EXPECT_EQ(Outside(op, "ROOT r = s32[] constant(2)"), 0);
  EXPECT_EQ(Outside(op, "ROOT r = s32[] constant(3)"), 1);
}

// As JAX writes them: NaN is the largest, and zeros of both signs are one.
TEST(Sorts, InTotalOrderAreNarrow) {
  const std::string op =
      "t = f32[64] tanh(x) q = (f32[64], f32[64]) sort(t, x), dimensions={0}, "
      "to_apply=total ROOT r = f32[64] get-tuple-element(q), index=1";
  EXPECT_EQ(Outside(op, "ROOT r = f32[64] sort(x), dimensions={0}, to_apply=lt"), 0);
  EXPECT_GT(Outside(op, "ROOT r = f32[64] copy(x)"), 32);
}

TEST(Reductions, ToTheFirstOfTheLargestAreNarrow) {
  const std::string op =
      "t = f32[64] sine(x) i = s32[64] iota(), iota_dimension=0 l = f32[] constant(-inf) n = s32[] "
      "constant(0) q = (f32[], s32[]) reduce(t, i, l, n), dimensions={0}, to_apply=first ROOT r = "
      "s32[] get-tuple-element(q), index=1";
  const Enclosure index = Of(op).result.At(0, 0);
  EXPECT_EQ(index.lo, index.hi);
}

// As XLA:CPU computes it (elemental_ir_emitter.cc, EmitExpm1).
TEST(Functions, OfF16HoldFormulasInF16) {
  auto module = testing::ParseOrFail(
      "HloModule m\nENTRY e { a = f16[] parameter(0) ROOT r = f16[] exponential-minus-one(a) }\n");
  Literal argument(module->entry->parameters[0]->shape);
  const auto f16 = [](double value) { return hlo::RoundTo(hlo::PrimitiveType::kF16, value); };
  for (int k = 1; k < 1000; ++k) {
    const double x = f16(0.001 * k), power = f16(std::exp(x));
    hlo::Store(argument, 0, {.re = x});
    auto enclosures = Enclose(*module->entry, argument);
    if (!enclosures) FAIL() << llvm::toString(enclosures.takeError());
    const Interval of = enclosures->result.At(0, 0).real;
    const double formula =
        x > 0.5 ? f16(power - 1) : f16(f16(std::tanh(f16(x / 2))) * f16(power + 1));
    EXPECT_TRUE(of.Has(formula)) << x;
    EXPECT_FALSE(of.Has(1.01 * std::expm1(x))) << x;
  }
}

// As XLA:CPU has been seen to compute them.
TEST(Functions, HoldWhatXlaComputes) {
  auto value = [](const std::string& of, const std::string& function, double x) {
    auto module =
        testing::ParseOrFail("HloModule m\nENTRY e { a = " + of + "[] parameter(0) ROOT r = " + of +
                             "[] " + function + "(a) }\n");
    Literal argument(module->entry->parameters[0]->shape);
    hlo::Store(argument, 0, {.re = x});
    auto enclosures = Enclose(*module->entry, argument);
    return enclosures ? enclosures->result.At(0, 0).real : Interval::NaN();
  };
  const double x = -0.41419808437004807, exact = std::log1p(x);
  EXPECT_TRUE(value("f64", "log-plus-one", x).Has(exact * (1 + 129 * 0x1p-53)));
  EXPECT_FALSE(value("f64", "log-plus-one", x).Has(exact * (1 + 0x1p-43)));
  EXPECT_TRUE(value("bf16", "cbrt", 0x1p-133).Has(-5.6e-16));
  EXPECT_FALSE(value("bf16", "cbrt", 0x1p-126).Has(-5.6e-16));
}

// 1.5707964 - 0.0155 + 0.003 i, near a pole: XLA:CPU is off by 45 unit roundoffs.
TEST(ComplexFunctions, OfTangentsLoseDigitsNearPoles) {
  auto module = testing::ParseOrFail(
      "HloModule m\nENTRY e { a = c64[] parameter(0) ROOT r = c64[] tan(a) }\n");
  Literal argument(module->entry->parameters[0]->shape);
  hlo::Store(argument, 0, {.re = 1.5684922F, .im = 0.01554F});
  auto enclosures = Enclose(*module->entry, argument);
  if (!enclosures) FAIL() << llvm::toString(enclosures.takeError());
  const std::complex<double> exact = std::tan(std::complex<double>(1.5684922F, 0.01554F));
  EXPECT_GT(std::abs(exact), 60);
  const Enclosure of = enclosures->result.At(0, 0);
  EXPECT_TRUE(of.imaginary.Has(exact.imag() * (1 + 100 * 0x1p-24)));
  EXPECT_FALSE(of.imaginary.Has(exact.imag() * 1.02));
}

TEST(Branches, ThatARoundingDecidesAreBothTaken) {
  auto choice = [](const std::string& constant) {
    return "a = f32[] constant(10) b = f32[] constant(3) k = f32[] divide(a, b) c = f32[] "
           "constant(" +
           constant +
           ") p = pred[] compare(k, c), direction=LT ROOT r = f32[64] conditional(p, x, y), "
           "true_computation=one, false_computation=two";
  };
  EXPECT_EQ(Outside(choice("3.33333325"), "ROOT r = f32[64] copy(x)"), 0);
  EXPECT_EQ(Outside(choice("3.33333325"), "ROOT r = f32[64] tanh(y)"), 0);
  EXPECT_GT(Outside(choice("3.34"), "ROOT r = f32[64] tanh(y)"), 32);
}

// Of numbers at which each function is moderate, the value that double has is inside, and the one
// of another number is not.
TEST(ComplexFunctions, HoldWhatDoubleHas) {
  for (const char* function :
       {"abs", "sign", "exponential", "exponential-minus-one", "log", "log-plus-one", "sqrt",
        "rsqrt", "sine", "cosine", "tan", "tanh", "logistic"}) {
    const bool is_real = std::string(function) == "abs";
    auto apply = [&](const std::string& part, const std::string& type, const std::string& factor) {
      const std::string result = (is_real ? part : type) + "[64]";
      return "a = " + part + "[64] tanh(x) b = " + part + "[64] sine(y) f = " + part +
             "[] constant(" + factor + ") fb = " + part +
             "[64] broadcast(f), dimensions={} c = " + part + "[64] multiply(b, fb) k = " + type +
             "[64] complex(a, c) ROOT r = " + result + " " + function + "(k)";
    };
    const std::string op = apply("f32", "c64", "1");
    const std::string text =
        "ENTRY e { u = f32[64] parameter(0) x = f64[64] convert(u) w = f32[64] "
        "parameter(1) y = f64[64] convert(w) ";
    EXPECT_EQ(OutsideOf(Of(op), RunEntry(text + apply("f64", "c128", "1") + " }")), 0) << function;
    if (std::string(function) == "sign") continue;  // of 1.002 b
    EXPECT_GT(OutsideOf(Of(op), RunEntry(text + apply("f64", "c128", "1.0003") + " }")), 16)
        << function;
  }
}

TEST(Collectives, OfOneDeviceMoveElements) {
  auto gathered = [](const std::string& of) {
    return "t = f32[64] " + of +
           "(x) ar = f32[64] all-reduce(t), replica_groups={}, to_apply=sum rs = f32[64] "
           "reduce-scatter(ar), replica_groups={}, dimensions={0}, to_apply=sum ROOT r = f32[64] "
           "all-gather(rs), replica_groups={}, dimensions={0}";
  };
  EXPECT_EQ(Outside(gathered("tanh"), "ROOT r = f32[64] tanh(x)"), 0);
  EXPECT_GT(Outside(gathered("tanh"), "ROOT r = f32[64] sine(x)"), 32);
}

TEST(Scans, HoldTheirSteps) {
  auto scan = [](const std::string& result) {
    return "i = f32[] constant(1) t = f32[64] tanh(x) s1 = (f32[64], f32[]) scan(t, i), "
           "dimensions={0}, num_carries=1, "
           "to_apply=step ROOT r = " +
           result;
  };
  const std::string carry = "f32[] get-tuple-element(s1), index=1";
  EXPECT_EQ(
      Outside(
          scan(carry),
          "t = f32[64] tanh(x) i = f32[] constant(1) ROOT r = f32[] reduce(t, i), dimensions={0}, "
          "to_apply=sum"),
      0);
  EXPECT_EQ(Outside(scan(carry),
                    "t = f32[64] tanh(x) i = f32[] constant(1.01) ROOT r = f32[] reduce(t, i), "
                    "dimensions={0}, "
                    "to_apply=sum"),
            1);
  const std::string stacked = "f32[64] get-tuple-element(s1), index=0";
  EXPECT_EQ(Outside(scan(stacked), scan(stacked)), 0);
  // One that may be taken as a tree.
  const std::string tree = std::regex_replace(scan(carry), std::regex("num_carries=1"),
                                              "num_carries=1, is_associative=true");
  EXPECT_EQ(Of(tree).not_known, "scan s1");
}

// A number in a range of a type.
hlo::Scalar AnyIn(hlo::PrimitiveType type, Enclosure& range) {
  const auto of = hlo::IntType::Of(type);
  const bool is_small = *rc::gen::arbitrary<bool>();
  auto any = [&] {
    return of.Wrap(is_small ? static_cast<uint64_t>(*rc::gen::inRange(-20, 20))
                            : *rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<uint64_t>()));
  };
  int64_t numbers[] = {any(), any(), any()};
  std::sort(std::begin(numbers), std::end(numbers),
            [&](int64_t a, int64_t b) { return of.Less(a, b); });
  range = Enclosure::Integers(numbers[0], numbers[2]);
  if (*rc::gen::inRange(0, 3) == 0) range.lo = range.hi = numbers[1];
  return {.i = numbers[1]};
}

RC_GTEST_PROP(Integers, OfRangesHoldWhatNumbersGive, ()) {
  using hlo::PrimitiveType;
  const PrimitiveType type =
      *rc::gen::element(PrimitiveType::kS8, PrimitiveType::kU8, PrimitiveType::kS32,
                        PrimitiveType::kU32, PrimitiveType::kS64, PrimitiveType::kU64);
  const std::string operation =
      *rc::gen::elementOf(std::vector<std::string>{"add",
                                                   "subtract",
                                                   "multiply",
                                                   "divide",
                                                   "remainder",
                                                   "maximum",
                                                   "minimum",
                                                   "and",
                                                   "or",
                                                   "xor",
                                                   "shift-left",
                                                   "shift-right-logical",
                                                   "shift-right-arithmetic",
                                                   "abs",
                                                   "sign",
                                                   "not",
                                                   "negate",
                                                   "popcnt",
                                                   "count-leading-zeros",
                                                   "clamp"});
  const std::string name = hlo::Name(type).str() + "[]";
  const bool is_unary = operation == "abs" || operation == "sign" || operation == "not" ||
                        operation == "negate" || operation == "popcnt" ||
                        operation == "count-leading-zeros";
  const int arity = is_unary ? 1 : operation == "clamp" ? 3 : 2;
  std::string operands = "a, b, c";
  operands.resize(3 * arity - 2);
  auto module =
      testing::ParseOrFail("HloModule m\nENTRY e { a = " + name + " parameter(0) b = " + name +
                           " parameter(1) c = " + name + " parameter(2) ROOT r = " + name + " " +
                           operation + "(" + operands + ") }\n");
  auto exact = hlo::ResolveElementwise(*module->entry->root);
  if (!exact) {  // not of unsigned integers
    llvm::consumeError(exact.takeError());
    return;
  }
  std::vector<Enclosure> ranges(arity);
  std::vector<hlo::Scalar> numbers;
  for (Enclosure& range : ranges) numbers.push_back(AnyIn(type, range));
  const hlo::Scalar result = (*exact)(numbers.data());
  const Enclosure of = Elementwise(*module->entry->root, ranges, *exact, {});
  RC_LOG() << operation << " " << name << " " << numbers[0].i << " " << result.i << " "
           << ToString(type, of);
  RC_ASSERT(Contains(type, of, result));
}

}  // namespace
}  // namespace affirm::enclosure
