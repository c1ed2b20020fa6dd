// Loops whose states carry other elements, count otherwise, or compute in a trip what could be
// computed once; and loops that differ.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/equivalence/compare_modules.h"

namespace affirm::driver {
namespace {

// A loop: the types of its state, what a trip and the condition compute of its elements e0, e1,
// ..., what the trip gives, the initial state, and the result of the program of the elements w0,
// w1, ...
struct Loop {
  std::vector<std::string> types;
  std::string trip, next, condition, before, init, result;
};

std::string Elements(const Loop& loop, const std::string& tuple, const std::string& prefix) {
  std::string text;
  for (size_t k = 0; k < loop.types.size(); ++k) {
    const std::string n = std::to_string(k);
    text +=
        prefix + n + " = " + loop.types[k] + " get-tuple-element(" + tuple + "), index=" + n + " ";
  }
  return text;
}

std::string Module(const Loop& loop) {
  std::string state = "(";
  for (const std::string& type : loop.types) state += (state.size() > 1 ? ", " : "") + type;
  state += ")";
  return "HloModule m\nbody { s = " + state + " parameter(0) " + Elements(loop, "s", "e") +
         loop.trip + " ROOT t = " + state + " tuple(" + loop.next + ") }\nmore { s = " + state +
         " parameter(0) " + Elements(loop, "s", "e") + loop.condition + " }\nENTRY e { " +
         "p = f32[8] parameter(0) q = f32[8] parameter(1) n = s32[] parameter(2) " +
         "zero = s32[] constant(0) one = s32[] constant(1) " + loop.before + " i = " + state +
         " tuple(" + loop.init + ") w = " + state + " while(i), condition=more, body=body " +
         Elements(loop, "w", "w") + loop.result + " }";
}

bool IsProved(const Loop& a, const Loop& b) {
  return Compare(Module(a), Module(b), {.execute = false}).verdict == Verdict::kProved;
}

// Adds sin(q) to p, n times.
const Loop kAll = {.types = {"s32[]", "f32[8]", "f32[8]", "s32[]"},
                   .trip =
                       "o = s32[] constant(1) i = s32[] add(e0, o) f = f32[8] sine(e2) "
                       "x = f32[8] add(e1, f)",
                   .next = "i, x, e2, e3",
                   .condition = "ROOT c = pred[] compare(e0, e3), direction=LT",
                   .before = "",
                   .init = "zero, p, q, n",
                   .result = "ROOT r = f32[8] negate(w1)"};

TEST(LoopStates, ElementsThatNobodyLooksAtAreDropped) {
  Loop more = kAll;
  more.types = {"f32[8]", "s32[]", "f32[8]", "f32[8]", "s32[]", "f32[8]"};
  more.trip =
      "o = s32[] constant(1) i = s32[] add(e1, o) f = f32[8] sine(e3) "
      "x = f32[8] add(e2, f) g = f32[8] multiply(e0, e2)";
  more.next = "g, i, x, e3, e4, e5";
  more.condition = "ROOT c = pred[] compare(e1, e4), direction=LT";
  more.init = "p, zero, p, q, n, q";
  more.result = "ROOT r = f32[8] negate(w2)";
  EXPECT_TRUE(IsProved(more, kAll));
  EXPECT_TRUE(IsProved(kAll, more));
  Loop other = more;
  other.result = "ROOT r = f32[8] negate(w0)";
  EXPECT_FALSE(IsProved(kAll, other));
  other = more;
  other.init = "p, zero, q, q, n, q";
  EXPECT_FALSE(IsProved(kAll, other));
  other = more;
  other.init = "p, one, p, q, n, q";
  EXPECT_FALSE(IsProved(kAll, other));
}

TEST(LoopStates, WhatIsTheSameInEachTripMayBeComputedOnce) {
  Loop hoisted = kAll;
  hoisted.trip = "o = s32[] constant(1) i = s32[] add(e0, o) x = f32[8] add(e1, e2)";
  hoisted.before = "f = f32[8] sine(q)";
  hoisted.init = "zero, p, f, n";
  EXPECT_TRUE(IsProved(kAll, hoisted));
  EXPECT_TRUE(IsProved(hoisted, kAll));
  for (const std::string before : {"f = f32[8] cosine(q)", "f = f32[8] sine(p)"}) {
    Loop wrong = hoisted;
    wrong.before = before;
    EXPECT_FALSE(IsProved(kAll, wrong)) << before;
  }
  // A value that changes is not the same in each trip.
  Loop changes = kAll;
  changes.trip =
      "o = s32[] constant(1) i = s32[] add(e0, o) f = f32[8] sine(e2) "
      "x = f32[8] add(e1, f) y = f32[8] negate(e2)";
  changes.next = "i, x, y, e3";
  EXPECT_FALSE(IsProved(changes, hoisted));
}

TEST(LoopStates, CountersMayStartAndStepOtherwise) {
  auto counted = [](const std::string& start, const std::string& step,
                    const std::string& condition) {
    Loop loop = kAll;
    loop.types = {"s32[]", "f32[8]", "f32[8]"};
    loop.trip = "o = s32[] constant(" + step +
                ") i = s32[] add(e0, o) f = f32[8] sine(e2) x = f32[8] add(e1, f)";
    loop.next = "i, x, e2";
    loop.condition = "k = s32[] constant(" + condition;
    loop.before = "start = s32[] constant(" + start + ")";
    loop.init = "start, p, q";
    return loop;
  };
  const std::string lt = ") ROOT c = pred[] compare(e0, k), direction=LT",
                    ne = ") ROOT c = pred[] compare(e0, k), direction=NE";
  EXPECT_TRUE(IsProved(counted("0", "1", "3000" + ne), counted("5", "1", "3005" + ne)));
  EXPECT_TRUE(IsProved(counted("0", "1", "3000" + ne), counted("3000", "-1", "0" + ne)));
  EXPECT_FALSE(IsProved(counted("0", "1", "3000" + ne), counted("5", "1", "3000" + ne)));
  EXPECT_FALSE(IsProved(counted("0", "1", "3000" + ne), counted("3000", "-1", "1" + ne)));
  EXPECT_FALSE(IsProved(counted("0", "1", "3000" + lt), counted("0", "2", "3000" + lt)));
  // Three steps of one are no step of three where a counter wraps around another number of times.
  EXPECT_FALSE(IsProved(counted("0", "2", "3000" + ne), counted("0", "1", "3000" + ne)));
  EXPECT_FALSE(IsProved(counted("0", "3", "3000" + ne), counted("0", "1", "1000" + ne)));
}

// Each trip's values: where states are the same once, they need not be so after a trip.
TEST(LoopStates, AreTheSameAfterEachTrip) {
  Loop two = kAll;
  two.types = {"s32[]", "f32[8]", "f32[8]", "s32[]"};
  two.trip =
      "o = s32[] constant(1) i = s32[] add(e0, o) x = f32[8] add(e1, e2) "
      "y = f32[8] multiply(e2, e1)";
  two.next = "i, x, y, e3";
  two.init = "zero, p, p, n";
  Loop swapped = two;
  swapped.trip =
      "o = s32[] constant(1) i = s32[] add(e0, o) x = f32[8] add(e2, e1) "
      "y = f32[8] multiply(e1, e2)";
  swapped.next = "i, y, x, e3";
  swapped.result = "ROOT r = f32[8] negate(w2)";
  EXPECT_TRUE(IsProved(two, swapped));
  swapped.result = "ROOT r = f32[8] negate(w1)";
  EXPECT_FALSE(IsProved(two, swapped));
  Loop other = two;
  other.trip =
      "o = s32[] constant(1) i = s32[] add(e0, o) x = f32[8] add(e1, e1) "
      "y = f32[8] multiply(e2, e1)";
  other.types.push_back("s32[]");
  other.next = "i, x, y, e3, e4";
  other.init = "zero, p, p, n, n";
  EXPECT_FALSE(IsProved(two, other));
  EXPECT_FALSE(IsProved(other, two));
}

// An element that moves to another place is no invariant.
TEST(LoopStates, ElementsThatMoveAreNotHandedOn) {
  Loop kept = kAll;
  kept.trip = "o = s32[] constant(1) i = s32[] add(e0, o) x = f32[8] add(e1, e2)";
  Loop moved = kept;
  moved.next = "i, x, e1, e3";
  for (const std::string result : {"ROOT r = f32[8] negate(w1)", "ROOT r = f32[8] negate(w2)"}) {
    kept.result = moved.result = result;
    // Another state, so that not the bodies as wholes are compared.
    Loop more = kept;
    more.types.push_back("f32[8]");
    more.next += ", e4";
    more.init += ", p";
    EXPECT_TRUE(IsProved(kept, more));
    EXPECT_FALSE(IsProved(moved, more));
    EXPECT_FALSE(IsProved(more, moved));
  }
}

// An invariant is its initial value if the loop ends; if it does not, B has no result.
TEST(LoopStates, ALoopOfBThatMayNotEndIsNoCopy) {
  Loop loop = kAll;
  loop.result = "ROOT r = f32[8] negate(w2)";
  const std::string copy =
      "HloModule m\nENTRY e { p = f32[8] parameter(0) q = f32[8] parameter(1) n = s32[] "
      "parameter(2) ROOT r = f32[8] negate(q) }";
  auto is_proved = [](const std::string& a, const std::string& b) {
    return Compare(a, b, {.execute = false}).verdict == Verdict::kProved;
  };
  EXPECT_TRUE(is_proved(Module(loop), copy));
  EXPECT_TRUE(is_proved(copy, copy));
  EXPECT_FALSE(is_proved(copy, Module(loop)));  // n is no number: its end is not seen
  Loop other = loop;
  other.condition = "ROOT c = pred[] compare(e0, e3), direction=NE";
  other.trip =
      "o = s32[] constant(2) i = s32[] add(e0, o) f = f32[8] sine(e2) x = f32[8] add(e1, f)";
  EXPECT_TRUE(is_proved(Module(other), copy));
  EXPECT_FALSE(is_proved(copy, Module(other)));
  // With a known number of trips.
  Loop known = loop;
  known.condition = "k = s32[] constant(3000) ROOT c = pred[] compare(e0, k), direction=LT";
  EXPECT_TRUE(is_proved(copy, Module(known)));
  known.condition = "ROOT c = pred[] constant(true)";
  EXPECT_FALSE(is_proved(copy, Module(known)));
}

// One function of A is one of B's, and no other one of these.
TEST(LoopStates, BeginWithFunctionsThatAreMatchedOnce) {
  auto module = [](const std::string& second) {
    Loop loop = kAll;
    loop.types = {"s32[]", "f32[8]", "f32[8]", "s32[]"};
    loop.trip =
        "o = s32[] constant(1) i = s32[] add(e0, o) x = f32[8] negate(e1) "
        "y = f32[8] negate(e2)";
    loop.next = "i, x, y, e3";
    loop.before =
        "s = f32[8] sort(p), dimensions={0}, to_apply=less t = f32[8] sort(p), "
        "dimensions={0}, to_apply=greater ";
    loop.init = "zero, s, " + second + ", n";
    loop.result = "ROOT r = f32[8] subtract(w1, w2)";
    const std::string text = Module(loop);
    return "HloModule m\nless { a = f32[] parameter(0) b = f32[] parameter(1) x = f32[] abs(a) "
           "y = f32[] abs(b) ROOT c = pred[] compare(x, y), direction=LT }\ngreater { a = f32[] "
           "parameter(0) b = f32[] parameter(1) x = f32[] abs(a) y = f32[] abs(b) ROOT c = pred[] "
           "compare(y, x), direction=GT }" +
           text.substr(std::string("HloModule m").size());
  };
  auto is_proved = [](const std::string& a, const std::string& b) {
    return Compare(a, b, {.execute = false}).verdict == Verdict::kProved;
  };
  EXPECT_TRUE(is_proved(module("s"), module("s")));
  EXPECT_FALSE(is_proved(module("s"), module("t")));
}

// A claim about trips that does not follow is a part of the loop.
TEST(LoopStates, OfClaimsAreNotCompared) {
  Loop more = kAll;
  more.types.push_back("f32[8]");
  more.next += ", e4";
  more.init += ", p";
  EXPECT_TRUE(IsProved(kAll, more));
  auto claimed = [](const Loop& loop) {
    std::string text = Module(loop);
    const std::string at = "body=body";
    text.insert(text.find(at) + at.size(), ", backend_config={\"known_trip_count\":{\"n\":\"5\"}}");
    return text;
  };
  for (const std::string& a : {Module(kAll), claimed(kAll)})
    EXPECT_NE(Compare(a, claimed(more), {.execute = false}).verdict, Verdict::kProved);
}

// A reduction beside the loops has one order, in the loop as behind it.
TEST(LoopStates, ReductionsBesideLoopsAreNotMadeAnew) {
  const std::string add =
      "HloModule m\nsum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }";
  auto module = [&](const std::string& operand, const std::string& result) {
    Loop loop = kAll;
    loop.types = {"s32[]", "f32[]", "f32[]", "s32[]", "s32[]"};
    loop.trip =
        "o = s32[] constant(1) i = s32[] add(e0, o) f = f32[] sine(e2) x = f32[] add(e1, f)";
    loop.next = "i, x, e2, e3, e4";
    loop.before =
        "z = f32[] constant(-0) a = f32[] reduce(p, z), dimensions={0}, to_apply=sum "
        "v = f32[8] reverse(p), dimensions={0} b = f32[] reduce(v, z), dimensions={0}, "
        "to_apply=sum ";
    loop.init = "zero, z, " + operand + ", n, n";
    loop.result = "ROOT r = f32[] subtract(w1, " + result + ")";
    std::string text = Module(loop);
    return add + text.substr(std::string("HloModule m").size());
  };
  EXPECT_TRUE(IsProved(kAll, kAll));
  auto is_proved = [](const std::string& a, const std::string& b) {
    return Compare(a, b, {.execute = false}).verdict == Verdict::kProved;
  };
  std::string fewer = module("a", "a");
  EXPECT_TRUE(is_proved(fewer, module("a", "a")));
  EXPECT_FALSE(is_proved(module("a", "a"), module("b", "a")));
  EXPECT_FALSE(is_proved(module("a", "a"), module("a", "b")));
}

// XLA's simplification of loops: counters are computed from one of them, and start where they did.
//
//   (i, j, x) { i + 1, j + 3, x + j }     ->     (i, j, x) { i + 1, j, x + j + 3 * i }
Loop TwoCounters(const std::string& start, const std::string& step, const std::string& type) {
  return {.types = {"s32[]", type + "[]", type + "[8]"},
          .trip = "o = s32[] constant(1) i = s32[] add(e0, o) k = " + type + "[] constant(" + step +
                  ") j = " + type + "[] add(e1, k) f = " + type +
                  "[8] broadcast(e1), dimensions={} x = " + type + "[8] add(e2, f)",
          .next = "i, j, x",
          .condition = "u = s32[] constant(9) ROOT c = pred[] compare(e0, u), direction=LT",
          .before = "y = " + type + "[8] convert(p) at = " + type + "[] constant(7) m = " + type +
                    "[] convert(n)",
          .init = "zero, " + start + ", y",
          .result = "ROOT r = " + type + "[8] negate(w2)"};
}

Loop OneCounter(Loop loop, const std::string& factor) {
  loop.trip = "o = s32[] constant(1) i = s32[] add(e0, o) k = s32[] constant(" + factor +
              ") d = s32[] multiply(e0, k) j = s32[] add(e1, d) "
              "f = s32[8] broadcast(j), dimensions={} x = s32[8] add(e2, f)";
  loop.next = "i, e1, x";
  return loop;
}

TEST(LoopStates, ACounterIsComputedFromAnother) {
  for (const std::string start : {"zero", "at", "m"}) {
    const Loop two = TwoCounters(start, "3", "s32"), one = OneCounter(two, "3");
    EXPECT_TRUE(IsProved(two, one)) << start;
    EXPECT_TRUE(IsProved(one, two)) << start;
    EXPECT_TRUE(IsProved(two, two)) << start;
    EXPECT_FALSE(IsProved(two, OneCounter(two, "2"))) << start;
  }
  const Loop two = TwoCounters("at", "3", "s32");
  Loop other = OneCounter(two, "3");
  other.init = "zero, zero, y";
  EXPECT_FALSE(IsProved(two, other));
  other.init = "one, at, y";
  EXPECT_FALSE(IsProved(two, other));
}

// An element that is the constant which it was is invariant.
TEST(LoopStates, AConstantElementIsInvariant) {
  const Loop handed = OneCounter(TwoCounters("at", "3", "s32"), "3");
  auto with = [&](const std::string& number) {
    Loop loop = handed;
    loop.trip += " seven = s32[] constant(" + number + ")";
    loop.next = "i, seven, x";
    return loop;
  };
  EXPECT_TRUE(IsProved(handed, with("7")));
  EXPECT_TRUE(IsProved(with("7"), handed));
  EXPECT_FALSE(IsProved(handed, with("8")));
  Loop behind = handed, behind_constant = with("7");
  behind.result = behind_constant.result = "ROOT r = s32[] negate(w1)";
  EXPECT_TRUE(IsProved(behind, behind_constant));
  behind_constant = with("8");
  behind_constant.result = behind.result;
  EXPECT_FALSE(IsProved(behind, behind_constant));
}

// A counter of 8 bits wraps around where one of 32 does not.
TEST(LoopStates, CountersOfTwoTypesDoNotLead) {
  const Loop two = {
      .types = {"s8[]", "s32[]", "s32[8]"},
      .trip =
          "o = s8[] constant(1) i = s8[] add(e0, o) k = s32[] constant(1) "
          "j = s32[] add(e1, k) f = s32[8] broadcast(e1), dimensions={} "
          "x = s32[8] add(e2, f)",
      .next = "i, j, x",
      .condition = "z = s8[] constant(-1) ROOT c = pred[] compare(e0, z), direction=NE",
      .before = "y = s32[8] convert(p) b = s8[] constant(0)",
      .init = "b, zero, y",
      .result = "ROOT r = s32[8] negate(w2)"};
  Loop one = two;
  one.trip =
      "o = s8[] constant(1) i = s8[] add(e0, o) d = s32[] convert(e0) "
      "j = s32[] add(e1, d) f = s32[8] broadcast(j), dimensions={} "
      "x = s32[8] add(e2, f)";
  one.next = "i, e1, x";
  EXPECT_FALSE(IsProved(two, one));
}

// Steps of 2 do not lead steps of 3, whose leader has steps of 1.
TEST(LoopStates, ALeaderHasADivisorOfTheStep) {
  Loop two = TwoCounters("at", "3", "s32");
  two.trip =
      "o = s32[] constant(2) i = s32[] add(e0, o) k = s32[] constant(3) "
      "j = s32[] add(e1, k) f = s32[8] broadcast(e1), dimensions={} "
      "x = s32[8] add(e2, f)";
  Loop one = OneCounter(two, "1");
  one.trip =
      "o = s32[] constant(2) i = s32[] add(e0, o) "
      "j = s32[] add(e1, e0) f = s32[8] broadcast(j), dimensions={} "
      "x = s32[8] add(e2, f)";
  EXPECT_FALSE(IsProved(two, one));
}

TEST(LoopStates, CountersBehindTheLoopAreThoseThatAreLookedAt) {
  Loop two = TwoCounters("zero", "1", "s32");
  for (const std::string seen : {"w0", "w1"}) {
    Loop a = two;
    a.result = "ROOT r = s32[] negate(" + seen + ")";
    const Loop b = {
        .types = {"s32[]"},
        .trip = "o = s32[] constant(1) i = s32[] add(e0, o)",
        .next = "i",
        .condition = "u = s32[] constant(9) ROOT c = pred[] compare(e0, u), direction=LT",
        .before = "",
        .init = "zero",
        .result = "ROOT r = s32[] negate(w0)"};
    EXPECT_TRUE(IsProved(a, b)) << seen;
    EXPECT_TRUE(IsProved(b, a)) << seen;
    a.init = "zero, one, y";
    EXPECT_EQ(IsProved(a, b), seen == "w0");
  }
}

}  // namespace
}  // namespace affirm::driver
