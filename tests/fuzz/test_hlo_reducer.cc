// Reduced modules are valid, keep what was asked for, and are small.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/hlo/text.h"
#include "core/hlo/verifier.h"
#include "fuzz/reducer/hlo_reducer.h"
#include "tests/fuzz/random_modules.h"

namespace affirm::fuzz {
namespace {

using testing::AnyModule;
using testing::ModuleOfSeed;

int CountOf(const hlo::Module& module, hlo::Opcode opcode) {
  int count = 0;
  for (const auto& computation : module.computations) {
    for (const auto& instruction : computation->instructions)
      count += instruction->opcode == opcode;
  }
  return count;
}

RC_GTEST_PROP(HloReducer, KeepsWhatIsAskedForAndNothingElse, ()) {
  auto module = AnyModule();
  std::vector<hlo::Opcode> present;
  for (hlo::Opcode op : AffirmedOps()) {
    if (CountOf(*module, op) > 0) present.push_back(op);
  }
  RC_PRE(!present.empty());
  hlo::Opcode wanted = *rc::gen::elementOf(present);
  auto is_interesting = [&](const hlo::Module& m) { return CountOf(m, wanted) > 0; };
  auto reduced = ReduceModule(*module, is_interesting);
  RC_ASSERT(reduced != nullptr);
  RC_ASSERT(is_interesting(*reduced));
  RC_ASSERT(llvm::toString(hlo::VerifyExecutable(*reduced, "m")) == "");
  int64_t ops = 0, others = 0;
  for (const auto& instruction : reduced->entry->instructions) {
    ops += instruction->opcode != hlo::Opcode::kParameter;
    others += instruction->opcode != hlo::Opcode::kParameter && instruction->opcode != wanted;
  }
  // A variadic reduction or sort needs the projection behind it.
  if (ops > 1) RC_LOG() << hlo::ToString(*reduced);
  RC_ASSERT(others <= 1);
}

TEST(HloReducer, IsDeterministicAndBounded) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    auto module = ModuleOfSeed(seed);
    int64_t asked = 0;
    auto is_interesting = [&](const hlo::Module& m) { return ++asked, m.NumInstructions() > 2; };
    ReduceOptions options;
    options.max_tests = 50;
    std::string first = hlo::ToString(*ReduceModule(*module, is_interesting, options));
    EXPECT_LE(asked, 50);
    EXPECT_EQ(first, hlo::ToString(*ReduceModule(*module, is_interesting, options)));
  }
}

// Sizes, attributes and types shrink as far as what is looked for allows.
TEST(HloReducer, SimplifiesShapesAttributesAndTypes) {
  constexpr const char* kText = R"(HloModule m
fused {
  p = f64[13,32]{0,1} parameter(0)
  n = f64[13,32] negate(p)
  s = f64[4,16] slice(n), slice={[1:13:3], [0:32:2]}
  r = f64[4,16] reverse(s), dimensions={0,1}
  ROOT t = f64[16,4] transpose(r), dimensions={1,0}
}
ENTRY e {
  x = f64[13,32]{0,1} parameter(0)
  f = f64[16,4] fusion(x), kind=kLoop, calls=fused
  ROOT d = f64[16,4] add(f, f)
}
)";
  auto module = hlo::ParseModule(kText, "m");
  ASSERT_TRUE(!!module) << llvm::toString(module.takeError());
  auto has_stride = [](const hlo::Module& m) {
    for (const auto& computation : m.computations) {
      for (const auto& instruction : computation->instructions) {
        for (const auto& dim : instruction->attributes.slice) {
          if (dim.stride > 1) return true;
        }
      }
    }
    return false;
  };
  std::string text = hlo::ToString(*ReduceModule(**module, has_stride));
  EXPECT_EQ(text.find("f64"), std::string::npos) << text;
  EXPECT_EQ(text.find("fusion"), std::string::npos) << text;
  EXPECT_EQ(text.find("negate"), std::string::npos) << text;
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 7) << text;
}

// One array of a reduction of several is left, and one of two computations that are called alike.
TEST(HloReducer, TakesOneArrayOfSeveral) {
  constexpr const char* kText = R"(HloModule m
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
two {
  a = f32[] parameter(0)
  i = s32[] parameter(1)
  b = f32[] parameter(2)
  j = s32[] parameter(3)
  m = f32[] maximum(a, b)
  n = s32[] minimum(i, j)
  ROOT t = (f32[], s32[]) tuple(m, n)
}
ENTRY e {
  x = f32[4,4] parameter(0)
  y = s32[4] parameter(1)
  z = f32[] parameter(2)
  o = s32[] parameter(3)
  r = f32[4] reduce(x, z), dimensions={1}, to_apply=sum
  w = (f32[4], s32[4]) reduce-window(r, y, z, o), window={size=2 pad=0_1}, to_apply=two
  first = f32[4] get-tuple-element(w), index=0
  ROOT n = f32[4] negate(first)
}
)";
  auto module = hlo::ParseModule(kText, "m");
  ASSERT_TRUE(!!module) << llvm::toString(module.takeError());
  auto is_interesting = [](const hlo::Module& m) {
    return CountOf(m, hlo::Opcode::kReduce) == 1 && CountOf(m, hlo::Opcode::kReduceWindow) == 1 &&
           llvm::all_of(m.computations, [](const auto& computation) {
             return computation->is_entry || computation->parameters.size() >= 2;
           });
  };
  auto reduced = ReduceModule(**module, is_interesting);
  const std::string text = hlo::ToString(*reduced);
  EXPECT_EQ(reduced->computations.size(), 2u) << text;
  EXPECT_EQ(reduced->NumInstructions(), 5) << text;
  EXPECT_TRUE(reduced->entry->root->shape.IsArray()) << text;
}

// Two ops that both matter are left with one function, scalars, and one op that needs both.
TEST(HloReducer, LeavesOneOpThatNeedsTwo) {
  constexpr const char* kText = R"(HloModule m
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
most {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] maximum(a, b)
}
ENTRY e {
  x = f32[4,7] parameter(0)
  z = f32[] parameter(1)
  r = f32[4] reduce(x, z), dimensions={1}, to_apply=sum
  s = f32[4] reduce(x, z), dimensions={1}, to_apply=most
  again = f32[4] reduce(x, z), dimensions={1}, to_apply=most
  rb = f32[4,7] broadcast(r), dimensions={0}
  sb = f32[4,7] broadcast(s), dimensions={0}
  ab = f32[4,7] broadcast(again), dimensions={0}
  d = f32[4,7] subtract(x, rb)
  q = f32[4,7] divide(d, sb)
  ROOT n = f32[4,7] add(q, ab)
}
)";
  auto module = hlo::ParseModule(kText, "m");
  ASSERT_TRUE(!!module) << llvm::toString(module.takeError());
  auto reduced = ReduceModule(**module, [](const hlo::Module& m) {
    // Two reductions that differ in what they call or are given.
    const hlo::Instruction* first = nullptr;
    for (const auto& op : m.entry->instructions) {
      if (op->opcode != hlo::Opcode::kReduce) continue;
      if (first && (first->operands != op->operands || first->called != op->called)) return true;
      first = op.get();
    }
    return false;
  });
  const std::string text = hlo::ToString(*reduced);
  EXPECT_EQ(reduced->computations.size(), 2u) << text;
  EXPECT_EQ(reduced->entry->instructions.size(), 5u) << text;
  EXPECT_TRUE(reduced->entry->root->operands.size() == 2) << text;
  for (const auto& op : reduced->entry->instructions) EXPECT_EQ(op->shape.rank(), 0) << text;
}

}  // namespace
}  // namespace affirm::fuzz
