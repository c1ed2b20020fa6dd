// Generated modules are valid, readable, executable, varied, and the same for the same bytes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "core/hlo/text.h"
#include "core/hlo/verifier.h"
#include "llvm/ADT/STLExtras.h"
#include "tests/fuzz/random_modules.h"
#include "verify/reference/devices.h"
#include "verify/reference/dynamic_sizes.h"
#include "verify/reference/interpreter.h"

namespace affirm::fuzz {
namespace {

using testing::AnyModule;
using testing::EveryOp;
using testing::ModuleOfSeed;

std::string ErrorOf(llvm::Error error) { return llvm::toString(std::move(error)); }

RC_GTEST_PROP(HloGenerator, MakesValidModules, ()) {
  auto module = AnyModule(EveryOp());
  RC_ASSERT(ErrorOf(hlo::VerifyExecutable(*module, "m")) == "");
}

RC_GTEST_PROP(HloGenerator, TextReadsBackAsTheSameModule, ()) {
  auto module = AnyModule(EveryOp());
  auto back = hlo::ParseModule(hlo::ToString(*module), "m");
  RC_ASSERT(!!back);
  RC_ASSERT(hlo::SameModule(*module, **back));
}

RC_GTEST_PROP(HloGenerator, TheInterpreterHasAValue, ()) {
  auto module = AnyModule(EveryOp());
  const hlo::Devices devices = hlo::DevicesOf(*module);
  std::vector<std::vector<hlo::Literal>> arguments;
  for (int64_t d = 0; d < devices.count(); ++d) {
    arguments.push_back(hlo::MakeArguments(*module->entry, d));
  }
  auto values = hlo::InterpretOnDevices(*module->entry, arguments, devices);
  if (!values) RC_FAIL(ErrorOf(values.takeError()) + "\n" + hlo::ToString(*module));
  RC_LOG() << hlo::ToString(*module);
  for (const hlo::Literal& value : *values) {
    RC_ASSERT(hlo::FitsShape(value.shape(), module->entry->root->shape));
  }
}

RC_GTEST_PROP(HloGenerator, KeepsTheLimits, ()) {
  HloLimits limits;
  limits.max_elements = *rc::gen::inRange<int64_t>(1, 50);
  limits.max_rank = *rc::gen::inRange<int64_t>(2, 5);
  limits.types = {hlo::PrimitiveType::kS8, hlo::PrimitiveType::kPred};
  limits.layouts = false;
  limits.max_fusions = 0;
  auto module = AnyModule(limits);
  for (const auto& instruction : module->entry->instructions) {
    if (!instruction->shape.IsArray()) continue;
    RC_ASSERT(instruction->shape.NumElements() <= limits.max_elements);
    RC_ASSERT(llvm::is_contained(limits.types, instruction->shape.type));
    RC_ASSERT(!instruction->shape.layout);
    RC_ASSERT(instruction->opcode != hlo::Opcode::kFusion);
  }
}

TEST(HloGenerator, SameBytesSameModule) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(hlo::ToString(*ModuleOfSeed(seed)), hlo::ToString(*ModuleOfSeed(seed)));
  }
}

TEST(HloGenerator, NoBytesMakeASmallModule) {
  Choices choices({});
  EXPECT_LE(GenerateModule(choices)->NumInstructions(), 4);
}

// Every op and type appears, and so do the shapes and attributes that code gets wrong.
TEST(HloGenerator, ReachesEverything) {
  std::map<hlo::Opcode, int> ops;
  std::set<hlo::PrimitiveType> types;
  int fusions = 0, several_fusions = 0, tuples = 0, empty = 0, layouts = 0, negative_padding = 0,
      interior_padding = 0, huge_strides = 0, odd = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    auto module = ModuleOfSeed(seed, EveryOp());
    int fused = 0;
    for (const auto& computation : module->computations) {
      for (const auto& instruction : computation->instructions) {
        ++ops[instruction->opcode];
        fused += instruction->opcode == hlo::Opcode::kFusion;
        layouts += instruction->shape.layout.has_value();
        if (instruction->shape.IsArray()) {
          types.insert(instruction->shape.type);
          empty += instruction->shape.NumElements() == 0;
          odd += llvm::any_of(instruction->shape.dims,
                              [](int64_t size) { return size == 31 || size == 33; });
        }
        for (const auto& dim : instruction->attributes.padding) {
          negative_padding += dim.low < 0 || dim.high < 0;
          interior_padding += dim.interior > 0;
        }
        for (const auto& dim : instruction->attributes.slice) huge_strides += dim.stride > 1 << 30;
      }
    }
    fusions += fused > 0;
    several_fusions += fused > 1;
    tuples += module->entry->root->shape.IsTuple();
  }
  for (hlo::Opcode op : GeneratedOps()) {
    bool complex =
        op == hlo::Opcode::kReal || op == hlo::Opcode::kImag || op == hlo::Opcode::kComplex;
    EXPECT_TRUE(complex || ops[op] >= 5) << hlo::Name(op).str();
  }
  for (hlo::PrimitiveType type : AffirmedTypes())
    EXPECT_TRUE(types.count(type)) << hlo::Name(type).str();
  for (int count : {fusions, several_fusions, tuples, empty, layouts, negative_padding,
                    interior_padding, huge_strides, odd}) {
    EXPECT_GE(count, 20);
  }
}

}  // namespace
}  // namespace affirm::fuzz
