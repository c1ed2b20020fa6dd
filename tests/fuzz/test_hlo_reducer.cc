// Reduced modules are valid, keep what was asked for, and are small.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/hlo/text.h"
#include "core/hlo/verifier.h"
#include "fuzz/hlo_reducer.h"
#include "tests/fuzz/hlo_bytes.h"

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
  auto keeps = [&](const hlo::Module& m) { return CountOf(m, wanted) > 0; };
  auto reduced = ReduceModule(*module, keeps);
  RC_ASSERT(reduced != nullptr);
  RC_ASSERT(keeps(*reduced));
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
    auto keeps = [&](const hlo::Module& m) { return ++asked, m.NumInstructions() > 2; };
    ReduceOptions options;
    options.max_tests = 50;
    std::string first = hlo::ToString(*ReduceModule(*module, keeps, options));
    EXPECT_LE(asked, 50);
    EXPECT_EQ(first, hlo::ToString(*ReduceModule(*module, keeps, options)));
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

}  // namespace
}  // namespace affirm::fuzz
