// B chooses no more than A: whatever HLO leaves open in B, A has one choice for each of B's.
#include <gtest/gtest.h>

#include <string>

#include "tests/equivalence/compare_modules.h"

namespace affirm::driver {
namespace {

bool IsProved(const std::string& a, const std::string& b) {
  return Compare(kCombiners + a, kCombiners + b, {.execute = false}).verdict == Verdict::kProved;
}

// Loops that sum rows in each trip: by rows, or by columns of the transpose.
constexpr char kRows[] = "r = f32[4] reduce(p, z), dimensions={1}, to_apply=sum";
constexpr char kColumns[] =
    "c = f32[64,4] transpose(p), dimensions={1,0} "
    "r = f32[4] reduce(c, z), dimensions={0}, to_apply=sum";
constexpr char kState[] = "(s32[], f32[4,64], f32[4])";

std::string Body(const std::string& name, const std::string& reduction) {
  return name + " { s = " + kState +
         " parameter(0) i = s32[] get-tuple-element(s), index=0 "
         "p = f32[4,64] get-tuple-element(s), index=1 v = f32[4] get-tuple-element(s), index=2 "
         "o = s32[] constant(1) j = s32[] add(i, o) z = f32[] constant(-0) " +
         reduction + " w = f32[4] add(v, r) ROOT t = " + kState + " tuple(j, p, w) }\n";
}

std::string Condition(const std::string& name, const std::string& state) {
  return name + " { s = " + state +
         " parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(100) "
         "ROOT l = pred[] compare(i, n), direction=LT }\n";
}

std::string Loop(const std::string& name, const std::string& body) {
  return " " + name + " = " + kState + " while(s), condition=cond, body=" + body + " of_" + name +
         " = f32[4] get-tuple-element(" + name + "), index=2 ";
}

std::string Loops(const std::string& bodies, const std::string& loops) {
  return Condition("cond", kState) + bodies +
         Entry("p = f32[4,64] parameter(0) v = f32[4] parameter(1) i = s32[] constant(0) s = " +
               std::string(kState) + " tuple(i, p, v) " + loops);
}

TEST(Choices, LoopsOfOneFormAreOneWhereTheyAreWrittenAlike) {
  const std::string a =
      Loops(Body("rows", kRows), Loop("w", "rows") + "ROOT d = f32[4] subtract(of_w, of_w)");
  const std::string both =
      Loop("w", "first") + Loop("x", "second") + "ROOT d = f32[4] subtract(of_w, of_x)";
  const std::string rows = kRows;
  EXPECT_TRUE(IsProved(a, Loops(Body("first", rows) + Body("second", rows), both)));
  EXPECT_FALSE(IsProved(
      a, Loops(Body("first", rows) + Body("second", rows + ", backend_config=\"b\""), both)));
  // One is A's by its name and a proof, the other one by its form.
  EXPECT_FALSE(IsProved(a, Loops(Body("first", kColumns) + Body("second", rows), both)));
  EXPECT_TRUE(IsProved(a, Loops(Body("columns", kColumns),
                                Loop("w", "columns") + "ROOT d = f32[4] subtract(of_w, of_w)")));
}

// Two elements of the state of B are each the one of A, in orders of their own.
TEST(Choices, TwoStatesOfOneLoopAreNotOne) {
  const std::string state = "(s32[], f32[4,64], f32[4], f32[4])";
  const std::string body =
      "body { s = " + state +
      " parameter(0) i = s32[] get-tuple-element(s), index=0 "
      "p = f32[4,64] get-tuple-element(s), index=1 v = f32[4] get-tuple-element(s), index=2 "
      "u = f32[4] get-tuple-element(s), index=3 o = s32[] constant(1) j = s32[] add(i, o) "
      "z = f32[] constant(-0) " +
      kRows +
      " c = f32[64,4] transpose(p), dimensions={1,0} "
      "q = f32[4] reduce(c, z), dimensions={0}, to_apply=sum w = f32[4] add(v, r) "
      "x = f32[4] add(u, q) ROOT t = " +
      state + " tuple(j, p, w, x) }\n";
  const std::string b =
      Condition("cond", state) + body +
      Entry("p = f32[4,64] parameter(0) v = f32[4] parameter(1) i = s32[] constant(0) s = " +
            state + " tuple(i, p, v, v) w = " + state +
            " while(s), condition=cond, body=body of_w = f32[4] get-tuple-element(w), index=2 "
            "of_x = f32[4] get-tuple-element(w), index=3 ROOT d = f32[4] subtract(of_w, of_x)");
  EXPECT_FALSE(IsProved(
      Loops(Body("rows", kRows), Loop("w", "rows") + "ROOT d = f32[4] subtract(of_w, of_w)"), b));
}

// Two kernels have two orders, unless a compiler is asked for the same code.
TEST(Choices, FusionsOfOneFormAreOneWhereTheyAreWrittenAlike) {
  const std::string fused =
      "f1 { p = f32[4,64] parameter(0) z = f32[] constant(-0) ROOT r = f32[4] reduce(p, z), "
      "dimensions={1}, to_apply=sum }\n"
      "f2 { p = f32[4,64] parameter(0) z = f32[] constant(-0) r = f32[4] reduce(p, z), "
      "dimensions={1}, to_apply=sum n = f32[4,64] negate(p) "
      "ROOT t = (f32[4], f32[4,64]) tuple(r, n) }\n";
  auto entry = [&](const std::string& rest) {
    return fused +
           Entry("p = f32[4,64] parameter(0) f = f32[4] fusion(p), kind=kInput, calls=f1 " + rest);
  };
  const std::string a = entry("ROOT d = f32[4] subtract(f, f)");
  const std::string other = "ROOT d = f32[4] subtract(f, g)";
  const std::string again = "g = f32[4] fusion(p), kind=";
  EXPECT_TRUE(IsProved(a, entry(again + "kInput, calls=f1 " + other)));
  EXPECT_FALSE(IsProved(a, entry(again + "kLoop, calls=f1 " + other)));
  EXPECT_FALSE(IsProved(a, entry(again + "kInput, calls=f1, backend_config=\"b\" " + other)));
  // The other one stands in what the entry calls.
  EXPECT_FALSE(IsProved(
      a, "c { p = f32[4,64] parameter(0) ROOT g = f32[4] fusion(p), kind=kLoop, calls=f1 }\n" +
             entry("g = f32[4] call(p), to_apply=c " + other)));
  EXPECT_FALSE(IsProved(a, entry("t = (f32[4], f32[4,64]) fusion(p), kind=kInput, calls=f2 "
                                 "g = f32[4] get-tuple-element(t), index=0 " +
                                 other)));
}

// Rows of an array that lies in memory by columns are summed by another kernel.
TEST(Choices, OperandsInTwoLayoutsAreSummedInTwoOrders) {
  auto two = [](const std::string& layout, const std::string& note = "") {
    return Entry(
        "p = f32[4,64] parameter(0) z = f32[] constant(-0) c = f32[4,64]{1,0} negate(p) "
        "k = f32[4,64]" +
        layout + " negate(p)" + note +
        " r = f32[4] reduce(c, z), dimensions={1}, to_apply=sum "
        "s = f32[4] reduce(k, z), dimensions={1}, to_apply=sum "
        "ROOT d = f32[4] subtract(r, s)");
  };
  const std::string a = Entry(
      "p = f32[4,64] parameter(0) z = f32[] constant(-0) c = f32[4,64] negate(p) "
      "r = f32[4] reduce(c, z), dimensions={1}, to_apply=sum ROOT d = f32[4] subtract(r, r)");
  EXPECT_TRUE(IsProved(a, two("{1,0}")));
  EXPECT_FALSE(IsProved(a, two("{0,1}")));
  EXPECT_FALSE(IsProved(a, two("{1,0}", ", sharding={devices=[1,2]<=[2]}")));
}

// The borders of a padded window are cases of a proof. The reduction is one in all of them, and in
// all results.
TEST(Choices, ReductionsHaveOneOrderInAllCases) {
  const std::string window =
      "p = f32[8] parameter(0) z = f32[] constant(-0) r = f32[8] reduce-window(p, z), "
      "window={size=3 pad=1_1}, to_apply=sum ";
  const std::string written =
      "q = f32[10] pad(p, z), padding=1_1 a = f32[8] slice(q), slice={[0:8]} "
      "b = f32[8] slice(q), slice={[1:9]} c = f32[8] slice(q), slice={[2:10]} "
      "m = f32[8] add(b, c) s = f32[8] add(a, m) o = f32[8] add(a, b) t = f32[8] add(o, c) ";
  const std::string two = "ROOT u = (f32[8], f32[8]) tuple(";
  const std::string a = Entry(window + "n = f32[8] negate(r) " + two + "r, n)");
  EXPECT_TRUE(IsProved(a, Entry(window + written + "n = f32[8] negate(s) " + two + "s, n)")));
  EXPECT_FALSE(IsProved(a, Entry(window + written + "n = f32[8] negate(t) " + two + "s, n)")));
  EXPECT_FALSE(IsProved(a, Entry(window + written + "k = f32[8] negate(t) " + two + "s, k)")));
  EXPECT_FALSE(IsProved(Entry(window + "ROOT d = f32[8] subtract(r, r)"),
                        Entry(window + written + "ROOT d = f32[8] subtract(r, s)")));
}

// Two results that are proved one after the other by their names have one order of a sum, too.
TEST(Choices, SumsAreWrittenOutInOneOrder) {
  const std::string start = "p = f32[3] parameter(0) ";
  const std::string written =
      start +
      "i = f32[1] slice(p), slice={[0:1]} j = f32[1] slice(p), slice={[1:2]} "
      "k = f32[1] slice(p), slice={[2:3]} a = f32[] reshape(i) b = f32[] reshape(j) "
      "c = f32[] reshape(k) s0 = f32[] add(a, b) s = f32[] add(s0, c) u0 = f32[] add(b, c) "
      "u = f32[] add(a, u0) ";
  auto results = [](const std::string& of_n, const std::string& of_m) {
    return "n = f32[] negate(" + of_n + ") m = f32[] abs(" + of_m +
           ") ROOT t = (f32[], f32[]) tuple(n, m)";
  };
  const std::string a = Entry(start +
                              "z = f32[] constant(-0) r = f32[] reduce(p, z), dimensions={0}, "
                              "to_apply=sum " +
                              results("r", "r"));
  EXPECT_TRUE(IsProved(a, Entry(written + results("s", "s"))));
  EXPECT_FALSE(IsProved(a, Entry(written + results("s", "u"))));
}

// Each product of B rounds its operands or not, whatever the others do.
TEST(Choices, ProductsOfALayerRoundEachForItself) {
  const std::string start = "p = f32[4,8] parameter(0) q = f32[8,8] parameter(1) ";
  auto dot = [](const std::string& name, const std::string& x, const std::string& y,
                const std::string& rest = "") {
    return name + " = f32[4,8] dot(" + x + ", " + y +
           "), lhs_contracting_dims={1}, rhs_contracting_dims={0}" + rest + " ";
  };
  auto turned = [](const std::string& name, const std::string& x) {
    return name + " = f32[4,8] dot(" + x +
           ", k), lhs_contracting_dims={1}, rhs_contracting_dims={1} ";
  };
  const std::string k = "k = f32[8,8] transpose(q), dimensions={1,0} ";
  const std::string end = "ROOT t = f32[4,8] tanh(w)";
  const std::string a =
      Entry(start + dot("x", "p", "q") + dot("y", "x", "q") + dot("w", "y", "q") + end);
  EXPECT_TRUE(IsProved(
      a, Entry(start + k + turned("x", "p") + dot("y", "x", "q") + turned("w", "y") + end)));
  EXPECT_FALSE(IsProved(
      Entry(start + dot("x", "p", "q") +
            dot("y", "x", "q", ", operand_precision={highest,highest}") + dot("w", "y", "q") + end),
      Entry(start + k + turned("x", "p") + dot("y", "x", "q") + turned("w", "y") + end)));
}

// A custom call sees the bits of a NaN: of one sum in A, of two in B.
TEST(Choices, NansOfCustomCallsAreOfOneInstruction) {
  const std::string start =
      "p = f32[8] parameter(0) q = f32[8] parameter(1) s = f32[8] add(p, q) "
      "c = s32[8] custom-call(s), custom_call_target=\"my_bits\" ";
  const std::string end = "ROOT d = (s32[8], s32[8]) tuple(c, x)";
  const std::string of_s = "x = s32[8] bitcast-convert(s) ";
  EXPECT_TRUE(IsProved(Entry(start + of_s + end),
                       Entry(start +
                             "r = f32[8] reverse(s), dimensions={0} v = f32[8] "
                             "reverse(r), dimensions={0} x = s32[8] bitcast-convert(v) " +
                             end)));
  EXPECT_FALSE(
      IsProved(Entry(start + of_s + end),
               Entry(start + "t = f32[8] add(q, p) x = s32[8] bitcast-convert(t) " + end)));
  auto given = [](const std::string& of) {
    return Entry(
        "p = f32[8] parameter(0) o = f32[] constant(1) b = f32[8] broadcast(o), "
        "dimensions={} m = f32[8] multiply(p, b) ROOT c = s32[8] custom-call(" +
        of + "), custom_call_target=\"my_bits\"");
  };
  EXPECT_FALSE(IsProved(given("p"), given("m")));
}

// An unstable sort that compares positions last is the stable sort by what it compares first, where
// that is an order: of NaNs too, which no comparison of equality says.
TEST(Choices, StableSortsAreByAnOrderOfNans) {
  auto comparator = [](const std::string& direction, bool stable) {
    const std::string less =
        "less { a = f32[] parameter(0) b = f32[] parameter(1) i = s32[] parameter(2) "
        "j = s32[] parameter(3) t = pred[] compare(a, b), direction=" +
        direction + ", type=TOTALORDER n = pred[] compare(a, b), direction=NE ";
    if (stable) return less + "ROOT forth = pred[] and(t, n) }\n";
    return less + "forth = pred[] and(t, n) u = pred[] compare(b, a), direction=" + direction +
           ", type=TOTALORDER v = pred[] compare(b, a), direction=NE back = pred[] and(u, v) "
           "same = pred[] compare(forth, back), direction=EQ "
           "earlier = pred[] compare(i, j), direction=LT "
           "ROOT r = pred[] select(same, earlier, forth) }\n";
  };
  auto sort = [&](const std::string& direction, bool stable) {
    return comparator(direction, stable) +
           Entry(
               "x = f32[8] parameter(0) k = s32[8] iota(), iota_dimension=0 "
               "s = (f32[8], s32[8]) sort(x, k), dimensions={0}, to_apply=less" +
               std::string(stable ? ", is_stable=true" : "") +
               " ROOT r = s32[8] get-tuple-element(s), index=1");
  };
  EXPECT_TRUE(IsProved(sort("LT", false), sort("LT", true)));
  // A NaN comes before itself.
  EXPECT_FALSE(IsProved(sort("LE", false), sort("LE", true)));
}

// A loop that may not end keeps any result from being there, whether one needs it or not.
TEST(Choices, LoopsOfBEndIfThoseOfADo) {
  auto loop = [](const std::string& direction) {
    return "c { s = s32[] parameter(0) n = s32[] constant(9) ROOT l = pred[] compare(s, n), "
           "direction=" +
           direction +
           " }\n b { s = s32[] parameter(0) o = s32[] constant(2) ROOT t = s32[] add(s, o) }\n";
  };
  const std::string start = "p = s32[4] parameter(0) q = s32[] parameter(1) k = s32[] constant(1) ";
  const std::string end = " ROOT n = s32[4] negate(p)";
  auto of = [&](const std::string& value) {
    return "w = s32[] while(" + value + "), condition=c, body=b";
  };
  const std::string a = Entry(start + end);
  EXPECT_TRUE(IsProved(a, loop("LT") + Entry(start + of("k") + end)));
  EXPECT_FALSE(IsProved(a, loop("NE") + Entry(start + of("q") + end)));
  EXPECT_TRUE(IsProved(loop("NE") + Entry(start + of("q") + end),
                       loop("NE") + Entry(start + of("q") + " m = s32[4] abs(p)" + end)));
  // Not taken by a choice.
  EXPECT_FALSE(IsProved(
      a, loop("NE") + Entry(start + of("q") +
                            " y = s32[4] broadcast(w), dimensions={} f = pred[4] compare(p, p), "
                            "direction=NE v = s32[4] select(f, y, p) ROOT n = s32[4] negate(v)")));
  // Beside a sort that becomes a stable one.
  const std::string sort =
      "k = s32[4] iota(), iota_dimension=0 s = (s32[4], s32[4]) sort(p, k), dimensions={0}, "
      "to_apply=less";
  const std::string result = " ROOT r = s32[4] get-tuple-element(s), index=1";
  const std::string less =
      "less { a = s32[] parameter(0) b = s32[] parameter(1) i = s32[] parameter(2) "
      "j = s32[] parameter(3) t = pred[] compare(a, b), direction=LT ";
  const std::string with_positions =
      less +
      "u = pred[] compare(b, a), direction=LT same = pred[] compare(t, u), direction=EQ "
      "e = pred[] compare(i, j), direction=LT ROOT r = pred[] select(same, e, t) }\n";
  const std::string start_of_sort = "p = s32[4] parameter(0) q = s32[] parameter(1) ";
  const std::string stable = less + "ROOT r = pred[] copy(t) }\n" +
                             Entry(start_of_sort + sort + ", is_stable=true" + result);
  EXPECT_TRUE(IsProved(stable, with_positions + Entry(start_of_sort + sort + result)));
  EXPECT_FALSE(IsProved(
      stable, loop("NE") + with_positions + Entry(start_of_sort + sort + " " + of("q") + result)));
  // In a branch, of which the value does not need it.
  auto branches = [&](const std::string& beside) {
    return loop("NE") +
           "yes { x = s32[4] parameter(0) s = s32[4] slice(x), slice={[0:4]} q = s32[] "
           "constant(2) " +
           beside + " ROOT n = s32[4] negate(x) }\nno { ROOT x = s32[4] parameter(0) }\n";
  };
  auto chosen = [&](const std::string& result) {
    return Entry(
        "p = s32[4] parameter(0) f = pred[] parameter(1) v = s32[4] conditional(f, p, p), "
        "true_computation=yes, false_computation=no " +
        result);
  };
  const std::string negated = "ROOT n = s32[4] negate(v)";
  const std::string again = "m = s32[4] negate(v) o = s32[4] negate(m) ROOT n = s32[4] negate(o)";
  EXPECT_TRUE(IsProved(branches("") + chosen(negated), branches("") + chosen(again)));
  EXPECT_FALSE(IsProved(branches("") + chosen(negated), branches(of("q")) + chosen(again)));
  EXPECT_TRUE(IsProved(branches(of("q")) + chosen(negated), branches(of("q")) + chosen(again)));
  // In the trips of a loop that ends, and hands on what is asked for.
  const std::string state = "(s32[], s32[4], s32[])";
  const std::string outer =
      "oc { s = " + state +
      " parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(3) "
      "ROOT l = pred[] compare(i, n), direction=LT }\n"
      "ob { s = " +
      state +
      " parameter(0) i = s32[] get-tuple-element(s), index=0 "
      "v = s32[4] get-tuple-element(s), index=1 q = s32[] get-tuple-element(s), index=2 "
      "w = s32[] while(q), condition=c, body=b o = s32[] constant(1) j = s32[] add(i, o) "
      "ROOT t = " +
      state + " tuple(j, v, w) }\n";
  EXPECT_FALSE(IsProved(
      a, loop("NE") + outer +
             Entry(start + "z = s32[] constant(0) s = " + state + " tuple(z, p, q) w = " + state +
                   " while(s), condition=oc, body=ob "
                   "v = s32[4] get-tuple-element(w), index=1 "
                   "ROOT n = s32[4] negate(v)")));
}

// The graph of the results does not contain the order of two draws of random numbers.
TEST(Choices, RandomStatesHaveAnOrder) {
  const std::string end = " ROOT t = (u64[2], u64[2]) tuple(a, b)";
  const std::string take = " = u64[2] rng-get-and-update-state(), delta=1";
  EXPECT_FALSE(IsProved(Entry("a" + take + " b" + take + ", control-predecessors={a}" + end),
                        Entry("b" + take + " a" + take + ", control-predecessors={b}" + end)));
  EXPECT_FALSE(
      IsProved(Entry("a" + take + " b" + take + end), Entry("b" + take + " a" + take + end)));
  EXPECT_TRUE(IsProved(Entry("ROOT a" + take), Entry("ROOT b" + take)));
}

// An order that A adds to that of operands, by control-predecessors or a schedule, binds B.
TEST(Choices, EffectsStayInTheirOrder) {
  const auto feeds = [](const std::string& first, const std::string& second) {
    const auto feed = [&](const std::string& name) {
      const bool is_second = name != first;
      return "t" + name + " = token[] after-all() " + name + " = (f32[4], token[]) infeed(t" +
             name + ")" +
             (is_second && !second.empty() ? ", control-predecessors={" + first + "}" : "") + " ";
    };
    const std::string other = first == "i" ? "j" : "i";
    return Entry(feed(first) + feed(other) +
                 "x = f32[4] get-tuple-element(i), index=0 "
                 "y = f32[4] get-tuple-element(j), index=0 ROOT r = (f32[4], f32[4]) tuple(x, y)");
  };
  EXPECT_TRUE(IsProved(feeds("i", "j"), feeds("i", "j")));
  EXPECT_FALSE(IsProved(feeds("i", "j"), feeds("j", "i")));
  EXPECT_FALSE(IsProved(feeds("i", "j"), feeds("i", "")));
  // In no order in A, and in any in B.
  EXPECT_TRUE(IsProved(feeds("i", ""), feeds("j", "i")));
  // A host may feed what it makes of what it was given.
  const auto both = [](bool in_first) {
    return Entry("p = f32[4] parameter(0) s = token[] after-all() " +
                 std::string(in_first
                                 ? "i = (f32[4], token[]) infeed(s) "
                                   "o = token[] outfeed(p, s), control-predecessors={i} "
                                 : "o = token[] outfeed(p, s) "
                                   "i = (f32[4], token[]) infeed(s), control-predecessors={o} ") +
                 "x = f32[4] get-tuple-element(i), index=0 ROOT r = (f32[4], token[]) tuple(x, o)");
  };
  EXPECT_TRUE(IsProved(both(true), both(true)));
  EXPECT_FALSE(IsProved(both(true), both(false)));
}

// A promise of an instruction that no choice takes need not be kept.
TEST(Choices, PromisesAreKeptWhereTheyAreTaken) {
  const std::string start =
      "x = f32[8] parameter(0) i = s32[3,1] parameter(1) v = f32[3] parameter(2) "
      "c = pred[] parameter(3) b = pred[8] broadcast(c), dimensions={} m = f32[8] negate(x) ";
  auto scatter = [](const std::string& name, const std::string& promise) {
    return name +
           " = f32[8] scatter(x, i, v), update_window_dims={}, inserted_window_dims={0}, "
           "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum" +
           promise + " ";
  };
  const std::string unique = ", unique_indices=true";
  const std::string a =
      Entry(start + scatter("s", unique) + scatter("t", "") + "ROOT r = f32[8] select(b, s, t)");
  EXPECT_FALSE(IsProved(a, Entry(start + scatter("s", unique) + "ROOT r = f32[8] copy(s)")));
  EXPECT_TRUE(IsProved(a, Entry(start + scatter("s", "") + "ROOT r = f32[8] copy(s)")));
  // No element of the one that promises is left.
  EXPECT_FALSE(
      IsProved(Entry(start + scatter("s", unique) + scatter("t", "") +
                     "w = f32[16] concatenate(s, t), dimensions={0} ROOT r = f32[8] slice(w), "
                     "slice={[8:16]}"),
               Entry(start + scatter("s", unique) + "ROOT r = f32[8] copy(s)")));
  const std::string sliced = " ROOT r = f32[4] slice(s), slice={[0:4]}";
  EXPECT_TRUE(IsProved(Entry(start + scatter("s", unique) + sliced),
                       Entry(start + "o = f32[8] copy(x) " + scatter("s", unique) + sliced)));
  const std::string chosen =
      Entry(start + scatter("s", unique) + "ROOT r = f32[8] select(b, s, m)");
  EXPECT_TRUE(IsProved(chosen, Entry(start + scatter("s", unique) +
                                     "k = f32[8] copy(m) ROOT r = f32[8] select(b, s, k)")));
}

}  // namespace
}  // namespace affirm::driver
