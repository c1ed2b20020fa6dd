// A result that HLO leaves open is neither different nor proved.
#include <gtest/gtest.h>

#include <string>

#include "core/hlo/text.h"
#include "tests/equivalence/compare_modules.h"
#include "verify/equivalence/computed_nans.h"

namespace affirm::driver {
namespace {

// Executed counts as unknown.
Verdict VerdictOf(const std::string& a, const std::string& b) {
  const Verdict verdict = Compare("HloModule a\n" + a, "HloModule b\n" + b).verdict;
  return verdict == Verdict::kExecuted ? Verdict::kUnknown : verdict;
}

const char kLess[] =
    "less { a = s32[] parameter(0) b = s32[] parameter(1) c = s32[] parameter(2) "
    "d = s32[] parameter(3) ROOT r = pred[] compare(a, b), direction=LT }\n";

std::string SortOf(const std::string& operands, const std::string& stable,
                   const std::string& result) {
  return kLess +
         Entry(
             "k = s32[4] parameter(0) v = s32[4] parameter(1) z = s32[] constant(3)\n"
             "m = s32[4] broadcast(z), dimensions={} l = s32[4] and(k, m)\n"
             "a = s32[4] reverse(l), dimensions={0} b = s32[4] reverse(v), dimensions={0}\n"
             "s = (s32[4], s32[4]) sort(" +
             operands + "), dimensions={0}, is_stable=" + stable + ", to_apply=less\n" + result);
}

TEST(OpenResults, TiesOfUnstableSortsAreNoDifference) {
  const std::string payload = "ROOT r = s32[4] get-tuple-element(s), index=1";
  const std::string keys = "ROOT r = s32[4] get-tuple-element(s), index=0";
  const std::string wrong =
      "y = s32[4] get-tuple-element(s), index=0 ROOT r = s32[4] reverse(y), dimensions={0}";
  EXPECT_EQ(VerdictOf(SortOf("l, v", "false", payload), SortOf("a, b", "false", payload)),
            Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(SortOf("l, v", "true", payload), SortOf("a, b", "true", payload)),
            Verdict::kRefuted);
  // The keys are in order, whatever the ties are.
  EXPECT_EQ(VerdictOf(SortOf("l, v", "false", keys), SortOf("a, b", "false", wrong)),
            Verdict::kRefuted);
}

// A size that ties decide, and one that no tie decides.
TEST(OpenResults, SizesThatTiesDecideAreNoDifference) {
  const auto sized = [](const std::string& index) {
    return "w = s32[4] get-tuple-element(s), index=" + index +
           " f = s32[1] slice(w), slice={[0:1]} n = s32[] reshape(f) o = s32[] constant(1) "
           "c = s32[] clamp(o, n, m4) ROOT r = s32[<=4] set-dimension-size(v, c), dimensions={0}";
  };
  const auto module = [&](const std::string& operands, const std::string& index) {
    return SortOf(operands, "false", "m4 = s32[] constant(4) " + sized(index));
  };
  EXPECT_EQ(VerdictOf(module("l, v", "1"), module("a, b", "1")), Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(module("l, v", "0"), module("v, l", "0")), Verdict::kRefuted);
}

// An op that reads an open size is open, even if its array has no elements.
TEST(OpenResults, WhatReadsAnOpenSizeIsOpen) {
  const auto module = [](const std::string& operands, const std::string& stable,
                         const std::string& index, const std::string& rest) {
    return "add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }\n" +
           SortOf(
               operands, stable,
               "w = s32[4] get-tuple-element(s), index=" + index +
                   " f = s32[1] slice(w), slice={[0:1]} n = s32[] reshape(f) c = s32[] and(n, z) "
                   "y = s32[<=4] set-dimension-size(v, c), dimensions={0} " +
                   rest);
  };
  for (const char* rest :
       {"ROOT r = s32[<=4] copy(y)", "ROOT r = s32[] get-dimension-size(y), dimensions={0}",
        "g = (s32[], s32[<=4]) tuple(z, y) h = s32[<=4] get-tuple-element(g), index=1 "
        "ROOT r = s32[] get-dimension-size(h), dimensions={0}",
        "o = s32[] constant(0) ROOT r = s32[] reduce(y, o), dimensions={0}, to_apply=add"}) {
    EXPECT_EQ(VerdictOf(module("l, v", "false", "1", rest), module("a, b", "true", "1", rest)),
              Verdict::kUnknown)
        << rest;
    EXPECT_EQ(VerdictOf(module("l, v", "false", "0", rest), module("v, l", "true", "0", rest)),
              Verdict::kRefuted)
        << rest;
  }
}

// A promise about what an unstable sort leaves open may be kept or broken.
TEST(OpenResults, PromisesAboutOpenIndicesMayBeBroken) {
  const auto module = [](const std::string& operands, const std::string& stable,
                         const std::string& index) {
    return SortOf(operands, stable,
                  "w = s32[4] get-tuple-element(s), index=" + index +
                      " x = s32[4] and(w, m) ROOT r = s32[4] gather(v, x), offset_dims={}, "
                      "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
                      "slice_sizes={1}, indices_are_sorted=true");
  };
  EXPECT_EQ(VerdictOf(module("l, v", "false", "1"), module("a, b", "true", "1")),
            Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(module("l, v", "false", "0"), module("v, l", "true", "1")),
            Verdict::kRefuted);
}

// Default precision rounds operands of f32 as the backend likes; the highest does not.
TEST(OpenResults, OperandsOfProductsMayBeRoundedExplicitly) {
  const auto product = [](const std::string& rest) {
    return Entry("p = f32[4,8] parameter(0) q = f32[8,4] parameter(1)\n" + rest);
  };
  const auto plain = [&](const std::string& precision) {
    return product(
        "ROOT r = f32[4,4] dot(p, q), lhs_contracting_dims={1}, "
        "rhs_contracting_dims={0}, operand_precision={" +
        precision + "," + precision + "}");
  };
  const auto rounded = [&](const std::string& bits) {
    const std::string round = ", exponent_bits=8, mantissa_bits=" + bits;
    return product("a = f32[4,8] reduce-precision(p)" + round +
                   " b = f32[8,4] reduce-precision(q)" + round +
                   " ROOT r = f32[4,4] dot(a, b), lhs_contracting_dims={1}, "
                   "rhs_contracting_dims={0}, operand_precision={highest,highest}");
  };
  for (const char* bits : {"7", "10", "16"}) {
    EXPECT_EQ(VerdictOf(plain("default"), rounded(bits)), Verdict::kUnknown) << bits;
    EXPECT_EQ(VerdictOf(plain("highest"), rounded(bits)), Verdict::kRefuted) << bits;
  }
  // Fewer bits than any backend keeps, and another value.
  EXPECT_EQ(VerdictOf(plain("default"), rounded("3")), Verdict::kRefuted);
  EXPECT_EQ(VerdictOf(plain("default"),
                      product("x = f32[4,8] reverse(p), dimensions={1} ROOT r = f32[4,4] dot(x, "
                              "q), lhs_contracting_dims={1}, rhs_contracting_dims={0}")),
            Verdict::kRefuted);
}

// So may sizes that are computed of a product; and an array may have fewer elements on some
// arguments than on those on which an element was too wide.
TEST(OpenResults, SizesOfProductsMayBeRounded) {
  const auto sized = [](const std::string& factors, const std::string& values) {
    return Entry(
        "d = f32[4] parameter(0)\n" + factors +
        " e = f32[] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0} n = s32[] "
        "convert(e) m = s32[] constant(3) s = s32[] and(n, m) " +
        values + " ROOT r = f32[<=4] set-dimension-size(v, s), dimensions={0}");
  };
  const std::string plain = sized("x = f32[4] copy(d)", "v = f32[4] add(d, d)");
  EXPECT_EQ(VerdictOf(plain, sized("b = bf16[4] convert(d) x = f32[4] convert(b)",
                                   "v = f32[4] add(d, d)")),
            Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(plain, sized("x = f32[4] copy(d)",
                                   "t = f32[4] multiply(d, d) u = f32[4] add(t, d) w = f32[4] "
                                   "subtract(u, t) v = f32[4] add(w, d)")),
            Verdict::kUnknown);
  // A result beside the product is none of it.
  const auto beside = [](const std::string& values) {
    return Entry(
        "d = f32[4] parameter(0) e = f32[] dot(d, d), lhs_contracting_dims={0}, "
        "rhs_contracting_dims={0} " +
        values + " ROOT t = (f32[], f32[4]) tuple(e, v)");
  };
  const std::string third = "k = f32[] constant(3) b = f32[4] broadcast(k), dimensions={} ",
                    factor =
                        "k = f32[] constant(0.333333343) b = f32[4] broadcast(k), "
                        "dimensions={} ";
  EXPECT_EQ(VerdictOf(beside(third + "v = f32[4] divide(d, b)"),
                      beside(factor + "v = f32[4] multiply(d, b)")),
            Verdict::kRefuted);
}

// Both are executed as one device, which tells nothing of several.
TEST(OpenResults, SeveralDevicesAreNotOne) {
  const auto on = [](const std::string& header, const std::string& rest) {
    return "HloModule m" + header + "\nsum { a = s32[] parameter(0) b = s32[] parameter(1) " +
           "ROOT r = s32[] add(a, b) }\n" + Entry(rest);
  };
  const std::string reduced =
      "o = s32[] constant(1) ROOT r = s32[] all-reduce(o), replica_groups={}, to_apply=sum";
  EXPECT_EQ(Compare(on(", replica_count=4", reduced),
                    on(", replica_count=4", "ROOT r = s32[] constant(4)"))
                .verdict,
            Verdict::kUnknown);
  EXPECT_EQ(Compare(on(", replica_count=1", reduced),
                    on(", replica_count=1", "ROOT r = s32[] constant(4)"))
                .verdict,
            Verdict::kRefuted);
}

TEST(OpenResults, TheOtherTriangleIsNoDifference) {
  const auto factor = [](const std::string& rest) {
    return Entry(
        "x = f32[2,2] parameter(0) t = f32[2,2] transpose(x), dimensions={1,0}\n"
        "a = f32[2,2] dot(x, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
        "two = f32[] constant(2) i = f32[2,2] iota(), iota_dimension=0 m = f32[2,2] iota(), "
        "iota_dimension=1 one = f32[2,2] broadcast(two), dimensions={}\n"
        "below = pred[2,2] compare(i, m), direction=GE zero = f32[2,2] subtract(one, one)\n"
        "on = pred[2,2] compare(i, m), direction=EQ d = f32[2,2] select(on, one, zero)\n"
        "s = f32[2,2] add(a, d) c = f32[2,2] cholesky(s), lower=true\n" +
        rest);
  };
  const std::string as_it_is = factor("ROOT r = f32[2,2] copy(c)");
  EXPECT_EQ(VerdictOf(as_it_is, factor("ROOT r = f32[2,2] select(below, c, one)")),
            Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(as_it_is, factor("ROOT r = f32[2,2] select(below, one, c)")),
            Verdict::kRefuted);
  const std::string lower = factor("ROOT r = f32[2,2] select(below, c, zero)");
  EXPECT_EQ(VerdictOf(lower, lower), Verdict::kProved);
  EXPECT_EQ(VerdictOf(lower, factor("ROOT r = f32[2,2] select(below, c, one)")), Verdict::kRefuted);
}

TEST(OpenResults, UpdatesOfASelectAndScatterRoundInAnyOrder) {
  const auto gradient = [](const std::string& stride, bool reversed) {
    const std::string sizes = stride == "3" ? "2" : "4";
    const std::string of = "(" + std::string(reversed ? "q, t" : "p, s") + ", z), window={size=3" +
                           (stride == "3" ? " stride=3" : "") +
                           "}, scatter=sum, select=" + (reversed ? "gt" : "ge");
    return "ge { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), "
           "direction=GE }\n"
           "gt { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), "
           "direction=GT }\n" +
           std::string(kCombiners) +
           Entry("p = f32[6] parameter(0) s = f32[" + sizes +
                 "] parameter(1) z = f32[] constant(0)\n"
                 "q = f32[6] reverse(p), dimensions={0} t = f32[" +
                 sizes + "] reverse(s), dimensions={0} u = f32[6] select-and-scatter" + of +
                 (reversed ? " ROOT r = f32[6] reverse(u), dimensions={0}"
                           : " ROOT r = f32[6] copy(u)"));
  };
  EXPECT_EQ(VerdictOf(gradient("1", false), gradient("1", true)), Verdict::kUnknown);
  std::string wrong = gradient("3", true);
  wrong.replace(wrong.find("scatter=sum"), 11, "scatter=most");
  EXPECT_EQ(VerdictOf(gradient("3", false), wrong), Verdict::kRefuted);
  wrong = gradient("1", true);
  wrong.replace(wrong.find("select=gt"), 9, "select=ge");
  EXPECT_EQ(VerdictOf(gradient("1", false), wrong), Verdict::kRefuted);
}

// XLA runs a loop as often as it claims: a claim that is wrong in A leaves its result open, and one
// that a pass makes wrong is a difference.
TEST(OpenResults, ClaimedTripsThatTheConditionContradicts) {
  const auto loop = [](const std::string& claim) {
    return "more { s = (s32[], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0 "
           "n = s32[] constant(3) ROOT r = pred[] compare(i, n), direction=LT }\n"
           "step { s = (s32[], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0 "
           "x = s32[] get-tuple-element(s), index=1 one = s32[] constant(1) j = s32[] add(i, one) "
           "y = s32[] add(x, x) ROOT r = (s32[], s32[]) tuple(j, y) }\n" +
           Entry(
               "x = s32[] parameter(0) i = s32[] constant(0) s = (s32[], s32[]) tuple(i, x)\n"
               "w = (s32[], s32[]) while(s), condition=more, body=step" +
               claim + " ROOT r = s32[] get-tuple-element(w), index=1");
  };
  const std::string unrolled = Entry(
      "x = s32[] parameter(0) y = s32[] add(x, x) z = s32[] add(y, y) ROOT r = s32[] add(z, z)");
  const std::string three = R"(, backend_config={"known_trip_count":{"n":"3"}})";
  const std::string four = R"(, backend_config={"known_trip_count":{"n":"4"}})";
  EXPECT_EQ(VerdictOf(loop(three), unrolled), Verdict::kProved);
  EXPECT_EQ(VerdictOf(loop(four), unrolled), Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(unrolled, loop(four)), Verdict::kRefuted);
}

// The order of a reduction of floats is open in A, and one; what A writes is rounded as it stands.
TEST(OpenResults, OrdersOfReductionsAreThoseOfA) {
  const std::string sum =
      "sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n";
  const std::string parts =
      "p = f32[3] parameter(0) z = f32[] constant(-0) q = f32[3] reverse(p), dimensions={0} "
      "x = f32[1] slice(p), slice={[0:1]} y = f32[1] slice(p), slice={[1:2]} "
      "w = f32[1] slice(p), slice={[2:3]}\n"
      "r = f32[] reduce(p, z), dimensions={0}, to_apply=sum v = f32[1] reshape(r) "
      "back = f32[] reduce(q, z), dimensions={0}, to_apply=sum u = f32[1] reshape(back)\n"
      "xy = f32[1] add(x, y) l = f32[1] add(xy, w) yw = f32[1] add(y, w) k = f32[1] add(x, yw)\n";
  auto verdict = [&](const std::string& a, const std::string& b) {
    return VerdictOf(sum + Entry(parts + "ROOT o = f32[1] " + a),
                     sum + Entry(parts + "ROOT o = f32[1] " + b));
  };
  EXPECT_EQ(verdict("copy(v)", "copy(l)"), Verdict::kProved);
  EXPECT_EQ(verdict("copy(v)", "copy(u)"), Verdict::kProved);
  EXPECT_EQ(verdict("add(v, x)", "add(l, x)"), Verdict::kProved);
  EXPECT_EQ(verdict("subtract(v, v)", "subtract(k, k)"), Verdict::kProved);
  EXPECT_NE(verdict("copy(l)", "copy(v)"), Verdict::kProved);
  EXPECT_NE(verdict("copy(l)", "copy(k)"), Verdict::kProved);
  EXPECT_NE(verdict("subtract(v, v)", "subtract(l, k)"), Verdict::kProved);
  EXPECT_NE(verdict("subtract(v, v)", "subtract(v, u)"), Verdict::kProved);
}

// Both results of one instruction have its order.
TEST(OpenResults, ResultsOfAReductionHaveOneOrder) {
  const std::string sums =
      "sums { a = f32[] parameter(0) c = f32[] parameter(1) b = f32[] parameter(2) "
      "d = f32[] parameter(3) x = f32[] add(a, b) y = f32[] add(c, d) "
      "ROOT r = (f32[], f32[]) tuple(x, y) }\n";
  auto of = [&](const std::string& second) {
    return sums + Entry(
                      "p = f32[3] parameter(0) z = f32[] constant(-0) "
                      "q = f32[3] reverse(p), dimensions={0} t = (f32[], f32[]) reduce(p, " +
                      second +
                      ", z, z), dimensions={0}, to_apply=sums "
                      "a = f32[] get-tuple-element(t), index=0 "
                      "b = f32[] get-tuple-element(t), index=1 ROOT r = f32[] subtract(a, b)");
  };
  EXPECT_EQ(VerdictOf(of("p"), of("p")), Verdict::kProved);
  EXPECT_NE(VerdictOf(of("p"), of("q")), Verdict::kProved);
}

// A summand beside a reduction is not one of its values.
TEST(OpenResults, SumsWithAReductionAreNoReduction) {
  const std::string sum =
      "sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n";
  auto of = [&](const std::string& body) {
    return sum + Entry("p = f32[100] parameter(0) q = f32[] parameter(1) " + body);
  };
  EXPECT_NE(
      VerdictOf(of("z = f32[] constant(-0) r = f32[] reduce(p, z), dimensions={0}, to_apply=sum "
                   "ROOT o = f32[] add(r, q)"),
                of("ROOT r = f32[] reduce(p, q), dimensions={0}, to_apply=sum")),
      Verdict::kProved);
}

std::string ScatterOf(const std::string& type, const std::string& combiner,
                      const std::string& operands, const std::string& attributes = "") {
  auto shape = [&](const std::string& dims) { return type + dims; };
  return "f { a = " + shape("[]") + " parameter(0) b = " + shape("[]") +
         " parameter(1) ROOT r = " + shape("[]") + " " + combiner + " }\n" +
         Entry("x = " + shape("[4]") + " parameter(0) i = s32[3] parameter(1) u = " + shape("[3]") +
               " parameter(2)\n j = s32[3] reverse(i), dimensions={0} v = " + shape("[3]") +
               " reverse(u), dimensions={0}\n ROOT s = " + shape("[4]") + " scatter(" + operands +
               "), to_apply=f, update_window_dims={}, inserted_window_dims={0}, "
               "scatter_dims_to_operand_dims={0}, index_vector_dim=1" +
               attributes);
}

TEST(OpenResults, TheOrderOfUpdatesIsNoDifference) {
  for (const char* type : {"f32", "s32"}) {
    for (const char* combiner : {"copy(b)", "subtract(a, b)", "add(a, b)"}) {
      const Verdict verdict =
          VerdictOf(ScatterOf(type, combiner, "x, i, u"), ScatterOf(type, combiner, "x, j, v"));
      EXPECT_NE(verdict, Verdict::kRefuted) << type << combiner;
    }
    EXPECT_EQ(
        VerdictOf(ScatterOf(type, "copy(b)", "x, i, u"), ScatterOf(type, "copy(b)", "x, j, u")),
        Verdict::kRefuted);
    EXPECT_EQ(
        VerdictOf(ScatterOf(type, "add(a, b)", "x, i, u"), ScatterOf(type, "add(a, b)", "x, j, u")),
        Verdict::kRefuted);
  }
}

std::string ReduceOf(const std::string& initial, const std::string& result = "s") {
  return std::string(kCombiners) +
         Entry(
             "x = s32[4] parameter(0) p = s32[] parameter(1) five = s32[] constant(5)\n"
             "i = s32[] " +
             initial +
             "\nt = s32[] reduce(x, i), dimensions={0}, to_apply=isum\n"
             "s = s32[] copy(t) w = s32[] add(t, five) q = s32[] add(t, p)\n"
             "ROOT r = s32[] copy(" +
             result + ")");
}

TEST(OpenResults, ReductionsFromNoIdentityAreUndefined) {
  EXPECT_EQ(VerdictOf(ReduceOf("constant(5)"), ReduceOf("constant(4)")), Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(ReduceOf("constant(0)"), ReduceOf("constant(4)")), Verdict::kRefuted);
  EXPECT_EQ(VerdictOf(ReduceOf("constant(0)"), ReduceOf("constant(0)", "w")), Verdict::kRefuted);
  // The values of the interpreter are the same.
  EXPECT_EQ(VerdictOf(ReduceOf("constant(0)", "w"), ReduceOf("constant(5)")), Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(ReduceOf("constant(5)"), ReduceOf("constant(0)", "w")), Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(ReduceOf("constant(0)", "q"), ReduceOf("copy(p)")), Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(ReduceOf("copy(p)"), ReduceOf("constant(0)", "q")), Verdict::kProved);
}

// A fusion is given its initial value by its caller, and one of several arrays counts as one alone.
TEST(OpenResults, InitialValuesAreSeenBehindFusionsAndInEachArray) {
  const std::string sum_and_five = std::string(kCombiners) + Entry(R"(
      x = s32[64] parameter(0) z = s32[] constant(0) c = s32[] constant(5)
      t = s32[] reduce(x, z), dimensions={0}, to_apply=isum ROOT r = s32[] add(t, c))");
  auto fused = [](const std::string& initial) {
    return std::string(kCombiners) + R"(
f { x = s32[64] parameter(0) i = s32[] parameter(1)
  ROOT t = s32[] reduce(x, i), dimensions={0}, to_apply=isum }
)" +
           Entry("x = s32[64] parameter(0) i = s32[] constant(" + initial +
                 ") c = s32[] constant(" + (initial == "0" ? "5" : "0") +
                 ") t = s32[] fusion(x, i), kind=kLoop, calls=f ROOT r = s32[] add(t, c)");
  };
  EXPECT_EQ(VerdictOf(sum_and_five, fused("5")), Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(sum_and_five, fused("0")), Verdict::kProved);
  auto both = [](const std::string& initial, const std::string& rest) {
    return R"(
both { a = s32[] parameter(0) b = s32[] parameter(1) c = s32[] parameter(2) d = s32[] parameter(3)
  s = s32[] add(a, c) u = s32[] add(b, d) ROOT r = (s32[], s32[]) tuple(s, u) }
)" + Entry("x = s32[64] parameter(0) y = s32[64] parameter(1) z = s32[] constant(0) i = s32[] "
           "constant(" +
           initial +
           ") t = (s32[], s32[]) reduce(x, y, z, i), dimensions={0}, to_apply=both "
           "s = s32[] get-tuple-element(t), index=1 c = s32[] constant(" +
           rest + ") ROOT r = s32[] add(s, c)");
  };
  EXPECT_EQ(VerdictOf(both("0", "5"), both("5", "0")), Verdict::kUnknown);
}

// An open element of A excuses that element, and no other of the same result.
TEST(OpenResults, OneOpenElementExcusesNoOther) {
  auto of = [](const std::string& first, const std::string& second,
               const std::string& operand_of_second = "q") {
    auto part = [](const std::string& kind, const std::string& name, const std::string& operand) {
      const std::string reduce = " = s32[] reduce(" + operand + ", " +
                                 (kind == "open" ? "c" : "z") + "), dimensions={0}, to_apply=isum ";
      if (kind == "open") return "s" + name + reduce + name + " = s32[1] reshape(s" + name + ") ";
      return "t" + name + reduce + "s" + name + " = s32[] add(t" + name + ", c) " + name +
             " = s32[1] reshape(s" + name + ") ";
    };
    return std::string(kCombiners) +
           Entry(
               "p = s32[64] parameter(0) q = s32[64] parameter(1) z = s32[] constant(0) c = s32[] "
               "constant(5) " +
               part(first, "f", "p") + part(second, "g", operand_of_second) +
               "ROOT r = s32[2] concatenate(f, g), dimensions={0}");
  };
  EXPECT_EQ(VerdictOf(of("open", "closed"), of("open", "closed")), Verdict::kProved);
  EXPECT_EQ(VerdictOf(of("open", "closed"), of("closed", "open")), Verdict::kUnknown);
  // The interpreter gives both elements one value.
  EXPECT_EQ(VerdictOf(of("open", "closed", "p"), of("open", "closed", "p")), Verdict::kProved);
  EXPECT_EQ(VerdictOf(of("open", "closed", "p"), of("closed", "open", "p")), Verdict::kUnknown);
}

// A loop carries the initial value; in which of its arrays is written in two ways.
std::string LoopOf(const std::string& initial, const std::string& rest) {
  return std::string(kCombiners) + R"(
body { s = (s32[], s32[], s32[64]) parameter(0) i = s32[] get-tuple-element(s), index=0
  c = s32[] get-tuple-element(s), index=1 x = s32[64] get-tuple-element(s), index=2
  one = s32[] constant(1) j = s32[] add(i, one) z = s32[] constant(0)
  t = s32[] reduce(x, )" +
         initial + R"(), dimensions={0}, to_apply=isum u = s32[] add(t, )" + rest +
         R"() b = s32[64] broadcast(u), dimensions={} y = s32[64] xor(x, b)
  ROOT r = (s32[], s32[], s32[64]) tuple(j, c, y) }
cond { s = (s32[], s32[], s32[64]) parameter(0) i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(5) ROOT r = pred[] compare(i, n), direction=LT }
)" +
         Entry(
             "x = s32[64] parameter(0) z = s32[] constant(0) c = s32[] constant(7) "
             "s = (s32[], s32[], s32[64]) tuple(z, c, x) "
             "w = (s32[], s32[], s32[64]) while(s), condition=cond, body=body "
             "ROOT r = s32[64] get-tuple-element(w), index=2");
}

TEST(OpenResults, InitialValuesThatLoopsCarryMayBeNoIdentities) {
  EXPECT_EQ(VerdictOf(LoopOf("c", "z"), LoopOf("c", "z")), Verdict::kProved);
  EXPECT_EQ(VerdictOf(LoopOf("z", "c"), LoopOf("z", "c")), Verdict::kProved);
  EXPECT_EQ(VerdictOf(LoopOf("z", "c"), LoopOf("c", "z")), Verdict::kUnknown);
}

// Calls of what a loop does stay calls: what they are given may be computed all the same.
TEST(OpenResults, BitsInCallsAreThoseOfTheirOperands) {
  auto of = [](const std::string& seen) {
    return testing::ParseOrFail(
        "HloModule m\nbits { p = f32[8] parameter(0) ROOT b = s32[8] bitcast-convert(p) }\nbody { "
        "s "
        "= (s32[], f32[8], s32[8]) parameter(0) i = s32[] get-tuple-element(s), index=0 x = f32[8] "
        "get-tuple-element(s), index=1 o = s32[] constant(1) j = s32[] add(i, o) w = f32[8] "
        "multiply(x, x) q = s32[8] " +
        seen +
        " ROOT t = (s32[], f32[8], s32[8]) tuple(j, x, q) }\ncond { s = (s32[], f32[8], s32[8]) "
        "parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(5) ROOT r = "
        "pred[] "
        "compare(i, n), direction=LT }\n" +
        Entry(
            "x = f32[8] parameter(0) k = s32[8] parameter(1) z = s32[] constant(0) s = (s32[], "
            "f32[8], s32[8]) tuple(z, x, k) l = (s32[], f32[8], s32[8]) while(s), condition=cond, "
            "body=body ROOT r = s32[8] get-tuple-element(l), index=2"));
  };
  auto called = of("call(w), to_apply=bits"), written = of("bitcast-convert(w)");
  ASSERT_TRUE(called && written);
  EXPECT_EQ(equivalence::WhyNaNsAreOpen(*called->entry, *written->entry, {})[0], "");
  auto given = of("call(x), to_apply=bits");
  ASSERT_NE(given, nullptr);
  EXPECT_NE(equivalence::WhyNaNsAreOpen(*given->entry, *written->entry, {})[0], "");
}

// An open reduction that is written in another way is the same one.
TEST(OpenResults, OpenReductionsOfOneValueAreOne) {
  auto of = [](const std::string& made) {
    return std::string(kCombiners) +
           Entry("x = f32[4,16] parameter(0) p = f32[] parameter(1) i = f32[] constant(3) " + made);
  };
  for (const std::string initial : {"p", "i"}) {
    const std::string a = "ROOT r = f32[] reduce(x, " + initial +
                          "), dimensions={0,1}, to_apply=sum",
                      b = "t = f32[16,4] transpose(x), dimensions={1,0} y = f32[64] reshape(t) "
                          "ROOT r = f32[] reduce(y, " +
                          initial + "), dimensions={0}, to_apply=sum";
    EXPECT_EQ(VerdictOf(of(a), of(b)), Verdict::kProved) << initial;
  }
}

// The negative of a number without a sign is NaN.
TEST(OpenResults, NumbersWithoutASignHaveNoOpposites) {
  auto of = [](const std::string& type, const std::string& value) {
    return Entry("p = " + type +
                 "[] parameter(0) k = s32[] parameter(1) n = s32[] constant(123456789)\n"
                 "e = pred[] compare(k, n), direction=EQ m = " +
                 type +
                 "[] negate(p)\n"
                 "d = " +
                 type + "[] " + value + " one = " + type +
                 "[] constant(1)\n"
                 "ROOT s = " +
                 type + "[] select(e, d, one)");
  };
  EXPECT_EQ(VerdictOf(of("f32", "negate(m)"), of("f32", "copy(p)")), Verdict::kProved);
  EXPECT_NE(VerdictOf(of("f8e8m0fnu", "negate(m)"), of("f8e8m0fnu", "copy(p)")), Verdict::kProved);
}

TEST(OpenResults, BitsOfComputedNaNsAreNeitherEqualNorDifferent) {
  const std::string computed =
      Entry("c = f32[] constant(inf) d = f32[] subtract(c, c) ROOT r = s32[] bitcast-convert(d)");
  for (const char* number : {"2143289344", "-4194304"}) {
    const std::string constant = Entry("ROOT r = s32[] constant(" + std::string(number) + ")");
    EXPECT_EQ(VerdictOf(computed, constant), Verdict::kUnknown) << number;
    EXPECT_EQ(VerdictOf(constant, computed), Verdict::kUnknown) << number;
  }
  // The bits of a NaN that is given are defined, and so is all else that a NaN decides.
  auto of = [](const std::string& rest) { return Entry("x = f32[4] parameter(0) " + rest); };
  EXPECT_EQ(VerdictOf(of("ROOT b = s32[4] bitcast-convert(x)"),
                      of("r = f32[4] reverse(x), dimensions={0} b = s32[4] bitcast-convert(r) "
                         "ROOT c = s32[4] reverse(b), dimensions={0}")),
            Verdict::kProved);
  EXPECT_EQ(VerdictOf(of("d = f32[4] subtract(x, x) ROOT c = pred[4] is-finite(d)"),
                      of("ROOT c = pred[4] compare(x, x), direction=EQ")),
            Verdict::kRefuted);
}

// The bits of a NaN are those that one instruction computes: x * 1 may have others than x, and
// y + x others than x + y.
TEST(OpenResults, BitsOfComputedNaNsAreOfOneInstruction) {
  auto of = [](const std::string& rest) {
    return Entry("x = f32[4] parameter(0) y = f32[4] parameter(1) s = f32[4] add(x, y) " + rest);
  };
  auto seen = [&](const std::string& value) {
    return of(value +
              " a = s32[4] bitcast-convert(v) b = s32[4] bitcast-convert(s) "
              "ROOT r = s32[8] concatenate(a, b), dimensions={0}");
  };
  const std::string one = "c = f32[] constant(1) o = f32[4] broadcast(c), dimensions={} ";
  const std::string given = seen("v = f32[4] copy(x)"), computed = seen("v = f32[4] copy(s)");
  EXPECT_EQ(VerdictOf(given, seen("v = f32[4] copy(x)")), Verdict::kProved);
  EXPECT_NE(VerdictOf(given, seen(one + "v = f32[4] multiply(x, o)")), Verdict::kProved);
  EXPECT_NE(VerdictOf(given, seen("v = f32[4] maximum(x, x)")), Verdict::kProved);
  EXPECT_NE(VerdictOf(given, seen("w = f64[4] convert(x) v = f32[4] convert(w)")),
            Verdict::kProved);
  EXPECT_EQ(VerdictOf(computed, seen("v = f32[4] add(x, y)")), Verdict::kProved);
  EXPECT_NE(VerdictOf(computed, seen("v = f32[4] add(y, x)")), Verdict::kProved);
  // A leaf for each.
  auto leaves = [&](const std::string& other) {
    return of("t = f32[4] " + other +
              " a = s32[4] bitcast-convert(s) b = s32[4] bitcast-convert(t) "
              "ROOT r = (s32[4], s32[4]) tuple(a, b)");
  };
  EXPECT_EQ(VerdictOf(leaves("copy(s)"), leaves("add(x, y)")), Verdict::kProved);
  EXPECT_NE(VerdictOf(leaves("copy(s)"), leaves("add(y, x)")), Verdict::kProved);
  // Two of one term that both modules have are two.
  auto two = [&](const std::string& other) {
    return of(
        "t = f32[4] add(y, x) a = s32[4] bitcast-convert(s) b = s32[4] bitcast-convert(t) "
        "c = s32[4] xor(a, " +
        other + ") ROOT r = (s32[4], s32[4]) tuple(c, b)");
  };
  EXPECT_EQ(VerdictOf(two("a"), two("a")), Verdict::kProved);
  EXPECT_NE(VerdictOf(two("a"), two("b")), Verdict::kProved);
  auto around = [&](const std::string& left) {
    return of(
        "z = f32[] constant(-0) n = f32[4] broadcast(z), dimensions={} m = f32[4] add(x, n) "
        "a = s32[4] bitcast-convert(" +
        left +
        ") b = s32[4] bitcast-convert(m) "
        "ROOT r = s32[8] concatenate(a, b), dimensions={0}");
  };
  EXPECT_EQ(VerdictOf(around("x"), around("x")), Verdict::kProved);
  EXPECT_NE(VerdictOf(around("x"), around("m")), Verdict::kProved);
  // A comparator that computes what it reads.
  auto sorted = [](const std::string& value) {
    return "less { p = f32[] parameter(0) q = f32[] parameter(1) o = f32[] constant(1) a = f32[] " +
           value + "(p" + (value == "multiply" ? ", o) " : ") ") + "b = f32[] " + value + "(q" +
           (value == "multiply" ? ", o) " : ") ") +
           "ROOT r = pred[] compare(a, b), direction=LT, type=TOTALORDER }\n" +
           Entry(
               "x = f32[8] parameter(0) ROOT r = f32[8] sort(x), dimensions={0}, "
               "is_stable=true, to_apply=less");
  };
  EXPECT_EQ(VerdictOf(sorted("copy"), sorted("copy")), Verdict::kProved);
  EXPECT_NE(VerdictOf(sorted("copy"), sorted("multiply")), Verdict::kProved);
  // A value that both compute is a premise: the rest may be written otherwise.
  auto bits = [&](const std::string& rest) { return of("b = s32[4] bitcast-convert(s) " + rest); };
  EXPECT_EQ(VerdictOf(bits("ROOT r = s32[4] add(b, b)"),
                      bits("d = s32[4] reverse(b), dimensions={0} e = s32[4] add(d, d) "
                           "ROOT r = s32[4] reverse(e), dimensions={0}")),
            Verdict::kProved);
}

}  // namespace
}  // namespace affirm::driver
