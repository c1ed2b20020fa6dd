// Sizes that are known at run time only are taken at their bounds where they change no element, and
// nowhere else; calls whose results are unused are ignored.
#include <gtest/gtest.h>

#include "core/hlo/dynamic_sizes.h"
#include "core/hlo/text.h"
#include "driver/check/bounded_sizes.h"
#include "driver/check/check.h"
#include "driver/check/random_states.h"
#include "driver/check/unused_calls.h"
#include "driver/exit_status.h"
#include "tests/parse_module.h"

namespace affirm::driver {
namespace {

std::unique_ptr<hlo::Module> ModuleOf(const std::string& entry) {
  return testing::ParseOrFail(
      "HloModule m\nsum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = f32[] add(x, y) "
      "}\nturned { p = f32[<=5] parameter(0) ROOT r = f32[<=5] negate(p) }\nENTRY e { " +
      entry + " }");
}

TEST(BoundedSizes, AreTakenWhereElementsComeFromTheirPlace) {
  for (const char* entry :
       {"p = f32[<=5] parameter(0) ROOT r = f32[<=5] negate(p)",
        "p = f32[<=5] parameter(0) q = f32[<=5] parameter(1) ROOT r = f32[<=5] add(p, q)",
        "p = pred[<=5,1] parameter(0) ROOT r = f32[<=5,1] convert(p)",
        "p = f32[<=5] parameter(0) ROOT r = f32[1,<=5] reshape(p)",
        "p = f32[3,<=5] parameter(0) ROOT r = f32[2,<=5,3] broadcast(p), dimensions={2,1}",
        "p = f32[3,<=5] parameter(0) ROOT r = f32[<=5,3] transpose(p), dimensions={1,0}",
        "p = f32[6] parameter(0) n = s32[] parameter(1) k = s32[] parameter(2) "
        "ROOT r = f32[<=2,<=3] dynamic-reshape(p, n, k)",
        "p = f32[2,3] parameter(0) n = s32[] parameter(1) k = s32[] constant(3) "
        "ROOT r = f32[<=2,3] custom-call(p, n, k), custom_call_target=\"SliceToDynamic\"",
        "p = s32[2,<=2] parameter(0) "
        "ROOT r = (s32[2,2], s32[], s32[]) custom-call(p), custom_call_target=\"PadToStatic\"",
        "p = s32[<=2] parameter(0) c = (s32[2], s32[]) custom-call(p), "
        "custom_call_target=\"PadToStatic\" x = s32[2] get-tuple-element(c), index=0 "
        "n = s32[] get-tuple-element(c), index=1 b = s32[2] broadcast(n), dimensions={} "
        "ROOT r = s32[2] multiply(x, b)"}) {
    auto module = ModuleOf(entry);
    ASSERT_NE(module, nullptr) << entry;
    // The callee, which is not called here, has such sizes too.
    module->computations.erase(module->computations.begin() + 1);
    EXPECT_TRUE(TakeSizesAtTheirBounds(*module).has_value()) << entry;
    EXPECT_FALSE(hlo::UsesDynamicSizes(*module->entry)) << entry;
    const ModuleReport report =
        Checker(CheckOptions()).Check(*module, "test.hlo", [](llvm::StringRef) {});
    EXPECT_EQ(report.verdict(), "affirmed") << entry;
  }
}

TEST(BoundedSizes, StayWhereTheyCount) {
  for (const char* entry :
       {"p = f32[<=5] parameter(0) ROOT r = f32[<=5] reverse(p), dimensions={0}",
        "p = f32[<=5] parameter(0) z = f32[] constant(0) "
        "ROOT r = f32[] reduce(p, z), dimensions={0}, to_apply=sum",
        "p = f32[<=5] parameter(0) ROOT r = s32[] get-dimension-size(p), dimensions={0}",
        "p = f32[5] parameter(0) n = s32[] parameter(1) "
        "ROOT r = f32[<=5] set-dimension-size(p, n), dimensions={0}",
        "p = f32[<=6] parameter(0) ROOT r = f32[2,<=3] reshape(p)",
        "p = f32[<=3,3] parameter(0) ROOT r = f32[3,<=3] reshape(p)",
        "p = f32[6] parameter(0) n = s32[] parameter(1) k = s32[] parameter(2) "
        "ROOT r = f32[<=3,<=3] dynamic-reshape(p, n, k)",
        "p = f32[<=6] parameter(0) n = s32[] parameter(1) k = s32[] parameter(2) "
        "ROOT r = f32[<=2,<=3] dynamic-reshape(p, n, k)",
        "p = f32[<=5] parameter(0) ROOT r = f32[<=5] call(p), to_apply=turned",
        "p = f32[<=5] parameter(0) q = f32[<=5] negate(p) "
        "ROOT r = (f32[5], s32[]) custom-call(q), custom_call_target=\"PadToStatic\"",
        "p = f32[<=5] parameter(0) "
        "ROOT r = (f32[6], s32[]) custom-call(p), custom_call_target=\"PadToStatic\"",
        "p = f32[<=5] parameter(0) ROOT r = (f32[5], s32[]) custom-call(p), "
        "custom_call_target=\"PadToStatic\", custom_call_has_side_effect=true",
        "p = f32[<=5] parameter(0) "
        "ROOT r = (f32[5], u8[]) custom-call(p), custom_call_target=\"PadToStatic\"",
        "p = f32[?] parameter(0) ROOT r = f32[?] negate(p)",
        "p = f32[5] parameter(0) ROOT r = f32[5] negate(p)"}) {
    auto module = ModuleOf(entry);
    ASSERT_NE(module, nullptr) << entry;
    const std::string before = hlo::ToString(*module);
    EXPECT_FALSE(TakeSizesAtTheirBounds(*module).has_value()) << entry;
    EXPECT_EQ(hlo::ToString(*module), before) << entry;
  }
}

// How many elements there are is known at run time: it is not the bound.
TEST(BoundedSizes, OfPaddedParametersAreArguments) {
  auto module = ModuleOf(
      "p = f32[<=5,3] parameter(0) q = f32[<=5,3] parameter(1) "
      "a = (f32[5,3], s32[], s32[]) custom-call(p), custom_call_target=\"PadToStatic\" "
      "b = (f32[5,3], s32[], s32[]) custom-call(p), custom_call_target=\"PadToStatic\" "
      "c = (f32[5,3], s32[], s32[]) custom-call(q), custom_call_target=\"PadToStatic\" "
      "ROOT r = ((f32[5,3], s32[], s32[]), (f32[5,3], s32[], s32[]), (f32[5,3], s32[], s32[])) "
      "tuple(a, b, c)");
  ASSERT_NE(module, nullptr);
  module->computations.erase(module->computations.begin() + 1);
  EXPECT_EQ(TakeSizesAtTheirBounds(*module), 2);
  const hlo::Computation& entry = *module->entry;
  ASSERT_EQ(entry.parameters.size(), 4u);
  const hlo::Instruction *a = entry.Find("a"), *b = entry.Find("b"), *c = entry.Find("c");
  EXPECT_EQ(a->operands[1]->opcode, hlo::Opcode::kParameter);
  EXPECT_EQ(a->operands[1], b->operands[1]);
  EXPECT_NE(a->operands[1], c->operands[1]);
  ASSERT_EQ(a->operands[2]->opcode, hlo::Opcode::kConstant);
  EXPECT_EQ(a->operands[2]->literal->GetInt(0), 3);
  const ModuleReport report =
      Checker(CheckOptions()).Check(*module, "test.hlo", [](llvm::StringRef) {});
  EXPECT_EQ(report.verdict(), "affirmed");
}

TEST(UnusedCalls, AreDroppedUnlessTheyDoSomethingElse) {
  const char* calls =
      "p = f32[5] parameter(0)\n a = f32[5] custom-call(p), custom_call_target=\"x\"\n"
      "b = f32[5] custom-call(a), custom_call_target=\"x\"\n"
      "c = f32[5] custom-call(p), custom_call_target=\"x\", custom_call_has_side_effect=true\n"
      "d = f32[5] custom-call(p), custom_call_target=\"x\"\n"
      "ROOT r = f32[5] negate(d)";
  auto module = ModuleOf(calls);
  ASSERT_NE(module, nullptr);
  DropUnusedCalls(*module);
  EXPECT_EQ(module->entry->Find("a"), nullptr);
  EXPECT_EQ(module->entry->Find("b"), nullptr);
  EXPECT_NE(module->entry->Find("c"), nullptr);
  EXPECT_NE(module->entry->Find("d"), nullptr);
}

// A module of this entry alone.
std::unique_ptr<hlo::Module> EntryAlone(const std::string& entry) {
  auto module = ModuleOf(entry);
  if (module) module->computations.erase(module->computations.begin() + 1);
  return module;
}

ModuleReport Checked(const hlo::Module& module) {
  return Checker(CheckOptions()).Check(module, "test.hlo", [](llvm::StringRef) {});
}

// A state is any value: what is computed of it is affirmed, and what differs by it is not the same.
TEST(RandomStates, AreArguments) {
  auto module = EntryAlone(
      "p = u64[2] parameter(0)\n s = u64[2] rng-get-and-update-state(), delta=4\n"
      "n = u64[] custom-call(), custom_call_target=\"GetRngSeed\"\n"
      "b = u64[2] broadcast(n), dimensions={}\n a = u64[2] add(s, b)\n"
      "ROOT r = u64[2] add(a, p)");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(MakeStatesParameters(*module), 2);
  EXPECT_EQ(MakeStatesParameters(*module), 0);
  ASSERT_EQ(module->entry->parameters.size(), 3u);
  EXPECT_EQ(module->entry->parameters[1]->name, "s");
  EXPECT_EQ(module->entry->parameters[2]->parameter_number, 2);
  const ModuleReport report = Checked(*module);
  EXPECT_EQ(report.verdict(), "affirmed");
}

// No program defines the numbers of an rng. One whose bounds something computes stays: what
// computes them would be covered by nothing.
TEST(RandomStates, NumbersOfConstantsAreArguments) {
  auto module = EntryAlone(
      "p = f32[] parameter(0)\n c = f32[] constant(0)\n s = f32[] add(p, c)\n"
      "u = f32[8] rng(c, p), distribution=rng_uniform\n"
      "v = f32[8] rng(c, s), distribution=rng_uniform\n ROOT r = f32[8] multiply(u, v)");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(MakeStatesParameters(*module), 1);
  EXPECT_EQ(module->entry->Find("u")->opcode, hlo::Opcode::kParameter);
  EXPECT_EQ(module->entry->Find("v")->opcode, hlo::Opcode::kRng);
  ASSERT_EQ(module->entry->Find("c")->users.size(), 2u);
  const ModuleReport report = Checked(*module);
  EXPECT_EQ(report.status(), kUnknown) << report.verdict();
}

}  // namespace
}  // namespace affirm::driver
