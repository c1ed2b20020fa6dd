// The composed maps of everything that fuzzing once found, both ways, against what is read.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/hlo/text.h"
#include "fuzz/properties/observed_reads.h"
#include "llvm/ADT/STLExtras.h"
#include "tests/tools/run_affirm.h"

namespace affirm {
namespace {

constexpr int64_t kMaxElements = 400;  // of an array: maps are enumerated

bool IsSmall(const hlo::Module& module) {
  for (const auto& computation : module.computations) {
    for (const auto& instruction : computation->instructions) {
      if (instruction->shape.IsArray() && instruction->shape.NumElements() > kMaxElements)
        return false;
    }
  }
  return true;
}

// Puts the entry into a fusion of a new entry, with the same parameters.
void Fuse(hlo::Module& module) {
  hlo::Computation& fused = *module.entry;
  fused.is_entry = false;
  module.computations.push_back(std::make_unique<hlo::Computation>());
  hlo::Computation& entry = *module.computations.back();
  entry.name = "fused_entry";
  entry.module = &module;
  entry.is_entry = true;
  module.entry = &entry;
  auto call = std::make_unique<hlo::Instruction>();
  call->name = "call_of_entry";
  call->opcode = hlo::Opcode::kFusion;
  call->opcode_text = "fusion";
  call->shape = fused.root->shape;
  call->called = {&fused};
  call->called_as = {"calls"};
  call->attributes.fusion_kind = "kLoop";
  for (const hlo::Instruction* parameter : fused.parameters) {
    auto outer = std::make_unique<hlo::Instruction>();
    outer->name = "outer" + std::to_string(parameter->parameter_number);
    outer->opcode = hlo::Opcode::kParameter;
    outer->opcode_text = "parameter";
    outer->parameter_number = parameter->parameter_number;
    outer->shape = parameter->shape;
    call->operands.push_back(entry.Add(std::move(outer)));
  }
  entry.root = entry.Add(std::move(call));
}

TEST(RegressionReads, MapsAreWhatIsReadBothWays) {
  int64_t claims = 0;
  for (const std::string& file : testing::FilesIn("corpus/regressions", ".hlo")) {
    const std::string text = testing::ReadFile(file);
    auto module = hlo::ParseModule(text, file);
    ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
    if (!IsSmall(**module)) continue;
    Fuse(**module);
    auto run = fuzz::Observe(**module, /*seed=*/1);
    if (!run) {
      // A module that stays unknown may have no value either.
      const bool is_unknown = text.find("// expect: status 2") == 0;
      const std::string why = llvm::toString(run.takeError());
      EXPECT_TRUE(is_unknown) << file << ": " << why;
      continue;
    }
    for (Direction way : {Direction::kOutputToInput, Direction::kInputToOutput}) {
      EXPECT_EQ(fuzz::Disagreement(*run, way, {}, claims), "") << file;
    }
  }
  EXPECT_GT(claims, 20);
}

}  // namespace
}  // namespace affirm
