// The generator of single ops makes valid modules of every opcode, within its size limits.
#include <gtest/gtest.h>

#include <set>

#include "core/hlo/text.h"
#include "core/hlo/verifier.h"
#include "fuzz/generators/op_instances.h"

namespace affirm::fuzz {
namespace {

using hlo::Opcode;

constexpr int kInstances = 60;

std::unique_ptr<hlo::Module> Instance(Opcode opcode, uint64_t seed, const OpLimits& limits = {}) {
  const std::vector<uint8_t> bytes = SeededBytes(seed * 1000 + static_cast<uint64_t>(opcode), 160);
  Choices choices(bytes);
  return GenerateOpInstance(choices, opcode, limits);
}

class OpInstances : public ::testing::TestWithParam<Opcode> {};

TEST_P(OpInstances, AreValidAndReadBack) {
  for (uint64_t seed = 0; seed < kInstances; ++seed) {
    auto module = Instance(GetParam(), seed);
    ASSERT_NE(module, nullptr);
    const std::string text = hlo::ToString(*module);
    EXPECT_EQ(module->entry->root->opcode, GetParam()) << text;
    llvm::Error error = hlo::VerifyExecutable(*module, "instance");
    ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error)) << "\n" << text;
    auto again = hlo::ParseModule(text, "instance");
    ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError()) << "\n" << text;
    EXPECT_TRUE(hlo::SameModule(*module, **again)) << text << hlo::ToString(**again);
  }
}

TEST_P(OpInstances, OfProductionSizesAreValid) {
  OpLimits limits;
  limits.max_rank = 6;
  limits.max_size = int64_t{1} << 20;
  limits.max_elements = int64_t{1} << 34;
  limits.max_window = 16;
  // The values of a constant and the numbers of replicas are written out.
  if (GetParam() == Opcode::kConstant) limits.max_elements = 1000;
  for (uint64_t seed = 0; seed < kInstances / 3; ++seed) {
    auto module = Instance(GetParam(), seed, limits);
    llvm::Error error = hlo::Verify(*module, "instance");
    ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error)) << "\n" << hlo::ToString(*module);
  }
}

// Shrinking ends at something small that is still valid.
TEST_P(OpInstances, OfNoBytesIsValid) {
  Choices choices({});
  auto module = GenerateOpInstance(choices, GetParam());
  llvm::Error error = hlo::VerifyExecutable(*module, "instance");
  ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error)) << "\n" << hlo::ToString(*module);
}

std::string TestName(Opcode opcode) {
  std::string name = hlo::Name(opcode).str();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Every, OpInstances, ::testing::ValuesIn(GeneratedOpcodes()),
                         [](const auto& info) { return TestName(info.param); });

TEST(GeneratedOpcodes, AreAllOfThem) {
  const std::vector<Opcode> generated = GeneratedOpcodes();
  const std::set<Opcode> distinct(generated.begin(), generated.end());
  EXPECT_EQ(distinct.size(), generated.size());
  for (int i = 0; i < static_cast<int>(Opcode::kUnknown); ++i) {
    EXPECT_TRUE(distinct.contains(static_cast<Opcode>(i)))
        << hlo::Name(static_cast<Opcode>(i)).str();
  }
}

// The same bytes, the same module; other bytes, other modules.
TEST(OpInstances, DependOnTheBytesAlone) {
  std::set<std::string> texts;
  for (uint64_t seed = 0; seed < kInstances; ++seed) {
    const std::string text = hlo::ToString(*Instance(Opcode::kGather, seed));
    EXPECT_EQ(text, hlo::ToString(*Instance(Opcode::kGather, seed)));
    texts.insert(text);
  }
  EXPECT_GT(texts.size(), kInstances * 9u / 10);
}

}  // namespace
}  // namespace affirm::fuzz
