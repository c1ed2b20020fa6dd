// Values that are needed at one time share no bytes: through loops, branches and calls, of
// constants, and of what an instruction reads and writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/text.h"
#include "driver/buffers/buffer_lives.h"
#include "driver/buffers/passed_buffers.h"

namespace affirm::driver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Place {
  std::string value;
  int64_t allocation = 0, offset = 0, size = 32;
};

// The text of an assignment of arrays of 32 bytes.
BufferAssignment Assignment(const std::vector<Place>& places) {
  std::map<int64_t, std::string> by_allocation;
  int number = 0;
  for (const Place& place : places) {
    by_allocation[place.allocation] += " value: <" + std::to_string(number++) + " " + place.value +
                                       " @0> (size=" + std::to_string(place.size) +
                                       ",offset=" + std::to_string(place.offset) + "): f32[8]{0}\n";
  }
  std::string text;
  for (const auto& [allocation, values] : by_allocation)
    text += "allocation " + std::to_string(allocation) + ": size 96, maybe-live-out:\n" + values;
  return BufferAssignment(text);
}

// "over < value, read by reader", of each conflict.
std::vector<std::string> Conflicts(const std::string& hlo, const std::vector<Place>& places) {
  auto module = hlo::ParseModule(hlo, "m.hlo");
  if (!module) {
    ADD_FAILURE() << llvm::toString(module.takeError());
    return {};
  }
  std::vector<std::string> found;
  for (const BufferConflict& c : CheckBufferLives(**module, Assignment(places)).conflicts)
    found.push_back(c.overwritten_by + " over " + c.value + ", read by " + c.read_by);
  return found;
}

// Two arrays go around: each trip reads both, and writes both.
constexpr char kLoop[] = R"(HloModule m, is_scheduled=true
condition { i = (f32[8], f32[8]) parameter(0)
  t = f32[8] get-tuple-element(i), index=0
  n = f32[8] negate(t)
  ROOT p = pred[] custom-call(n), custom_call_target="go_on" }
body { s = (f32[8], f32[8]) parameter(0)
  a = f32[8] get-tuple-element(s), index=0
  b = f32[8] get-tuple-element(s), index=1
  c = f32[8] copy(b)
  x = f32[8] add(a, c)
  y = f32[8] subtract(a, c)
  ROOT r = (f32[8], f32[8]) tuple(x, y) }
ENTRY e {
  arg = f32[8] parameter(0)
  u = f32[8] copy(arg)
  v = f32[8] copy(arg)
  init = (f32[8], f32[8]) tuple(u, v)
  w = (f32[8], f32[8]) while(init), condition=condition, body=body
  o = f32[8] get-tuple-element(w), index=0
  z = f32[8] get-tuple-element(w), index=1
  k = f32[8] negate(o)
  ROOT q = f32[8] add(k, z) })";

std::vector<Place> Loop(Place x, Place y, Place n, Place k) {
  return {{"p", 0},    {"u", 1},    {"v", 2},    {"i{0}", 1}, {"i{1}", 2},
          {"s{0}", 1}, {"s{1}", 2}, {"c", 3},    x,           y,
          n,           {"w{0}", 1}, {"w{1}", 2}, k,           {"q", 6}};
}

TEST(BufferLives, OfWhatALoopHandsOn) {
  // y may take the place of a, which it is the last to read, and x that of b.
  EXPECT_THAT(Conflicts(kLoop, Loop({"x", 2}, {"y", 1}, {"n", 4}, {"k", 5})), IsEmpty());
  EXPECT_THAT(Conflicts(kLoop, Loop({"x", 1}, {"y", 2}, {"n", 4}, {"k", 5})),
              ElementsAre("x over s{0}, read by y"));
  // The condition writes over what the body is to read.
  EXPECT_THAT(Conflicts(kLoop, Loop({"x", 2}, {"y", 1}, {"n", 2}, {"k", 5})),
              ElementsAre("n over i{1}, read by i"));
  // The result of the loop is read after k.
  EXPECT_THAT(Conflicts(kLoop, Loop({"x", 2}, {"y", 1}, {"n", 4}, {"k", 1})), IsEmpty());
  EXPECT_THAT(Conflicts(kLoop, Loop({"x", 2}, {"y", 1}, {"n", 4}, {"k", 2})),
              ElementsAre("k over w{1}, read by q"));
}

constexpr char kBranch[] = R"(HloModule m, is_scheduled=true
f { a = f32[8] parameter(0) ROOT n = f32[8] negate(a) }
g { b = f32[8] parameter(0) ROOT m = f32[8] cosine(b) }
ENTRY e {
  p = pred[] parameter(0)
  x = f32[8] parameter(1)
  c = f32[8] conditional(p, x, x), true_computation=f, false_computation=g
  s = f32[8] sine(x)
  t = f32[8] negate(s)
  ROOT r = f32[8] add(c, t) })";

TEST(BufferLives, OfWhatABranchGives) {
  auto with = [](int64_t s, int64_t t) {
    return std::vector<Place>{{"x", 0}, {"n", 1}, {"m", 1}, {"c", 1}, {"s", s}, {"t", t}, {"r", 4}};
  };
  EXPECT_THAT(Conflicts(kBranch, with(2, 3)), IsEmpty());
  EXPECT_THAT(Conflicts(kBranch, with(1, 3)), ElementsAre("s over c, read by r"));
  EXPECT_THAT(Conflicts(kBranch, with(2, 1)), ElementsAre("t over c, read by r"));
}

// A call has no place of its own: what it gives is what was made there.
TEST(BufferLives, OfWhatACallGives) {
  const std::string call = R"(HloModule m, is_scheduled=true
f { a = f32[8] parameter(0) ROOT n = f32[8] negate(a) }
ENTRY e {
  x = f32[8] parameter(0)
  c = f32[8] call(x), to_apply=f
  s = f32[8] sine(x)
  t = f32[8] negate(s)
  ROOT r = f32[8] add(c, t) })";
  auto with = [](int64_t s, int64_t t) {
    return std::vector<Place>{{"x", 0}, {"n", 1}, {"s", s}, {"t", t}, {"r", 4}};
  };
  EXPECT_THAT(Conflicts(call, with(2, 3)), IsEmpty());
  EXPECT_THAT(Conflicts(call, with(1, 3)), ElementsAre("s over n, read by r"));
  EXPECT_THAT(Conflicts(call, with(2, 1)), ElementsAre("t over n, read by r"));
}

TEST(PassedBuffers, WhatRunsTwiceHasTwoLives) {
  auto module = hlo::ParseModule(R"(HloModule m, is_scheduled=true
f { a = f32[8] parameter(0) ROOT n = f32[8] negate(a) }
ENTRY e {
  x = f32[8] parameter(0)
  c = f32[8] call(x), to_apply=f
  ROOT d = f32[8] call(c), to_apply=f })",
                                 "m.hlo");
  const std::vector<std::string> problems = CheckPassedBuffers(
      *llvm::cantFail(std::move(module)), Assignment({{"x", 0}, {"n", 1}, {"c", 1}, {"d", 1}}));
  EXPECT_THAT(problems, ::testing::Contains("computation f is run from two places"));
}

TEST(BufferLives, OfConstants) {
  auto conflicts = [](const std::string& first, const std::string& second, int64_t t) {
    return Conflicts(
        "HloModule m, is_scheduled=true\nENTRY e { p = f32[8] parameter(0)\n"
        "c = f32[8] constant({" +
            first +
            "})\n s = f32[8] add(p, c)\n"
            "d = f32[8] constant({" +
            second +
            "})\n t = f32[8] add(s, d)\n"
            "ROOT r = f32[8] negate(t) }",
        {{"p", 0}, {"c", 1}, {"s", 2}, {"d", 1}, {"t", t}, {"r", 4}});
  };
  const std::string ones = "1,1,1,1,1,1,1,1", others = "1,1,1,1,1,1,1,2";
  EXPECT_THAT(conflicts(ones, ones, 3), IsEmpty());
  EXPECT_THAT(conflicts(ones, others, 3), ElementsAre(HasSubstr("read by the caller")));
  EXPECT_EQ(conflicts(ones, ones, 1).size(), 2u);  // t over both
}

std::vector<std::string> Problems(const std::vector<Place>& places) {
  auto module = hlo::ParseModule(
      "HloModule m, is_scheduled=true\nENTRY e { p = f32[8] parameter(0)\n"
      "a = f32[8] sine(p)\n ROOT c = f32[8] copy(a) }",
      "m.hlo");
  return CheckPassedBuffers(*llvm::cantFail(std::move(module)), Assignment(places));
}

TEST(PassedBuffers, AResultIsInThePlaceOfAnOperandOrApart) {
  EXPECT_THAT(Problems({{"a", 1}, {"c", 1}}), IsEmpty());
  EXPECT_THAT(Problems({{"a", 1}, {"c", 1, 32}}), IsEmpty());
  EXPECT_THAT(Problems({{"a", 1, 16}, {"c", 1}}),
              ElementsAre(HasSubstr("c writes over a part of its operand a")));
}

TEST(PassedBuffers, WhatIsMadeHasAPlace) {
  EXPECT_THAT(Problems({{"c", 1}}),
              ElementsAre("the buffer assignment has no place of array 0 of a"));
  EXPECT_THAT(Problems({{"a", 1}}),
              ElementsAre("the buffer assignment has no place of array 0 of c"));
}

// Copies are of as many bytes as the buffers have: what lies behind them would be left out.
TEST(PassedBuffers, APlaceHasRoomForItsArray) {
  EXPECT_THAT(Problems({{"a", 1}, {"c", 2, 0, 40}}), IsEmpty());
  EXPECT_THAT(Problems({{"a", 1, 0, 4}, {"c", 2}}),
              ElementsAre("array 0 of a has 32 bytes, and a place of 4"));
  EXPECT_THAT(Problems({{"a", 1}, {"c", 2, 0, 0}}),
              ElementsAre("array 0 of c has 32 bytes, and a place of 0"));
}

}  // namespace
}  // namespace affirm::driver
