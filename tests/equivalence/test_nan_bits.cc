// Values in which another NaN stands are the same where numbers are asked for, and not where
// something sees the bits of a NaN: in a later instruction, in a loop, in a comparator.
#include <gtest/gtest.h>

#include "tests/equivalence/compare_modules.h"

namespace affirm::driver {
namespace {

// p, in which each NaN is the same one, or p.
constexpr const char* kOneNan =
    "n = f32[] constant(nan) nb = f32[8] broadcast(n), dimensions={} c = pred[8] compare(p, p), "
    "direction=NE s = f32[8] select(c, nb, p) ";
constexpr const char* kAnyNan = "s = f32[8] copy(p) ";

struct Reader {
  const char* name;
  std::string computations, rest;
};

Verdict Compared(const Reader& reader) {
  auto module = [&](const char* s) {
    return "HloModule m\n" + reader.computations + "ENTRY e { p = f32[8] parameter(0) " + s +
           reader.rest + " }";
  };
  return Compare(module(kOneNan), module(kAnyNan)).verdict;
}

// A loop that `body` is in: x is its array, y what it becomes.
std::string Loop(const std::string& body) {
  return "body { t = (s32[], f32[8], s32[8]) parameter(0) i = s32[] get-tuple-element(t), index=0 "
         "x = f32[8] get-tuple-element(t), index=1 " +
         body +
         " o = s32[] constant(1) j = s32[] add(i, o) ROOT r = (s32[], f32[8], s32[8]) "
         "tuple(j, x, b) }\n"
         "more { t = (s32[], f32[8], s32[8]) parameter(0) i = s32[] get-tuple-element(t), index=0 "
         "k = s32[] constant(3000) ROOT c = pred[] compare(i, k), direction=LT }\n";
}
const std::string kRunLoop =
    "z = s32[] constant(0) zb = s32[8] broadcast(z), dimensions={} t = (s32[], f32[8], s32[8]) "
    "tuple(z, s, zb) w = (s32[], f32[8], s32[8]) while(t), condition=more, body=body ROOT r = "
    "s32[8] get-tuple-element(w), index=2";

std::string Comparator(const std::string& type) {
  return "before { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), "
         "direction=LT" +
         type + " }\n";
}
const std::string kSort = "ROOT r = f32[8] sort(s), dimensions={0}, to_apply=before";

TEST(NanBits, AreSeen) {
  const Reader readers[] = {
      {"later", "",
       "i = s32[8] bitcast-convert(s) k = s32[] constant(1) ROOT r = s32[2] dynamic-slice(i, k), "
       "dynamic_slice_sizes={2}"},
      {"after arithmetic", "",
       "a = f32[8] abs(s) v = f32[8] reverse(a), dimensions={0} ROOT r = s32[8] "
       "bitcast-convert(v)"},
      {"by an unknown call", "", "ROOT r = s32[8] custom-call(s), custom_call_target=\"foo\""},
      {"by an unknown call in a loop",
       Loop("b = s32[8] custom-call(x), custom_call_target=\"foo\""), kRunLoop},
      {"by its sign alone", "",
       "ROOT r = f32[8] reduce-precision(s), exponent_bits=8, mantissa_bits=0"},
      {"in a fusion", "f { a = f32[8] parameter(0) ROOT r = s32[8] bitcast-convert(a) }\n",
       "ROOT r = s32[8] fusion(s), kind=kLoop, calls=f"},
      {"in a branch",
       "f { a = f32[8] parameter(0) ROOT r = s32[8] bitcast-convert(a) }\n"
       "g { a = f32[8] parameter(0) b = s32[8] bitcast-convert(a) ROOT r = s32[8] negate(b) }\n",
       "k = pred[] parameter(1) ROOT r = s32[8] conditional(k, s, s), true_computation=f, "
       "false_computation=g"},
      {"in a loop", Loop("b = s32[8] bitcast-convert(x)"), kRunLoop},
      {"after a loop",
       "body { t = (s32[], f32[8]) parameter(0) i = s32[] get-tuple-element(t), index=0 x = f32[8] "
       "get-tuple-element(t), index=1 o = s32[] constant(1) j = s32[] add(i, o) y = f32[8] "
       "reverse(x), dimensions={0} ROOT r = (s32[], f32[8]) tuple(j, y) }\n"
       "more { t = (s32[], f32[8]) parameter(0) i = s32[] get-tuple-element(t), index=0 k = s32[] "
       "constant(3000) ROOT c = pred[] compare(i, k), direction=LT }\n",
       "z = s32[] constant(0) t = (s32[], f32[8]) tuple(z, s) w = (s32[], f32[8]) while(t), "
       "condition=more, body=body x = f32[8] get-tuple-element(w), index=1 ROOT r = s32[8] "
       "bitcast-convert(x)"},
      {"by a comparator", Comparator(", type=TOTALORDER"), kSort},
      {"by a combiner that orders",
       "most { a = f32[] parameter(0) b = f32[] parameter(1) c = pred[] compare(a, b), "
       "direction=GT, type=TOTALORDER ROOT r = f32[] select(c, a, b) }\n",
       "z = f32[] constant(0) q = f32[] reduce(s, z), dimensions={0}, to_apply=most ROOT r = "
       "f32[8] "
       "broadcast(q), dimensions={}"},
      {"by a combiner",
       "most { a = f32[] parameter(0) b = f32[] parameter(1) x = s32[] bitcast-convert(a) y = "
       "s32[] bitcast-convert(b) m = s32[] maximum(x, y) ROOT r = f32[] bitcast-convert(m) }\n",
       "z = f32[] constant(0) q = f32[] reduce(s, z), dimensions={0}, to_apply=most ROOT r = "
       "f32[8] "
       "broadcast(q), dimensions={}"},
  };
  for (const Reader& reader : readers) EXPECT_NE(Compared(reader), Verdict::kProved) << reader.name;
}

// The state that a loop gives its next trip counts, even if no one uses it after the loop.
TEST(NanBits, ThatALoopHandsOnAreSeen) {
  auto loop = [](const std::string& seen, const std::string& next) {
    std::string body = Loop(seen + next);
    const std::string root = "tuple(j, x, b)";
    body.replace(body.find(root), root.size(), "tuple(j, s, b)");
    std::string run = kRunLoop;
    const std::string state = "tuple(z, s, zb)";
    run.replace(run.find(state), state.size(), "tuple(z, p, zb)");
    return "HloModule m\n" + body + "ENTRY e { p = f32[8] parameter(0) " + run + " }";
  };
  const std::string one_nan =
      "n = f32[] constant(nan) nb = f32[8] broadcast(n), dimensions={} c = pred[8] compare(x, x), "
      "direction=NE s = f32[8] select(c, nb, x) ";
  const std::string any_nan = "s = f32[8] copy(x) ";
  const std::string seen = "b = s32[8] bitcast-convert(x) ", unseen = "b = s32[8] convert(x) ";
  EXPECT_NE(Compare(loop(seen, one_nan), loop(seen, any_nan), {.execute = false}).verdict,
            Verdict::kProved);
  EXPECT_EQ(Compare(loop(unseen, one_nan), loop(unseen, any_nan), {.execute = false}).verdict,
            Verdict::kProved);
}

// A NaN that both compute has no bits of its own.
TEST(NanBits, OfComputedOnesAreOpen) {
  auto sorted = [](const std::string& value) {
    return "HloModule m\n" + Comparator(", type=TOTALORDER") +
           "ENTRY e { p = f32[8] parameter(0) q = f32[8] parameter(1) " + value + kSort + " }";
  };
  EXPECT_EQ(Compare(sorted("s = f32[8] subtract(p, q) "),
                    sorted("n = f32[8] negate(q) s = f32[8] add(p, n) "))
                .verdict,
            Verdict::kProved);
  const std::string quotient = "s = f32[8] divide(p, q) ",
                    product =
                        "o = f32[] constant(1) b = f32[8] broadcast(o), dimensions={} h = "
                        "f32[8] divide(b, q) s = f32[8] multiply(p, h) ";
  EXPECT_NE(Compare(sorted(quotient), sorted(product)).verdict, Verdict::kProved);
  EquivalenceOptions licensed;
  licensed.allowed_laws = {"divide.as_reciprocal"};
  EXPECT_EQ(Compare(sorted(quotient), sorted(product), licensed).verdict, Verdict::kProved);
  EXPECT_NE(Compare(sorted("z = f32[] constant(-0) b = f32[8] broadcast(z), dimensions={} s = "
                           "f32[8] add(p, b) "),
                    sorted("s = f32[8] copy(p) "))
                .verdict,
            Verdict::kProved);
}

TEST(NanBits, AreNotSeen) {
  const Reader readers[] = {
      {"a sum", "", "ROOT r = f32[8] add(s, s)"},
      {"a comparison", "",
       "z = f32[] constant(1) b = f32[8] broadcast(z), dimensions={} ROOT r = pred[8] compare(s, "
       "b), direction=LT"},
      {"a conversion", "",
       "q = s32[8] convert(s) f = f32[8] convert(q) ROOT r = s32[8] bitcast-convert(f)"},
      {"a loop", Loop("b = s32[8] convert(x)"), kRunLoop},
      {"a comparator", Comparator(""), "d = f32[8] copy(s) " + kSort},
      {"a loop, and another value's bits", Loop("b = s32[8] convert(x)"),
       kRunLoop.substr(0, kRunLoop.rfind("ROOT")) +
           "v = s32[8] get-tuple-element(w), index=2 q = f32[8] parameter(1) u = s32[8] "
           "bitcast-convert(q) ROOT r = s32[8] add(u, v)"},
  };
  for (const Reader& reader : readers) EXPECT_EQ(Compared(reader), Verdict::kProved) << reader.name;
}

}  // namespace
}  // namespace affirm::driver
