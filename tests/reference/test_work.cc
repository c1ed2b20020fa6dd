// The interpreter counts element operations: each trip of a loop, each summand of a dot.
#include <gtest/gtest.h>

#include <string>

#include "tests/parse_module.h"
#include "verify/reference/interpreter.h"
#include "verify/reference/work.h"

namespace affirm::hlo {
namespace {

int64_t OperationsOf(const std::string& body) {
  const auto module = testing::ParseOrFail(
      "sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
      "less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), "
      "direction=LT }\nENTRY e { x = f32[8,16] parameter(0) y = f32[16,4] parameter(1) "
      "z = f32[] parameter(2) " +
      body + " }");
  return module ? ElementOperations(*module->entry->root) - kOfInstruction : -1;
}

TEST(Work, OfAnInstructionIsThatOfItsElements) {
  EXPECT_EQ(OperationsOf("ROOT r = f32[8,16] negate(x)"), 8 * 16);
  EXPECT_EQ(OperationsOf("ROOT r = f32[8,4] dot(x, y), lhs_contracting_dims={1}, "
                         "rhs_contracting_dims={0}"),
            8 * 4 * 16);
  EXPECT_EQ(OperationsOf("ROOT r = f32[8] reduce(x, z), dimensions={1}, to_apply=sum"), 8 * 16 + 1);
  EXPECT_EQ(OperationsOf("ROOT r = f32[8,14] reduce-window(x, z), window={size=1x3}, to_apply=sum"),
            8 * 14 * 3);
  EXPECT_EQ(OperationsOf("ROOT r = f32[8,16] sort(x), dimensions={1}, to_apply=less"), 8 * 16 * 5);
  EXPECT_EQ(OperationsOf("ROOT r = (f32[], f32[8,16]) tuple(z, x)"), 1 + 8 * 16);
}

// A loop that adds 1 until it has the number.
std::string Loop(int64_t trips) {
  return "c { i = s32[] parameter(0) n = s32[] constant(" + std::to_string(trips) +
         ") ROOT r = pred[] compare(i, n), direction=LT }\n"
         "b { i = s32[] parameter(0) o = s32[] constant(1) ROOT j = s32[] add(i, o) }\n"
         "ENTRY e { z = s32[] constant(0) ROOT w = s32[] while(z), condition=c, body=b }\n";
}

TEST(Work, OfLoopsIsThatOfAllTrips) {
  auto done = [](int64_t trips) {
    const auto module = testing::ParseOrFail(Loop(trips));
    WorkMeter meter;
    InterpretOptions options;
    options.meter = &meter;
    auto value = Interpret(*module->entry, {}, options);
    EXPECT_TRUE(static_cast<bool>(value)) << llvm::toString(value.takeError());
    return meter.done;
  };
  // Two instructions in the condition, two in the body, each on one element.
  EXPECT_EQ(done(101) - done(100), 4 * (kOfInstruction + 1));
}

TEST(Work, BeyondTheLimitIsAnError) {
  const auto module = testing::ParseOrFail(Loop(1000));
  WorkMeter meter{.most = 1000};
  InterpretOptions options;
  options.meter = &meter;
  auto value = Interpret(*module->entry, {}, options);
  ASSERT_FALSE(static_cast<bool>(value));
  EXPECT_NE(llvm::toString(value.takeError()).find("beyond the 1000 element operations"),
            std::string::npos);
  EXPECT_TRUE(meter.IsExceeded());
  // The next one ends at once: the count goes on.
  auto next = Interpret(*module->entry, {}, options);
  EXPECT_FALSE(static_cast<bool>(next));
  llvm::consumeError(next.takeError());
}

TEST(Work, Saturates) {
  WorkMeter meter;
  meter.Add(meter.most);
  meter.Add(meter.most);
  EXPECT_EQ(meter.done, meter.most);
  EXPECT_FALSE(meter.IsExceeded());
}

}  // namespace
}  // namespace affirm::hlo
