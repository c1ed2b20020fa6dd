// Loops that count evenly are proved for all their trips at once, and only those of which it holds.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "core/hlo/text.h"
#include "verify/hlo/proof/loop_trips.h"
#include "verify/hlo/proof/trip_induction.h"

namespace affirm {
namespace {

struct Loop {
  std::string type = "s32", direction = "LT";
  int64_t start = 0, step = 1, bound = 10, scale = 1, shift = 0;
};

// The counter, a value of it in the body that a slice might begin at, and an array.
std::string TextOf(const Loop& l) {
  auto constant = [&](const char* name, int64_t value) {
    return std::string("  ") + name + " = " + l.type + "[] constant(" + std::to_string(value) +
           ")\n";
  };
  const std::string one = l.type + "[]", state = "(" + one + ", f32[4])";
  return "HloModule m\nbody {\n  s = " + state + " parameter(0)\n  i = " + one +
         " get-tuple-element(s), index=0\n  x = f32[4] get-tuple-element(s), index=1\n" +
         constant("step", l.step) + constant("scale", l.scale) + constant("shift", l.shift) +
         "  scaled = " + one + " multiply(i, scale)\n  at = " + one +
         " add(scaled, shift)\n  next = " + one + " add(i, step)\n  y = f32[4] negate(x)\n" +
         "  ROOT r = " + state + " tuple(next, y)\n}\ncondition {\n  s = " + state +
         " parameter(0)\n  i = " + one + " get-tuple-element(s), index=0\n" +
         constant("bound", l.bound) +
         "  ROOT c = pred[] compare(i, bound), direction=" + l.direction +
         "\n}\nENTRY e {\n  x = f32[4] parameter(0)\n" + constant("start", l.start) +
         "  s = " + state + " tuple(start, x)\n  ROOT w = " + state +
         " while(s), condition=condition, body=body\n}\n";
}

// The trips in which numbers never leave their type, at most 60.
int64_t TripsOf(const Loop& l) {
  int64_t trips = 0;
  auto holds = [&](int64_t i) {
    if (l.direction == "LT") return i < l.bound;
    if (l.direction == "LE") return i <= l.bound;
    if (l.direction == "GT") return i > l.bound;
    if (l.direction == "GE") return i >= l.bound;
    return (i == l.bound) == (l.direction == "EQ");
  };
  for (int64_t i = l.start; holds(i) && trips < 60; i += l.step) ++trips;
  return trips;
}

class Claims {
 public:
  explicit Claims(const Loop& loop) : text_(TextOf(loop)), start_(loop.start) {
    auto module = hlo::ParseModule(text_, "test.hlo");
    EXPECT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
    module_ = std::move(*module);
  }
  // The value in trip t: first + step * t, within the bounds.
  std::vector<TripValue> Of(int64_t first, int64_t step, Interval clamp) {
    const SymbolicExpr t = context_.Dim(0);
    return {{.producer = module_->FindInstruction("at")->id,
             .clamp = clamp,
             .value = t * context_.Constant(step) + context_.Constant(first)}};
  }
  bool Proved(int64_t trips, llvm::ArrayRef<TripValue> values) const {
    return ProveTripsByInduction(ComputationsOf(While()), {int128{start_}, std::nullopt}, trips,
                                 values);
  }
  std::string Run(int64_t trips, llvm::ArrayRef<TripValue> values) const {
    std::set<int64_t> never;
    return RefuteTrips(While(), trips, values, never);
  }

 private:
  const hlo::Instruction& While() const { return *module_->FindInstruction("w"); }
  std::string text_;
  int64_t start_;
  std::unique_ptr<hlo::Module> module_;
  Context context_;
};

constexpr Interval kAny = {INT64_MIN, INT64_MAX};

TEST(TripInduction, AMillionTripsAreOneStep) {
  Claims loop({.bound = 1'000'000, .scale = 3, .shift = -1});
  EXPECT_TRUE(loop.Proved(1'000'000, loop.Of(-1, 3, kAny)));
  EXPECT_EQ(loop.Run(1'000'000, loop.Of(-1, 3, kAny)), "");
  for (int64_t trips : {999'999, 1'000'001}) EXPECT_FALSE(loop.Proved(trips, {}));
  EXPECT_FALSE(loop.Proved(1'000'000, loop.Of(-1, 2, kAny)));
  EXPECT_FALSE(loop.Proved(1'000'000, loop.Of(0, 3, kAny)));
  // Clamped in some trips alone.
  EXPECT_FALSE(loop.Proved(1'000'000, loop.Of(-1, 3, {0, INT64_MAX})));
}

// Where the counter leaves its type it is something else.
TEST(TripInduction, CountersThatWrapAreNotEven) {
  Claims loop({.type = "s8", .direction = "NE", .step = 100, .bound = -56});
  EXPECT_EQ(loop.Run(2, {}), "");
  EXPECT_FALSE(loop.Proved(2, {}));
}

// The proof for all trips agrees with running them.
RC_GTEST_PROP(TripInduction, SaysWhatRunningSays, ()) {
  Loop of;
  of.type = *rc::gen::element<std::string>("s8", "u8", "s32", "s64");
  of.direction = *rc::gen::element<std::string>("LT", "LE", "GT", "GE", "NE", "EQ");
  of.start = *rc::gen::inRange<int64_t>(0, 20);
  of.step = of.type == "u8" ? *rc::gen::inRange<int64_t>(0, 5) : *rc::gen::inRange<int64_t>(-5, 6);
  of.bound = of.start + of.step * *rc::gen::inRange<int64_t>(0, 30);
  of.scale = *rc::gen::inRange<int64_t>(0, 4);
  of.shift = *rc::gen::inRange<int64_t>(0, 3);
  Claims loop(of);
  // Few enough that they are run, and mostly the actual number of trips.
  int64_t trips = *rc::gen::inRange<int64_t>(2, 60);
  if (*rc::gen::weightedElement<bool>({{5, true}, {1, false}})) trips = TripsOf(of);
  const bool off = *rc::gen::weightedElement<bool>({{4, false}, {1, true}});
  const Interval clamp =
      *rc::gen::element(kAny, Interval{0, 10}, Interval{5, 5}, Interval{0, 1000});
  const auto values =
      loop.Of(of.start * of.scale + of.shift + (off ? 1 : 0), of.step * of.scale, clamp);
  const bool proved = loop.Proved(trips, values);
  RC_TAG(proved ? "proved" : "not proved");
  if (proved) RC_ASSERT(loop.Run(trips, values) == "");
}

}  // namespace
}  // namespace affirm
