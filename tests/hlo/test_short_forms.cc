// Short forms of ops in listings of the documentation, which no dump has: read with a note.
#include <gtest/gtest.h>

#include "core/hlo/module.h"
#include "core/hlo/text.h"

namespace affirm::hlo {
namespace {

std::unique_ptr<Module> Read(llvm::StringRef text) {
  auto modules = ParseModules(text, "m");
  EXPECT_TRUE(static_cast<bool>(modules)) << llvm::toString(modules.takeError());
  return modules ? std::move(modules->front()) : nullptr;
}

std::string Refusal(llvm::StringRef text) {
  auto modules = ParseModules(text, "m");
  return modules ? "" : llvm::toString(modules.takeError());
}

TEST(ShortForms, Iota) {
  auto module = Read("iota = f32[2,4] iota(), dimensions={1}\n");
  ASSERT_TRUE(module);
  ASSERT_EQ(module->notes.size(), 1u);
  EXPECT_EQ(module->notes[0], "1:25: note: dimensions of iota is read as iota_dimension");
  EXPECT_TRUE(SameModule(*module, *Read("iota = f32[2,4] iota(), iota_dimension=1\n")));
  EXPECT_NE(Refusal("i = f32[2,4] iota(), dimensions={0,1}\n"), "");
  EXPECT_NE(Refusal("i = f32[2,4] iota(), dimensions={2}\n"), "");
  EXPECT_NE(Refusal("i = f32[2,4] iota(), iota_dimension=0, dimensions={1}\n"), "");
  EXPECT_NE(Refusal("i = f32[2,4] iota(), dimensions={1}, iota_dimension=0\n"), "");
}

TEST(ShortForms, ReductionOfTwoArrays) {
  auto module = Read(
      "p0 = f32[256,10] parameter(0)\n"
      "p0_init = f32[] constant(-inf)\n"
      "p1 = s32[256,10] parameter(1)\n"
      "p1_init = s32[] constant(0)\n"
      "out = (f32[10], s32[10]) reduce(p0, p1, p0_init, p1_init),\n"
      "  dimensions={0}, to_apply=max\n");
  ASSERT_TRUE(module);
  ASSERT_EQ(module->notes.size(), 1u);
  EXPECT_EQ(module->notes[0],
            "6:28: note: no computation is called 'max', it is read as one of maximum");
  const Computation* max = module->FindComputation("max_combiner");
  ASSERT_TRUE(max);
  ASSERT_EQ(max->parameters.size(), 4u);
  EXPECT_EQ(max->parameters[1]->shape.type, PrimitiveType::kS32);
  EXPECT_EQ(max->parameters[2]->shape.type, PrimitiveType::kF32);
  EXPECT_EQ(max->root->opcode, Opcode::kTuple);
  EXPECT_EQ(max->root->operands[0]->opcode, Opcode::kMaximum);
  // The printed text reads back, without a note.
  auto again = Read(ToString(*module));
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->notes.empty() && SameModule(*module, *again));
}

TEST(ShortForms, ReductionsOfTwoTypes) {
  auto module = Read(
      "x = f32[8] parameter(0)\nn = s32[8] parameter(1)\n"
      "z = f32[] constant(0)\no = s32[] constant(0)\n"
      "a = f32[] reduce(x, z), dimensions={0}, to_apply=add\n"
      "b = s32[] reduce(n, o), dimensions={0}, to_apply=add\n"
      "t = (f32[], s32[]) tuple(a, b)\n");
  ASSERT_TRUE(module);
  EXPECT_EQ(module->notes.size(), 2u);
  EXPECT_EQ(module->FindInstruction("a")->called[0]->root->shape.type, PrimitiveType::kF32);
  EXPECT_EQ(module->FindInstruction("b")->called[0]->root->shape.type, PrimitiveType::kS32);
}

TEST(ShortForms, AComputationOfThatNameIsMeant) {
  auto module = Read(
      "HloModule m\nmax {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  ROOT r = f32[] minimum(a, b)\n}\nENTRY e {\n  x = f32[8] parameter(0)\n"
      "  z = f32[] constant(0)\n  ROOT o = f32[] reduce(x, z), dimensions={0}, to_apply=max\n}\n");
  ASSERT_TRUE(module);
  EXPECT_TRUE(module->notes.empty());
  EXPECT_EQ(module->entry->root->called[0]->root->opcode, Opcode::kMinimum);
}

TEST(ShortForms, OtherNamesStayUnknown) {
  EXPECT_NE(Refusal("p = f32[8] parameter(0)\nz = f32[] constant(0)\n"
                    "r = f32[] reduce(p, z), dimensions={0}, to_apply=maxx\n")
                .find("3:50: error: expected the name of a computation"),
            std::string::npos);
  EXPECT_NE(Refusal("p = f32[8] parameter(0)\nr = f32[8] call(p), to_apply=max\n"), "");
}

}  // namespace
}  // namespace affirm::hlo
