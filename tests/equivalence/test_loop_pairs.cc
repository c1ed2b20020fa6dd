// Pairs of modules with loops that are not one, each wrongly proved once.
#include <gtest/gtest.h>

#include <string>

#include "tests/equivalence/compare_modules.h"

namespace affirm::driver {
namespace {

// A's inner loop ends in each trip that it makes; in a condition it runs once more, and for ever.
TEST(LoopPairs, ALoopOfTheBodyIsNoneOfTheCondition) {
  const std::string in_body = R"(HloModule l4
ic { s = (s8[], s8[]) parameter(0)
 z = s8[] get-tuple-element(s), index=0
 c0 = s8[] constant(0)
 ROOT r = pred[] compare(z, c0), direction=NE }
ib { s = (s8[], s8[]) parameter(0)
 z = s8[] get-tuple-element(s), index=0
 w = s8[] get-tuple-element(s), index=1
 c2 = s8[] constant(2)
 n = s8[] subtract(z, c2)
 c3 = s8[] constant(3)
 v = s8[] multiply(w, c3)
 ROOT r = (s8[], s8[]) tuple(n, v) }
oc { s = (s8[], s8[], s8[]) parameter(0)
 i = s8[] get-tuple-element(s), index=0
 n = s8[] get-tuple-element(s), index=2
 ROOT r = pred[] compare(i, n), direction=LT }
ob { s = (s8[], s8[], s8[]) parameter(0)
 i = s8[] get-tuple-element(s), index=0
 x = s8[] get-tuple-element(s), index=1
 n = s8[] get-tuple-element(s), index=2
 t = (s8[], s8[]) tuple(x, i)
 l = (s8[], s8[]) while(t), condition=ic, body=ib
 y = s8[] get-tuple-element(l), index=1
 c1 = s8[] constant(1)
 j = s8[] add(i, c1)
 m = s8[] add(x, y)
 ROOT r = (s8[], s8[], s8[]) tuple(j, m, n) }
ENTRY e { n = s8[] parameter(0)
 x = s8[] parameter(1)
 c0 = s8[] constant(0)
 t = (s8[], s8[], s8[]) tuple(c0, x, n)
 w = (s8[], s8[], s8[]) while(t), condition=oc, body=ob
 ROOT r = s8[] get-tuple-element(w), index=1 })";
  const std::string in_condition = R"(HloModule l4
ic { s = (s8[], s8[]) parameter(0)
 z = s8[] get-tuple-element(s), index=0
 c0 = s8[] constant(0)
 ROOT r = pred[] compare(z, c0), direction=NE }
ib { s = (s8[], s8[]) parameter(0)
 z = s8[] get-tuple-element(s), index=0
 w = s8[] get-tuple-element(s), index=1
 c2 = s8[] constant(2)
 n = s8[] subtract(z, c2)
 c3 = s8[] constant(3)
 v = s8[] multiply(w, c3)
 ROOT r = (s8[], s8[]) tuple(n, v) }
oc { s = (s8[], s8[], s8[]) parameter(0)
 i = s8[] get-tuple-element(s), index=0
 x = s8[] get-tuple-element(s), index=1
 n = s8[] get-tuple-element(s), index=2
 t = (s8[], s8[]) tuple(x, i)
 l = (s8[], s8[]) while(t), condition=ic, body=ib
 y = s8[] get-tuple-element(l), index=1
 d = s8[] subtract(y, y)
 k = s8[] add(i, d)
 ROOT r = pred[] compare(k, n), direction=LT }
ob { s = (s8[], s8[], s8[]) parameter(0)
 i = s8[] get-tuple-element(s), index=0
 x = s8[] get-tuple-element(s), index=1
 n = s8[] get-tuple-element(s), index=2
 t = (s8[], s8[]) tuple(x, i)
 l = (s8[], s8[]) while(t), condition=ic, body=ib
 y = s8[] get-tuple-element(l), index=1
 c1 = s8[] constant(1)
 j = s8[] add(i, c1)
 m = s8[] add(x, y)
 ROOT r = (s8[], s8[], s8[]) tuple(j, m, n) }
ENTRY e { n = s8[] parameter(0)
 x = s8[] parameter(1)
 c0 = s8[] constant(0)
 t = (s8[], s8[], s8[]) tuple(c0, x, n)
 w = (s8[], s8[], s8[]) while(t), condition=oc, body=ob
 ROOT r = s8[] get-tuple-element(w), index=1 })";
  EXPECT_NE(Compare(in_body, in_condition).verdict, Verdict::kProved);
}

// Element 2 of ((), s32[], s32[]) is its second array.
TEST(LoopPairs, AnEmptyTupleHasNoArray) {
  const std::string of_second = R"(HloModule d
bc { s = (s32[], s32[]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 n = s32[] get-tuple-element(s), index=1
 ROOT r = pred[] compare(i, n), direction=LT }
bb { s = (s32[], s32[]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 n = s32[] get-tuple-element(s), index=1
 one = s32[] constant(1)
 j = s32[] add(i, one)
 ROOT r = (s32[], s32[]) tuple(j, n) }
c { s = (s32[], s32[], s32[]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 n = s32[] constant(100)
 ROOT r = pred[] compare(i, n), direction=LT }
b { s = (s32[], s32[], s32[]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 x = s32[] get-tuple-element(s), index=1
 v = s32[] get-tuple-element(s), index=2
 one = s32[] constant(1)
 j = s32[] add(i, one)
 y = s32[] multiply(x, v)
 ROOT r = (s32[], s32[], s32[]) tuple(j, y, v) }
dc { s = ((), s32[], s32[]) parameter(0)
 i = s32[] get-tuple-element(s), index=1
 n = s32[] get-tuple-element(s), index=2
 ROOT r = pred[] compare(i, n), direction=LT }
db { s = ((), s32[], s32[]) parameter(0)
 e = () get-tuple-element(s), index=0
 i = s32[] get-tuple-element(s), index=1
 n = s32[] get-tuple-element(s), index=2
 k = s32[] add(n, i)
 one = s32[] constant(1)
 m = s32[] subtract(n, one)
 ROOT r = ((), s32[], s32[]) tuple(e, k, m) }
ENTRY e { x = s32[] parameter(0)
 y = s32[] parameter(1)
 em = () tuple()
 t2 = ((), s32[], s32[]) tuple(em, x, y)
 f = ((), s32[], s32[]) while(t2), condition=dc, body=db
 f1 = s32[] get-tuple-element(f), index=1
 f2 = s32[] get-tuple-element(f), index=2
 t3 = (s32[], s32[]) tuple(x, y)
 h = (s32[], s32[]) while(t3), condition=bc, body=bb
 g = s32[] get-tuple-element(h), index=0
 c0 = s32[] constant(0)
 t = (s32[], s32[], s32[]) tuple(c0, x, f2)
 w = (s32[], s32[], s32[]) while(t), condition=c, body=b
 w1 = s32[] get-tuple-element(w), index=1
 ROOT r = (s32[], s32[], s32[], s32[]) tuple(w1, f1, f2, g) })";
  const std::string of_other = R"(HloModule d
bc { s = (s32[], s32[]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 n = s32[] get-tuple-element(s), index=1
 ROOT r = pred[] compare(i, n), direction=LT }
bb { s = (s32[], s32[]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 n = s32[] get-tuple-element(s), index=1
 one = s32[] constant(1)
 j = s32[] add(i, one)
 ROOT r = (s32[], s32[]) tuple(j, n) }
c { s = (s32[], s32[], s32[]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 n = s32[] constant(100)
 ROOT r = pred[] compare(i, n), direction=LT }
b { s = (s32[], s32[], s32[]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 x = s32[] get-tuple-element(s), index=1
 v = s32[] get-tuple-element(s), index=2
 one = s32[] constant(1)
 j = s32[] add(i, one)
 y = s32[] multiply(x, v)
 ROOT r = (s32[], s32[], s32[]) tuple(j, y, v) }
dc { s = ((), s32[], s32[]) parameter(0)
 i = s32[] get-tuple-element(s), index=1
 n = s32[] get-tuple-element(s), index=2
 ROOT r = pred[] compare(i, n), direction=LT }
db { s = ((), s32[], s32[]) parameter(0)
 e = () get-tuple-element(s), index=0
 i = s32[] get-tuple-element(s), index=1
 n = s32[] get-tuple-element(s), index=2
 k = s32[] add(n, i)
 one = s32[] constant(1)
 m = s32[] subtract(n, one)
 ROOT r = ((), s32[], s32[]) tuple(e, k, m) }
ENTRY e { x = s32[] parameter(0)
 y = s32[] parameter(1)
 em = () tuple()
 t2 = ((), s32[], s32[]) tuple(em, x, y)
 f = ((), s32[], s32[]) while(t2), condition=dc, body=db
 f1 = s32[] get-tuple-element(f), index=1
 f2 = s32[] get-tuple-element(f), index=2
 t3 = (s32[], s32[]) tuple(x, y)
 h = (s32[], s32[]) while(t3), condition=bc, body=bb
 g = s32[] get-tuple-element(h), index=0
 c0 = s32[] constant(0)
 t = (s32[], s32[], s32[]) tuple(c0, x, g)
 w = (s32[], s32[], s32[]) while(t), condition=c, body=b
 w1 = s32[] get-tuple-element(w), index=1
 ROOT r = (s32[], s32[], s32[], s32[]) tuple(w1, f1, f2, g) })";
  EXPECT_NE(Compare(of_second, of_other).verdict, Verdict::kProved);
  EXPECT_EQ(Compare(of_second, of_second).verdict, Verdict::kProved);
}

// A loop that gives nothing that is needed is dropped with the tuple that it is in, and must end.
TEST(LoopPairs, ALoopBehindATupleIsNotNeeded) {
  const std::string without = R"(HloModule m
ic { s = (s8[], s8[]) parameter(0)
 z = s8[] get-tuple-element(s), index=0
 c0 = s8[] constant(0)
 ROOT r = pred[] compare(z, c0), direction=NE }
ib { s = (s8[], s8[]) parameter(0)
 z = s8[] get-tuple-element(s), index=0
 w = s8[] get-tuple-element(s), index=1
 c2 = s8[] constant(2)
 n = s8[] subtract(z, c2)
 c3 = s8[] constant(3)
 v = s8[] multiply(w, c3)
 ROOT r = (s8[], s8[]) tuple(n, v) }
oc { s = (s8[], s8[], s8[]) parameter(0)
 i = s8[] get-tuple-element(s), index=0
 n = s8[] get-tuple-element(s), index=2
 ROOT r = pred[] compare(i, n), direction=LT }
ob { s = (s8[], s8[], s8[]) parameter(0)
 i = s8[] get-tuple-element(s), index=0
 x = s8[] get-tuple-element(s), index=1
 n = s8[] get-tuple-element(s), index=2
 c1 = s8[] constant(1)
 j = s8[] add(i, c1)
 m = s8[] add(x, c1)
 ROOT r = (s8[], s8[], s8[]) tuple(j, m, n) }
ENTRY e { n = s8[] parameter(0)
 x = s8[] parameter(1)
 c0 = s8[] constant(0)
 t = (s8[], s8[], s8[]) tuple(c0, x, n)
 w = (s8[], s8[], s8[]) while(t), condition=oc, body=ob
 ROOT r = s8[] get-tuple-element(w), index=1 })";
  const std::string with_loop = R"(HloModule m
ic { s = (s8[], s8[]) parameter(0)
 z = s8[] get-tuple-element(s), index=0
 c0 = s8[] constant(0)
 ROOT r = pred[] compare(z, c0), direction=NE }
ib { s = (s8[], s8[]) parameter(0)
 z = s8[] get-tuple-element(s), index=0
 w = s8[] get-tuple-element(s), index=1
 c2 = s8[] constant(2)
 n = s8[] subtract(z, c2)
 c3 = s8[] constant(3)
 v = s8[] multiply(w, c3)
 ROOT r = (s8[], s8[]) tuple(n, v) }
oc { s = (s8[], s8[], s8[]) parameter(0)
 i = s8[] get-tuple-element(s), index=0
 n = s8[] get-tuple-element(s), index=2
 ROOT r = pred[] compare(i, n), direction=LT }
ob { s = (s8[], s8[], s8[]) parameter(0)
 i = s8[] get-tuple-element(s), index=0
 x = s8[] get-tuple-element(s), index=1
 n = s8[] get-tuple-element(s), index=2
 lt = (s8[], s8[]) tuple(x, n)
 l = (s8[], s8[]) while(lt), condition=ic, body=ib
 y = s8[] get-tuple-element(l), index=1
 p = (s8[], s8[]) tuple(y, x)
 q = s8[] get-tuple-element(p), index=1
 c1 = s8[] constant(1)
 j = s8[] add(i, c1)
 m = s8[] add(q, c1)
 ROOT r = (s8[], s8[], s8[]) tuple(j, m, n) }
ENTRY e { n = s8[] parameter(0)
 x = s8[] parameter(1)
 c0 = s8[] constant(0)
 t = (s8[], s8[], s8[]) tuple(c0, x, n)
 w = (s8[], s8[], s8[]) while(t), condition=oc, body=ob
 ROOT r = s8[] get-tuple-element(w), index=1 })";
  EXPECT_NE(Compare(without, with_loop).verdict, Verdict::kProved);
}

// One reduction of A is two of B, one of which a loop takes: they may have two orders.
TEST(LoopPairs, AReductionBesideALoopHasOneOrder) {
  const std::string one = R"(HloModule m
f { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT r = f32[] add(a, b) }
c { s = (s32[], f32[], f32[]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 n = s32[] constant(100)
 ROOT r = pred[] compare(i, n), direction=LT }
b { s = (s32[], f32[], f32[]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 x = f32[] get-tuple-element(s), index=1
 v = f32[] get-tuple-element(s), index=2
 one = s32[] constant(1)
 j = s32[] add(i, one)
 u = f32[] negate(v)
 h = f32[] constant(0.5)
 y = f32[] multiply(x, h)
 z = f32[] add(y, u)
 ROOT r = (s32[], f32[], f32[]) tuple(j, z, v) }
ENTRY e { x = f32[50] parameter(0)
 y = f32[] parameter(1)
 zero = f32[] constant(0)
 c0 = s32[] constant(0)
 r = f32[] reduce(x, zero), dimensions={0}, to_apply=f, frontend_attributes={k="p"}
 t = (s32[], f32[], f32[]) tuple(c0, y, r)
 w = (s32[], f32[], f32[]) while(t), condition=c, body=b
 w1 = f32[] get-tuple-element(w), index=1
 ROOT o = (f32[], f32[]) tuple(w1, r) })";
  const std::string two = R"(HloModule m
f { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT r = f32[] add(a, b) }
c { s = (s32[], f32[], f32[1]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 n = s32[] constant(100)
 ROOT r = pred[] compare(i, n), direction=LT }
b { s = (s32[], f32[], f32[1]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 x = f32[] get-tuple-element(s), index=1
 v = f32[1] get-tuple-element(s), index=2
 one = s32[] constant(1)
 j = s32[] add(i, one)
 u0 = f32[] reshape(v)
 u = f32[] negate(u0)
 h = f32[] constant(0.5)
 y = f32[] multiply(x, h)
 z = f32[] add(y, u)
 ROOT r = (s32[], f32[], f32[1]) tuple(j, z, v) }
ENTRY e { x = f32[50] parameter(0)
 y = f32[] parameter(1)
 zero = f32[] constant(0)
 c0 = s32[] constant(0)
 r = f32[] reduce(x, zero), dimensions={0}, to_apply=f, frontend_attributes={k="p"}
 r2 = f32[] reduce(x, zero), dimensions={0}, to_apply=f, frontend_attributes={k="q"}
 rr = f32[1] reshape(r)
 t = (s32[], f32[], f32[1]) tuple(c0, y, rr)
 w = (s32[], f32[], f32[1]) while(t), condition=c, body=b
 w1 = f32[] get-tuple-element(w), index=1
 ROOT o = (f32[], f32[]) tuple(w1, r2) })";
  const std::string right = R"(HloModule m
f { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT r = f32[] add(a, b) }
c { s = (s32[], f32[], f32[1]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 n = s32[] constant(100)
 ROOT r = pred[] compare(i, n), direction=LT }
b { s = (s32[], f32[], f32[1]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 x = f32[] get-tuple-element(s), index=1
 v = f32[1] get-tuple-element(s), index=2
 one = s32[] constant(1)
 j = s32[] add(i, one)
 u0 = f32[] reshape(v)
 u = f32[] negate(u0)
 h = f32[] constant(0.5)
 y = f32[] multiply(x, h)
 z = f32[] add(y, u)
 ROOT r = (s32[], f32[], f32[1]) tuple(j, z, v) }
ENTRY e { x = f32[50] parameter(0)
 y = f32[] parameter(1)
 zero = f32[] constant(0)
 c0 = s32[] constant(0)
 r = f32[] reduce(x, zero), dimensions={0}, to_apply=f, frontend_attributes={k="p"}
 rr = f32[1] reshape(r)
 t = (s32[], f32[], f32[1]) tuple(c0, y, rr)
 w = (s32[], f32[], f32[1]) while(t), condition=c, body=b
 w1 = f32[] get-tuple-element(w), index=1
 ROOT o = (f32[], f32[]) tuple(w1, r) })";
  EXPECT_NE(Compare(one, two).verdict, Verdict::kProved);
  EXPECT_EQ(Compare(one, right).verdict, Verdict::kProved);
}

}  // namespace
}  // namespace affirm::driver
