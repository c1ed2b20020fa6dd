// Cumulative windows written as steps are the windows, and what kernels take in steps is proved to
// be one.
#include <gtest/gtest.h>

#include <algorithm>

#include "emit/plan/expand.h"
#include "tests/parse_module.h"
#include "verify/equivalence/cumulative_steps.h"
#include "verify/equivalence/flatten.h"
#include "verify/equivalence/prove.h"
#include "verify/reference/arguments.h"
#include "verify/reference/compare.h"
#include "verify/reference/interpreter.h"

namespace affirm::equivalence {
namespace {

std::string Window(const std::string& operation, int64_t size, const std::string& padding) {
  const std::string shape = "s32[2," + std::to_string(size) + "]";
  return "f { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] " + operation +
         "(a, b) }\nENTRY e { p = " + shape +
         " parameter(0) init = s32[] parameter(1) ROOT r = " + shape +
         " reduce-window(p, init), window={size=1x" + std::to_string(size) + " pad=0_0x" + padding +
         "}, to_apply=f }";
}

std::string Padding(int64_t size, bool from_start) {
  const std::string most = std::to_string(size - 1);
  return from_start ? most + "_0" : "0_" + most;
}

bool IsProved(const hlo::Computation& a, const hlo::Computation& b) {
  return ProveEquivalent(*WithCumulativeSteps(*Flattened(a)), *Flattened(b), {}).proved();
}

TEST(CumulativeSteps, AreTheWindow) {
  for (const char* operation : {"add", "multiply", "minimum", "or"}) {
    for (int64_t size : {2, 3, 4, 7, 8, 9, 31, 64, 100}) {
      for (bool from_start : {true, false}) {
        auto module = testing::ParseOrFail(Window(operation, size, Padding(size, from_start)));
        ASSERT_TRUE(module);
        ASSERT_TRUE(IsCumulative(*module->entry->root));
        const auto steps = WithCumulativeSteps(*module->entry);
        EXPECT_TRUE(std::none_of(steps->instructions.begin(), steps->instructions.end(),
                                 [](const auto& op) { return IsCumulative(*op); }));
        const auto arguments = hlo::MakeArguments(*module->entry, 3, hlo::ArgumentKind::kRounding);
        auto wanted = hlo::Interpret(*module->entry, arguments);
        auto made = hlo::Interpret(*steps, arguments);
        ASSERT_TRUE(wanted && made);
        EXPECT_TRUE(*wanted == *made) << operation << " " << size << " " << from_start;
      }
    }
  }
}

TEST(CumulativeSteps, AreWhatKernelsTake) {
  for (int64_t size : {40, 1000, 1 << 16}) {
    for (bool from_start : {true, false}) {
      auto module = testing::ParseOrFail(Window("add", size, Padding(size, from_start)));
      auto other = testing::ParseOrFail(Window("add", size, Padding(size, !from_start)));
      ASSERT_TRUE(module && other);
      const emit::Expansion kernels = emit::Expand(*module->entry);
      ASSERT_NE(kernels.module, nullptr);
      EXPECT_TRUE(IsProved(*module->entry, *kernels.computation)) << size;
      EXPECT_FALSE(IsProved(*other->entry, *kernels.computation)) << size;
    }
  }
}

TEST(CumulativeSteps, AreOfAssociativeOperationsAndWholeRows) {
  for (const std::string& text : {Window("subtract", 8, "7_0"), Window("add", 8, "6_1")}) {
    auto module = testing::ParseOrFail(text);
    ASSERT_TRUE(module);
    EXPECT_FALSE(IsCumulative(*module->entry->root)) << text;
  }
}

}  // namespace
}  // namespace affirm::equivalence
