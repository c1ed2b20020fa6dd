// Orders of reductions, and functions of devices, that B is free to choose: no more than A is.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/equivalence/compare_modules.h"
#include "verify/calls/expand.h"

namespace affirm::driver {
namespace {

// Two reductions of the same summands, by rows and by columns, or of one operand in two shapes.
TEST(Orders, EachInstructionHasAnOrderOfItsOwn) {
  const std::string start =
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n";
  auto reductions = [&](const std::string& result) {
    return start + Entry(
                       "p = f32[4,64] parameter(0) z = f32[] constant(-0) "
                       "r = f32[4] reduce(p, z), dimensions={1}, to_apply=add "
                       "q = f32[4] reduce(p, z), dimensions={1}, to_apply=add "
                       "t = f32[64,4] transpose(p), dimensions={1,0} "
                       "s = f32[4] reduce(t, z), dimensions={0}, to_apply=add " +
                       result);
  };
  auto products = [&](const std::string& result) {
    return Entry(
        "p = f32[4,64] parameter(0) q = f32[64,4] parameter(1) "
        "r = f32[4,4] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0} "
        "t = f32[64,4] transpose(p), dimensions={1,0} "
        "s = f32[4,4] dot(t, q), lhs_contracting_dims={0}, rhs_contracting_dims={0} " +
        result);
  };
  auto is_proved = [](const std::string& a, const std::string& b) {
    return Compare(a, b, {.execute = false}).verdict == Verdict::kProved;
  };
  const std::string same = "ROOT d = f32[4] subtract(r, r)";
  const std::string other = "ROOT d = f32[4] subtract(r, s)";
  EXPECT_FALSE(is_proved(reductions(same), reductions(other)));
  EXPECT_FALSE(is_proved(products("ROOT d = f32[4,4] subtract(r, r)"),
                         products("ROOT d = f32[4,4] subtract(r, s)")));
  // A has no other reduction, by which parts of B would be told apart.
  const std::string of_rows = start + Entry(
                                          "p = f32[4,64] parameter(0) z = f32[] constant(-0) "
                                          "r = f32[4] reduce(p, z), dimensions={1}, to_apply=add "
                                          "ROOT d = f32[4] subtract(r, r)");
  EXPECT_FALSE(is_proved(of_rows, reductions(other)));
  EXPECT_TRUE(is_proved(of_rows, reductions(same)));
  // One of B is A's by its name and a proof, and then another one by its form.
  EXPECT_FALSE(
      is_proved(of_rows, start + Entry("p = f32[4,64] parameter(0) z = f32[] constant(-0) "
                                       "t = f32[64,4] transpose(p), dimensions={1,0} "
                                       "r = f32[4] reduce(t, z), dimensions={0}, to_apply=add "
                                       "q = f32[4] reduce(p, z), dimensions={1}, to_apply=add "
                                       "ROOT d = f32[4] subtract(q, r)")));
  // The first row of r, and another sum of it.
  EXPECT_FALSE(is_proved(
      reductions("c = f32[1] slice(r), slice={[0:1]} i = f32[] reshape(c) "
                 "b = f32[4] broadcast(i), dimensions={} ROOT d = f32[4] subtract(r, b)"),
      reductions("c = f32[1,64] slice(p), slice={[0:1], [0:64]} v = f32[1,64] reverse(c), "
                 "dimensions={1} i = f32[1] reduce(v, z), dimensions={1}, to_apply=add "
                 "e = f32[] reshape(i) b = f32[4] broadcast(e), dimensions={} "
                 "ROOT d = f32[4] subtract(r, b)")));
  // Sums whose operands change places.
  auto of_sums = [&](const std::string& second, const std::string& result) {
    return start + Entry(
                       "p = f32[4,64] parameter(0) q = f32[4,64] parameter(1) "
                       "z = f32[] constant(-0) m = f32[4,64] add(p, q) n = f32[4,64] add(" +
                       second +
                       ") r = f32[4] reduce(m, z), dimensions={1}, to_apply=add "
                       "s = f32[4] reduce(n, z), dimensions={1}, to_apply=add " +
                       result);
  };
  EXPECT_TRUE(is_proved(of_sums("p, q", same), of_sums("p, q", other)));
  EXPECT_FALSE(is_proved(of_sums("q, p", same), of_sums("q, p", other)));
  // B does not write out in one result the reduction that it has as it is in another one.
  const std::string pair =
      "p = f32[2] parameter(0) z = f32[] constant(-0) "
      "r = f32[] reduce(p, z), dimensions={0}, to_apply=add ";
  const std::string written =
      "c = f32[1] slice(p), slice={[0:1]} e = f32[1] slice(p), "
      "slice={[1:2]} f = f32[1] add(c, e) w = f32[] reshape(f) ";
  const std::string both = "ROOT u = (f32[], f32[]) tuple(";
  EXPECT_FALSE(is_proved(start + Entry(pair + both + "r, r)"),
                         start + Entry(pair + written + both + "w, r)")));
  EXPECT_TRUE(is_proved(start + Entry(pair + both + "r, r)"),
                        start + Entry(pair + written + both + "w, w)")));
  // Parts that are proved one after the other have their names in both.
  const std::string sum = "z = f32[] constant(-0) p = f32[64] parameter(0) ";
  const std::string ends = "ROOT o = f32[] add(w, v)";
  EXPECT_FALSE(
      is_proved(start + Entry(sum +
                              "r = f32[] reduce(p, z), dimensions={0}, to_apply=add "
                              "w = f32[] negate(r) v = f32[] copy(r) " +
                              ends),
                start + Entry(sum +
                              "c = f32[64] reverse(p), dimensions={0} m = f32[8,8] reshape(p) "
                              "t = f32[8,8] transpose(m), dimensions={1,0} "
                              "r1 = f32[] reduce(c, z), dimensions={0}, to_apply=add "
                              "r2 = f32[] reduce(t, z), dimensions={0,1}, to_apply=add "
                              "w = f32[] negate(r1) v = f32[] copy(r2) " +
                              ends)));
  // Two results are two uses.
  const std::string two = "ROOT u = (f32[4], f32[4]) tuple(";
  EXPECT_FALSE(is_proved(reductions(two + "r, r)"), reductions(two + "r, s)")));
  EXPECT_FALSE(is_proved(reductions(two + "r, r)"), reductions(two + "s, r)")));
  // Instructions of one form are one; and each alone is a choice that HLO leaves open.
  EXPECT_TRUE(is_proved(reductions(same), reductions("ROOT d = f32[4] subtract(r, q)")));
  EXPECT_TRUE(
      is_proved(reductions("ROOT d = f32[4] negate(r)"), reductions("ROOT d = f32[4] negate(s)")));
  EXPECT_TRUE(is_proved(reductions(other), reductions(same)));
  EXPECT_TRUE(is_proved(reductions(other), reductions(other)));
}

// A sum has orders that a sum of sums has not, but not the reverse.
TEST(Orders, ASumOfSumsIsNoSum) {
  auto of = [](const std::string& result) {
    return "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n" +
           Entry(
               "p = f32[2,64] parameter(0) z = f32[] constant(-0) "
               "v = f32[2] reduce(p, z), dimensions={1}, to_apply=add "
               "n = f32[] reduce(v, z), dimensions={0}, to_apply=add "
               "f = f32[] reduce(p, z), dimensions={0,1}, to_apply=add "
               "i = f32[1] slice(v), slice={[0:1]} j = f32[1] slice(v), slice={[1:2]} "
               "k = f32[1] add(i, j) w = f32[] reshape(k) " +
               result);
  };
  auto is_proved = [](const std::string& a, const std::string& b,
                      const std::vector<std::string>& laws) {
    return Compare(a, b, {.allowed_laws = laws, .execute = false}).verdict == Verdict::kProved;
  };
  const std::string nested = of("ROOT r = f32[] negate(n)"), flat = of("ROOT r = f32[] negate(f)");
  EXPECT_TRUE(is_proved(flat, nested, {}));
  EXPECT_FALSE(is_proved(nested, flat, {}));
  EXPECT_TRUE(is_proved(nested, flat, {"fold.nested_sums"}));
  EXPECT_FALSE(
      is_proved(of("ROOT d = f32[] subtract(n, w)"), of("ROOT d = f32[] subtract(f, w)"), {}));
  EXPECT_FALSE(is_proved(of("ROOT d = f32[] subtract(n, n)"), of("ROOT d = f32[] subtract(n, f)"),
                         {"fold.nested_sums"}));
}

// A device may compute a quotient by a function of its own: 3 / 3 is 0.99999994 then.
TEST(Orders, QuotientsOfBAreQuotientsOfA) {
  auto verdict = [](const std::string& a, const std::string& b) {
    return Compare(Entry(a), Entry(b), {.execute = false}).verdict;
  };
  const std::string whole =
      "p = s16[4] parameter(0) c = s16[] constant(3) k = s16[4] broadcast(c), dimensions={} "
      "ROOT r = s16[4] divide(p, k)";
  const std::string rounded =
      "p = s16[4] parameter(0) f = f32[4] convert(p) c = f32[] constant(3) "
      "k = f32[4] broadcast(c), dimensions={} d = f32[4] divide(f, k) ROOT r = s16[4] convert(d)";
  EXPECT_NE(verdict(whole, rounded), Verdict::kProved);
  EXPECT_EQ(verdict(rounded, whole), Verdict::kProved);
  EXPECT_EQ(verdict(rounded, rounded + ", metadata={op_name=\"b\"}"), Verdict::kProved);
  // A quotient of A is not computed in one place and B's by name in another one.
  const std::string twice =
      "p = s16[4] parameter(0) c = s16[] constant(3) "
      "k = s16[4] broadcast(c), dimensions={} v = s16[4] divide(p, k) f = f32[4] convert(p) "
      "e = f32[] constant(3) l = f32[4] broadcast(e), dimensions={} d = f32[4] divide(f, l) "
      "w = s16[4] convert(d) ";
  EXPECT_NE(
      verdict(twice + "ROOT r = s16[4] subtract(w, w)", twice + "ROOT r = s16[4] subtract(v, w)"),
      Verdict::kProved);
  EXPECT_NE(verdict(twice + "ROOT r = (s16[4], s16[4]) tuple(w, w)",
                    twice + "ROOT r = (s16[4], s16[4]) tuple(v, w)"),
            Verdict::kProved);
  EXPECT_EQ(
      verdict(twice + "ROOT r = s16[4] subtract(w, w)", twice + "ROOT r = s16[4] subtract(v, v)"),
      Verdict::kProved);
  const std::string root =
      "p = u8[4] parameter(0) f = f32[4] convert(p) m = f32[4] multiply(f, f) s = f32[4] sqrt(m) "
      "ROOT r = u8[4] convert(s)";
  EXPECT_NE(verdict("p = u8[4] parameter(0) ROOT r = u8[4] copy(p)", root), Verdict::kProved);
  EXPECT_EQ(verdict(root, "p = u8[4] parameter(0) ROOT r = u8[4] copy(p)"), Verdict::kProved);
}

// One order for what one instruction combines: the parts of complex numbers, and all results.
TEST(Orders, PartsAndResultsHaveOne) {
  const std::string start =
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n"
      "addc { a = c64[] parameter(0) b = c64[] parameter(1) ROOT c = c64[] add(a, b) }\n"
      "two { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] parameter(2) "
      "d = f32[] parameter(3) x = f32[] add(a, c) y = f32[] add(b, d) "
      "ROOT t = (f32[], f32[]) tuple(x, y) }\n"
      "mixed { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] parameter(2) "
      "d = f32[] parameter(3) x = f32[] add(a, c) y = f32[] subtract(d, b) "
      "ROOT t = (f32[], f32[]) tuple(x, y) }\n";
  auto is_proved = [&](const std::string& a, const std::string& b) {
    return Compare(start + Entry(a), start + Entry(b), {.execute = false}).verdict ==
           Verdict::kProved;
  };
  const std::string complex =
      "p = c64[64] parameter(0) z = c64[] constant((0, 0)) o = f32[] constant(0) "
      "re = f32[64] real(p) im = f32[64] imag(p) back = f32[64] reverse(im), dimensions={0} "
      "r = c64[] reduce(p, z), dimensions={0}, to_apply=addc "
      "x = f32[] reduce(re, o), dimensions={0}, to_apply=add "
      "y = f32[] reduce(im, o), dimensions={0}, to_apply=add "
      "v = f32[] reduce(back, o), dimensions={0}, to_apply=add ";
  EXPECT_FALSE(
      is_proved(complex + "ROOT w = c64[] copy(r)", complex + "ROOT w = c64[] complex(x, v)"));
  EXPECT_FALSE(
      is_proved(complex + "ROOT w = c64[] copy(r)", complex + "ROOT w = c64[] complex(x, y)"));
  const std::string pair =
      "p = f32[64] parameter(0) n = f32[64] negate(p) o = f32[] constant(-0) "
      "back = f32[64] reverse(n), dimensions={0} "
      "x = f32[] reduce(p, o), dimensions={0}, to_apply=add "
      "v = f32[] reduce(back, o), dimensions={0}, to_apply=add "
      "r = (f32[], f32[]) reduce(p, n, o, o), dimensions={0}, to_apply=two "
      "m = (f32[], f32[]) reduce(p, n, o, o), dimensions={0}, to_apply=mixed "
      "a = f32[] get-tuple-element(r), index=0 b = f32[] get-tuple-element(r), index=1 "
      "c = f32[] get-tuple-element(m), index=0 d = f32[] get-tuple-element(m), index=1 "
      "t = f32[64,1] reshape(p) u = f32[64,1] negate(t) "
      "q = (f32[1], f32[1]) reduce(t, u, o, o), dimensions={0}, to_apply=two "
      "e = f32[1] get-tuple-element(q), index=1 f = f32[] reshape(e) ";
  EXPECT_FALSE(is_proved(pair + "ROOT w = f32[] add(a, b)", pair + "ROOT w = f32[] add(x, v)"));
  EXPECT_FALSE(is_proved(pair + "ROOT w = f32[] add(c, d)", pair + "ROOT w = f32[] add(x, d)"));
  EXPECT_TRUE(is_proved(pair + "ROOT w = f32[] add(a, b)", pair + "ROOT w = f32[] add(b, a)"));
  // Two instructions of B, of which the combiner says the order.
  EXPECT_FALSE(
      is_proved(pair + "ROOT w = f32[] subtract(b, b)", pair + "ROOT w = f32[] subtract(b, f)"));
}

// r - r of integers is 0, and the term does not mention r any more: B may have two of them.
TEST(Orders, TwoReductionsThatCancelOutMayDiffer) {
  auto verdict = [](const std::string& type, const std::string& combined, const std::string& result,
                    const std::string& root) {
    const std::string start = "f { a = " + type + "[] parameter(0) b = " + type +
                              "[] parameter(1) e = " + type + "[] add(b, b) ROOT c = " + type +
                              "[] add(" + combined + ") }\n";
    const std::string reductions = "p = " + type + "[6,4] parameter(0) z = " + type +
                                   "[] constant(0) r = " + type +
                                   "[6] reduce(p, z), dimensions={1}, to_apply=f t = " + type +
                                   "[4,6] transpose(p), dimensions={1,0} s = " + type +
                                   "[6] reduce(t, z), dimensions={0}, to_apply=f ";
    const std::string nothing = "p = " + type + "[6,4] parameter(0) n = " + result +
                                "[] constant(0) ROOT d = " + result +
                                "[6] broadcast(n), "
                                "dimensions={}";
    return Compare(start + Entry(nothing), start + Entry(reductions + root), {.execute = false})
        .verdict;
  };
  EXPECT_NE(verdict("s32", "a, e", "s32", "ROOT d = s32[6] subtract(r, s)"), Verdict::kProved);
  EXPECT_EQ(verdict("s32", "a, e", "s32", "ROOT d = s32[6] subtract(r, r)"), Verdict::kProved);
  EXPECT_EQ(verdict("s32", "a, b", "s32", "ROOT d = s32[6] subtract(r, s)"), Verdict::kProved);
  const std::string rounded = "x = s32[6] convert(r) y = s32[6] convert(s) ";
  EXPECT_NE(verdict("f32", "a, b", "s32", rounded + "ROOT d = s32[6] subtract(x, y)"),
            Verdict::kProved);
  EXPECT_EQ(verdict("f32", "a, b", "s32", rounded + "ROOT d = s32[6] subtract(x, x)"),
            Verdict::kProved);
}

// One reduction is one, in whatever form a place of its result gives it.
TEST(Orders, OneReductionInTwoFormsHasOneOrder) {
  const std::string start =
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n";
  auto of = [&](const std::string& array, const std::string& other) {
    return start + Entry(
                       "p = f32[2,64] parameter(0) q = f32[2,64] parameter(1) z = f32[] "
                       "constant(-0) x = f32[4,64] " +
                       array +
                       " r = f32[4] reduce(x, z), dimensions={1}, to_apply=add "
                       "c = f32[1] slice(r), slice={[0:1]} i = f32[] reshape(c) "
                       "o = f32[1,64] slice(x), slice={[0:1], [0:64]} v = f32[1,64] reverse(o), "
                       "dimensions={1} w = f32[1] reduce(v, z), dimensions={1}, to_apply=add "
                       "j = f32[] reshape(w) s = f32[4] broadcast(" +
                       other + "), dimensions={} ROOT d = f32[4] subtract(r, s)");
  };
  for (const std::string array :
       {"concatenate(p, q), dimensions={0}", "pad(p, z), padding=1_1x0_0"}) {
    auto verdict = [&](const std::string& a, const std::string& b) {
      return Compare(of(array, a), of(array, b), {.execute = false}).verdict;
    };
    EXPECT_EQ(verdict("i", "i"), Verdict::kProved);
    EXPECT_NE(verdict("i", "j"), Verdict::kProved);
  }
}

// Two instructions with different notes or layouts may be compiled to different orders.
TEST(Orders, InstructionsOfOtherNotesAndLayoutsAreTwo) {
  const std::string start =
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n";
  const std::string dots =
      "x = f32[4,64] parameter(0) y = f32[64,4] parameter(1) "
      "r = f32[4,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} "
      "q = f32[4,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} "
      "s = f32[4,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
      "backend_config={\"a\":\"split_k\"} ";
  const std::string sums =
      "x = f32[4,5,64] parameter(0) z = f32[] constant(-0) "
      "r = f32[4,5]{1,0} reduce(x, z), dimensions={2}, to_apply=add "
      "q = f32[4,5]{1,0} reduce(x, z), dimensions={2}, to_apply=add "
      "s = f32[4,5]{0,1} reduce(x, z), dimensions={2}, to_apply=add ";
  auto is_proved = [&](const std::string& type, const std::string& values,
                       const std::string& other) {
    auto of = [&](const std::string& second) {
      return start + Entry(values + "ROOT d = " + type + " subtract(r, " + second + ")");
    };
    return Compare(of("r"), of(other), {.execute = false}).verdict == Verdict::kProved;
  };
  EXPECT_TRUE(is_proved("f32[4,4]", dots, "q"));
  EXPECT_FALSE(is_proved("f32[4,4]", dots, "s"));
  EXPECT_TRUE(is_proved("f32[4,5]{1,0}", sums, "q"));
  EXPECT_FALSE(is_proved("f32[4,5]{1,0}", sums, "s"));
}

// A sum of numbers is a number in A, in one of its orders, and open in B.
TEST(Orders, SumsOfNumbersAreOpenInB) {
  const std::string start =
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n";
  const std::string number = start + Entry("n = f32[] constant(0) ROOT r = f32[] copy(n)");
  const std::string sum = start + Entry(
                                      "n = f32[3] constant({1, 1e8, -1e8}) z = f32[] "
                                      "constant(-0) ROOT r = f32[] reduce(n, z), "
                                      "dimensions={0}, to_apply=add");
  EXPECT_EQ(Compare(sum, number, {.execute = false}).verdict, Verdict::kProved);
  EXPECT_NE(Compare(number, sum, {.execute = false}).verdict, Verdict::kProved);
}

// Ties of an unstable sort are one order, where another sort of B is A's by its name and a proof.
TEST(Orders, UnstableSortsOfTwoProofsAreTwo) {
  auto entry = [](const std::string& s, const std::string& rest) {
    return "less { a = f32[] parameter(0) b = f32[] parameter(1) x = f32[] abs(a) y = f32[] abs(b) "
           "ROOT c = pred[] compare(x, y), direction=LT }\nmore { a = f32[] parameter(0) b = "
           "f32[] parameter(1) x = f32[] abs(a) y = f32[] abs(b) ROOT c = pred[] compare(y, x), "
           "direction=GT }\n" +
           Entry("p = f32[64] parameter(0) s = f32[64] sort(p), dimensions={0}, to_apply=" + s +
                 " t = f32[64] sort(p), dimensions={0}, to_apply=less ROOT d = f32[64] subtract(" +
                 rest + ")");
  };
  auto is_proved = [](const std::string& a, const std::string& b) {
    return Compare(a, b, {.execute = false}).verdict == Verdict::kProved;
  };
  EXPECT_TRUE(is_proved(entry("less", "s, s"), entry("more", "s, s")));
  EXPECT_FALSE(is_proved(entry("less", "s, s"), entry("more", "s, t")));
}

// HLO leaves open which of two updates of one element comes last. That is one order for a scatter.
TEST(Orders, AScatterWhoseUpdatesMayMeetHasOne) {
  const std::string start =
      "set { a = s32[] parameter(0) ROOT b = s32[] parameter(1) }\n"
      "sets { a = s32[] parameter(0) c = s32[] parameter(1) b = s32[] parameter(2) "
      "d = s32[] parameter(3) ROOT t = (s32[], s32[]) tuple(b, d) }\n";
  const std::string rest = ", scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=";
  const std::string elements = ", update_window_dims={}, inserted_window_dims={0}" + rest;
  const std::string windows = ", update_window_dims={1}, inserted_window_dims={}" + rest;
  const std::string parameters =
      "x = s32[7] parameter(0) i = s32[5,1] parameter(1) u = s32[5] parameter(2) "
      "v = s32[5,1] reshape(u) ";
  const std::string element = "s = s32[7] scatter(x, i, u)" + elements + "set ";
  const std::string window = "w = s32[7] scatter(x, i, v)" + windows + "set ";
  const std::string both = "b = (s32[7], s32[7]) scatter(x, x, i, u, u)" + elements +
                           "sets p = s32[7] get-tuple-element(b), index=0 "
                           "q = s32[7] get-tuple-element(b), index=1 ";
  auto is_proved = [&](const std::string& a, const std::string& b) {
    return Compare(start + Entry(parameters + a), start + Entry(parameters + b), {.execute = false})
               .verdict == Verdict::kProved;
  };
  EXPECT_TRUE(
      is_proved(element + "ROOT r = s32[7] negate(s)", window + "ROOT r = s32[7] negate(w)"));
  EXPECT_FALSE(is_proved(element + "ROOT r = s32[7] subtract(s, s)",
                         element + window + "ROOT r = s32[7] subtract(s, w)"));
  EXPECT_FALSE(is_proved("z = s32[] constant(0) ROOT r = s32[7] broadcast(z), dimensions={}",
                         element + window + "ROOT r = s32[7] subtract(s, w)"));
  // Both results of one scatter are of the same update, those of two need not be.
  EXPECT_FALSE(is_proved(both + "ROOT r = s32[7] subtract(p, q)",
                         element + window + "ROOT r = s32[7] subtract(s, w)"));
  // Updates in another order are other ones, to HLO as to us.
  EXPECT_FALSE(is_proved(element + "ROOT r = s32[7] negate(s)",
                         "j = s32[5,1] reverse(i), dimensions={0} k = s32[5] reverse(u), "
                         "dimensions={0} s = s32[7] scatter(x, j, k)" +
                             elements + "set ROOT r = s32[7] negate(s)"));
  // Other updates, indices and operands.
  for (const std::string changed : {"s = s32[7] scatter(x, i, m)", "s = s32[7] scatter(x, n, u)",
                                    "s = s32[7] scatter(o, i, u)"}) {
    EXPECT_FALSE(is_proved(element + "ROOT r = s32[7] negate(s)",
                           "m = s32[5] add(u, u) n = s32[5,1] negate(i) o = s32[7] negate(x) " +
                               changed + elements + "set ROOT r = s32[7] negate(s)"));
  }
}

// One leaf is proved with one order, and another leaf with another one.
TEST(Orders, ResultsOfSeveralProofsHaveOne) {
  const std::string parameters = "x = f32[4,64] parameter(0) z = f32[] constant(-0) ";
  const std::string of_a = "s = f32[] reduce(x, z), dimensions={0,1}, to_apply=sum ";
  const std::string of_b =
      "r = f32[4] reduce(x, z), dimensions={1}, to_apply=sum "
      "t = f32[] reduce(r, z), dimensions={0}, to_apply=sum "
      "c = f32[64] reduce(x, z), dimensions={0}, to_apply=sum "
      "s = f32[] reduce(c, z), dimensions={0}, to_apply=sum ";
  auto is_proved = [&](const std::string& a, const std::string& b) {
    return Compare(kCombiners + Entry(parameters + a), kCombiners + Entry(parameters + b),
                   {.execute = false})
               .verdict == Verdict::kProved;
  };
  const std::string one = "ROOT d = (f32[], f32[]) tuple(s, s)";
  EXPECT_TRUE(is_proved(of_a + one, of_b + one));
  EXPECT_FALSE(is_proved(of_a + one, of_b + "ROOT d = (f32[], f32[]) tuple(t, s)"));
}

// A product of matrices that is one product for each element may be rounded, or not.
TEST(Orders, ProductsOfTwoInstructionsMayRoundTwofold) {
  auto products = [](const std::string& precision, const std::string& result) {
    const std::string dot = ", lhs_contracting_dims={1}, rhs_contracting_dims={0}" + precision;
    return Entry("x = f32[4,1] parameter(0) y = f32[1,4] parameter(1) r = f32[4,4] dot(x, y)" +
                 dot + " u = f32[1,4] transpose(x), dimensions={1,0} " +
                 "v = f32[4,1] transpose(y), dimensions={1,0} w = f32[4,4] dot(v, u)" + dot +
                 " s = f32[4,4] transpose(w), dimensions={1,0} ROOT " + result);
  };
  const std::string exact = ", operand_precision={highest,highest}";
  const std::string pair = "d = (f32[4,4], f32[4,4]) tuple";
  auto is_proved = [&](const std::string& precision, const std::string& a, const std::string& b) {
    return Compare(products(precision, a), products(precision, b), {.execute = false}).verdict ==
           Verdict::kProved;
  };
  EXPECT_FALSE(is_proved("", "d = f32[4,4] subtract(r, r)", "d = f32[4,4] subtract(r, s)"));
  EXPECT_FALSE(is_proved("", pair + "(r, r)", pair + "(r, s)"));
  EXPECT_TRUE(is_proved("", pair + "(r, r)", pair + "(s, s)"));
  EXPECT_TRUE(is_proved(exact, "d = f32[4,4] subtract(r, r)", "d = f32[4,4] subtract(r, s)"));
  EXPECT_TRUE(is_proved(exact, pair + "(r, r)", pair + "(r, s)"));
}

TEST(Orders, LibraryCallsAndDotsAreTwo) {
  const std::string dimensions = "lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  auto call = [](const std::string& name, const std::string& algorithm) {
    return name + "c = (f32[4,4], s8[1024]) custom-call(x, y), " +
           R"(custom_call_target="__cublas$gemm", backend_config={"gemm_backend_config":{)" +
           R"("alpha_real":1,"alpha_imag":0,"beta":0,"selected_algorithm":")" + algorithm +
           R"(","dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],)" +
           R"("rhs_contracting_dimensions":["0"],"lhs_batch_dimensions":[],)" +
           R"("rhs_batch_dimensions":[]},)" +
           R"("precision_config":{"operand_precision":["HIGHEST","HIGHEST"]},)" +
           R"("epilogue":"DEFAULT"}} )" + name + " = f32[4,4] get-tuple-element(" + name +
           "c), index=0 ";
  };
  auto of = [](const std::string& rest) {
    return Entry("x = f32[4,64] parameter(0) y = f32[64,4] parameter(1) " + rest);
  };
  auto is_proved = [](const std::string& a, const std::string& b) {
    auto of_a = testing::ParseOrFail(a), of_b = testing::ParseOrFail(b);
    if (!of_a || !of_b) return false;
    EXPECT_FALSE(llvm::errorToBool(calls::ExpandCustomCalls(*of_a, "a")));
    EXPECT_FALSE(llvm::errorToBool(calls::ExpandCustomCalls(*of_b, "b")));
    auto result = CompareModules(*of_a, *of_b, {.execute = false});
    if (!result) {
      ADD_FAILURE() << llvm::toString(result.takeError());
      return false;
    }
    return result->verdict == Verdict::kProved;
  };
  const std::string dot = "r = f32[4,4] dot(x, y), " + dimensions;
  const std::string exact = dot + ", operand_precision={highest,highest} ";
  const std::string same = "ROOT d = f32[4,4] subtract(r, r)";
  const std::string other = "ROOT d = f32[4,4] subtract(r, s)";
  EXPECT_TRUE(is_proved(of(exact + same), of(call("r", "1") + same)));
  EXPECT_FALSE(is_proved(of(exact + same), of(exact + call("s", "1") + other)));
  EXPECT_FALSE(is_proved(of(call("r", "1") + same), of(call("r", "1") + call("s", "7") + other)));
  EXPECT_TRUE(is_proved(of(call("r", "1") + same), of(call("r", "1") + call("s", "1") + other)));
  // A dot in another algorithm is computed by another kernel.
  const std::string plain = dot + ", algorithm=dot_f32_f32_f32 ";
  EXPECT_FALSE(
      is_proved(of(exact + same),
                of(exact + "s = f32[4,4] dot(x, y), " + dimensions +
                   ", operand_precision={highest,highest}, algorithm=dot_f32_f32_f32 " + other)));
  EXPECT_TRUE(is_proved(of(plain + same), of(plain + same)));
}

// A combiner may put what another operand holds into a result.
TEST(Orders, AScatterStartsFromEachOfItsOperands) {
  const auto scatter = [](const std::string& second) {
    return "c { a = s32[] parameter(0) b = s32[] parameter(1) u = s32[] parameter(2) "
           "v = s32[] parameter(3) s = s32[] multiply(a, b) t = s32[] add(s, u) "
           "ROOT r = (s32[], s32[]) tuple(t, b) }\n" +
           Entry(
               "x = s32[4] parameter(0) y = s32[4] parameter(1) z = s32[4] parameter(2) "
               "i = s32[3,1] parameter(3) u = s32[3] parameter(4) "
               "s = (s32[4], s32[4]) scatter(x, " +
               second +
               ", i, u, u), update_window_dims={}, inserted_window_dims={0}, "
               "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=c "
               "ROOT r = s32[4] get-tuple-element(s), index=0");
  };
  EquivalenceOptions options;
  options.execute = false;
  EXPECT_EQ(Compare(scatter("y"), scatter("y"), options).verdict, Verdict::kProved);
  EXPECT_NE(Compare(scatter("y"), scatter("z"), options).verdict, Verdict::kProved);
}

}  // namespace
}  // namespace affirm::driver
