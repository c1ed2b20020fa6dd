// How often two modules are executed: what is proved within a budget of element operations, and
// what is not executed is not counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "driver/equivalence/paired_argument_sets.h"
#include "tests/equivalence/compare_modules.h"

namespace affirm::driver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A negates twice, B reverses twice: two operations on each element, in either.
ModuleEquivalence CompareRows(int64_t rows) {
  const std::string type = "f32[" + std::to_string(rows) + ",1024]";
  auto twice = [&](const std::string& op) {
    return Entry("x = " + type + " parameter(0) y = " + type + " " + op + " ROOT z = " + type +
                 " " + std::string(op).replace(op.find("(x)"), 3, "(y)"));
  };
  return Compare(twice("negate(x)"), twice("reverse(x), dimensions={1}"));
}

TEST(ExecutionBudget, ProvedModulesAreExecutedOnAsManySetsAsFit) {
  const ModuleEquivalence small = CompareRows(4);
  EXPECT_EQ(small.verdict, Verdict::kProved);
  EXPECT_EQ(small.sets, kNumKinds);
  EXPECT_EQ(small.elements, kNumKinds * 4 * 1024);
  EXPECT_EQ(small.not_executed, "");
  // A set takes 2^22 operations and a few: three fit 2^24, and the fourth ends in its last one.
  const ModuleEquivalence large = CompareRows(1024);
  EXPECT_EQ(large.verdict, Verdict::kProved);
  EXPECT_EQ(large.sets, 3);
  EXPECT_EQ(large.elements, 3 * 1024 * 1024) << "what was not compared is not counted";
  EXPECT_THAT(large.not_executed, HasSubstr("beyond the 16777216 element operations"));
}

TEST(ExecutionBudget, ProvedModulesThatDoNotFitAreNotExecuted) {
  const ModuleEquivalence huge = CompareRows(8192);
  EXPECT_EQ(huge.verdict, Verdict::kProved);
  EXPECT_EQ(huge.sets, 0);
  EXPECT_EQ(huge.elements, 0);
  EXPECT_THAT(huge.not_executed, HasSubstr("beyond the 16777216 element operations"));
}

// Trips count as often as they run.
TEST(ExecutionBudget, LoopsCountEachTrip) {
  auto loop = [](int64_t trips, const std::string& step) {
    return R"(HloModule m
c { p = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(p), index=0
  n = s32[] constant()" +
           std::to_string(trips) + R"() ROOT r = pred[] compare(i, n), direction=LT }
b { p = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(p), index=0
  o = s32[] constant(1) j = s32[] add(i, o) x = f32[4] get-tuple-element(p), index=1
  )" + step +
           " ROOT t = (s32[], f32[4]) tuple(j, y) }\n" +
           Entry(
               "x = f32[4] parameter(0) z = s32[] constant(0) "
               "t = (s32[], f32[4]) tuple(z, x) "
               "w = (s32[], f32[4]) while(t), condition=c, body=b "
               "ROOT r = f32[4] get-tuple-element(w), index=1");
  };
  auto compare = [&](int64_t trips) {
    return Compare(loop(trips, "y = f32[4] negate(x)"),
                   loop(trips,
                        "k = f32[4] reverse(x), dimensions={0} m = f32[4] negate(k) "
                        "y = f32[4] reverse(m), dimensions={0}"));
  };
  const ModuleEquivalence few = compare(10), many = compare(100'000);
  EXPECT_EQ(few.verdict, Verdict::kProved);
  EXPECT_EQ(many.verdict, Verdict::kProved);
  EXPECT_EQ(few.sets, 1);
  EXPECT_EQ(many.sets, 0);
  EXPECT_THAT(many.not_executed, HasSubstr("beyond the 16777216 element operations"));
}

// Something is not proved: rare values come after one set of numbers as any.
TEST(ExecutionBudget, RareValuesComeFirst) {
  const auto module = testing::ParseOrFail(Entry("x = f32[4] parameter(0) ROOT n = f32[4] abs(x)"));
  ASSERT_TRUE(module);
  const PairedArgumentSets sets(*module->entry, *module->entry, 0);
  const std::vector<int64_t> order = sets.Order(/*rare_first=*/true);
  std::vector<std::string> kinds;
  for (int64_t set : order) kinds.push_back(sets.KindOf(set));
  EXPECT_THAT(std::vector(kinds.begin(), kinds.begin() + kNumKinds),
              ElementsAre("small", "special", "wide", "rows", "rounding"));
  const auto last = std::find_if(kinds.rbegin(), kinds.rend(), [](const std::string& kind) {
    return kind == "uniform" || kind == "special";
  });
  const auto first = std::find(kinds.begin() + kNumKinds, kinds.end(), "constants");
  EXPECT_LT(kinds.rend() - last - 1, first - kinds.begin());
  // Each set once, whatever the order.
  std::vector<int64_t> all = order;
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, sets.Order(/*rare_first=*/false));
  EXPECT_EQ(std::ssize(all), sets.size());
}

// The budget of what is proved takes nothing from what is not.
TEST(ExecutionBudget, ModulesThatAreNotProvedAreExecutedOnAllSets) {
  const std::string x = "x = s64[64,1024] parameter(0) n = s64[64,1024] not(x) ";
  // The bits that are set, and those that are not, are 64.
  const std::string a = Entry(x + "p = s64[64,1024] popcnt(x) q = s64[64,1024] popcnt(n) " +
                              "ROOT r = s64[64,1024] add(p, q)");
  const std::string b =
      Entry(x + "c = s64[] constant(64) ROOT r = s64[64,1024] broadcast(c), dimensions={}");
  const ModuleEquivalence of = Compare(a, b);
  ASSERT_EQ(of.verdict, Verdict::kExecuted);
  const auto entry = testing::ParseOrFail(a);
  EXPECT_EQ(of.sets, PairedArgumentSets(*entry->entry, *entry->entry, 0).size());
  EXPECT_EQ(of.not_executed, "");
}

}  // namespace
}  // namespace affirm::driver
