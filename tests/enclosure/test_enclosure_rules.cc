// Operations of whole arrays: their expansions, written by hand, lie inside their enclosures, and
// what is a little wrong lies outside.
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "tests/enclosure/enclosed_module.h"

namespace affirm::enclosure {
namespace {

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

}  // namespace
}  // namespace affirm::enclosure
