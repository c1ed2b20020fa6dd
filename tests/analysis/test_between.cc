// Maps from any instruction to any other on the way.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/analysis/between.h"
#include "tests/analysis/hlo_text.h"
#include "tests/analysis/random_hlo.h"

namespace affirm {
namespace {

using testing::Parse;
using testing::Parsed;
using testing::Related;

std::set<Related> RelationOf(const std::vector<LabeledMap>& maps) {
  std::set<Related> out;
  for (const LabeledMap& m : maps) out.merge(testing::Relation(m.map));
  return out;
}

std::vector<LabeledMap> Between(const hlo::Instruction& from, const hlo::Instruction& to,
                                Direction direction, Context& context) {
  auto maps = MapsBetween(from, 0, to, direction, context);
  RC_ASSERT(bool(maps));
  return *std::move(maps);
}

// Whether there are operands of operands from `user` to `source`.
bool Needs(const hlo::Instruction& user, const hlo::Instruction& source) {
  if (&user == &source) return true;
  return std::any_of(user.operands.begin(), user.operands.end(),
                     [&](const hlo::Instruction* operand) { return Needs(*operand, source); });
}

// For all pairs of instructions of a graph: the two directions are converses, and a way in two
// parts through the one instruction between is the way. One that is not needed is an error.
RC_GTEST_PROP(MapsBetween, DirectionsAreConverses, ()) {
  const auto module = testing::RandomGraph(testing::MovingOps(), /*fused=*/false);
  Context context;
  for (const auto& user : module->entry->instructions) {
    for (const auto& source : module->entry->instructions) {
      if (!Needs(*user, *source)) {
        for (Direction direction : {Direction::kOutputToInput, Direction::kInputToOutput}) {
          const bool is_to_source = direction == Direction::kOutputToInput;
          auto none = MapsBetween(is_to_source ? *user : *source, 0, is_to_source ? *source : *user,
                                  direction, context);
          RC_ASSERT(!none);
          llvm::consumeError(none.takeError());
        }
        continue;
      }
      auto reads = Between(*user, *source, Direction::kOutputToInput, context);
      auto read_by = Between(*source, *user, Direction::kInputToOutput, context);
      RC_ASSERT(RelationOf(reads) == testing::Transposed(RelationOf(read_by)));
      if (user->operands.size() == 1 && user.get() != source.get()) {
        std::set<Related> in_parts;
        auto rest = Between(*user->operands[0], *source, Direction::kOutputToInput, context);
        InstructionIndexing step = OutputToInput(*user, 0, context);
        for (const LabeledMap& first : step.maps[0]) {
          for (const LabeledMap& second : rest) {
            in_parts.merge(testing::Relation(Compose(first.map, second.map)));
          }
        }
        RC_ASSERT(RelationOf(reads) == in_parts);
      }
    }
  }
}

// The same from the entry into a fusion, and back out: to the instructions of the fused
// computation as that computation's root needs them.
RC_GTEST_PROP(MapsBetween, LeadIntoFusions, ()) {
  const auto module = testing::RandomGraph(testing::MovingOps(), /*fused=*/true);
  const hlo::Instruction& fusion = *module->entry->root;
  const hlo::Instruction& root = *fusion.called[0]->root;
  Context context;
  for (const auto& source : fusion.called[0]->instructions) {
    if (!Needs(root, *source)) continue;
    auto inside = Between(root, *source, Direction::kOutputToInput, context);
    auto from_outside = Between(fusion, *source, Direction::kOutputToInput, context);
    auto to_outside = Between(*source, fusion, Direction::kInputToOutput, context);
    RC_ASSERT(RelationOf(inside) == RelationOf(from_outside));
    RC_ASSERT(RelationOf(inside) == testing::Transposed(RelationOf(to_outside)));
  }
  // A parameter of the entry is reached through the fusion.
  InstructionIndexing neighbors = OutputToInput(fusion, 0, context);
  for (size_t k = 0; k < fusion.operands.size(); ++k) {
    if (std::count(fusion.operands.begin(), fusion.operands.end(), fusion.operands[k]) > 1)
      continue;
    auto composed = Between(fusion, *fusion.operands[k], Direction::kOutputToInput, context);
    RC_ASSERT(RelationOf(composed) == RelationOf(neighbors.maps[k]));
  }
}

// The chained reshapes of XLA's documentation, which stand in no fusion there.
TEST(MapsBetween, ChainedReshapesCancel) {
  Parsed p = Parse(R"(p0 = f32[10, 10, 10] parameter(0)
      reshape1 = f32[50, 20] reshape(p0)
      ROOT reshape2 = f32[10, 10, 10] reshape(reshape1))");
  ASSERT_TRUE(p.root) << p.error;
  const hlo::Instruction& p0 = *p.module->entry->parameters[0];
  Context context;
  for (Direction direction : {Direction::kOutputToInput, Direction::kInputToOutput}) {
    const bool is_to_source = direction == Direction::kOutputToInput;
    auto maps = MapsBetween(is_to_source ? *p.root : p0, 0, is_to_source ? p0 : *p.root, direction,
                            context);
    ASSERT_TRUE(bool(maps)) << llvm::toString(maps.takeError());
    ASSERT_EQ(maps->size(), 1u);
    EXPECT_EQ(maps->front().exactness, Exactness::kExact);
    EXPECT_EQ(maps->front().map.ToString(),
              "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]");
  }
}

// Each level calls the one below twice: there are 2^40 ways to the innermost parameter.
TEST(MapsBetween, ManyWaysAreUnknown) {
  std::string text = "HloModule m\nf0 {\n  ROOT x0 = f32[4] parameter(0)\n}\n";
  for (int level = 1; level <= 40; ++level) {
    std::string n = std::to_string(level), below = std::to_string(level - 1);
    text += "f" + n + " {\n  y" + n + " = f32[4] parameter(0)\n  a" + n + " = f32[4] call(y" + n +
            "), to_apply=f" + below + "\n  b" + n + " = f32[4] call(y" + n + "), to_apply=f" +
            below + "\n  ROOT x" + n + " = f32[4] add(a" + n + ", b" + n + ")\n}\n";
  }
  Parsed p = Parse(text +
                   "ENTRY e {\n  p = f32[4] parameter(0)\n  ROOT r = f32[4] call(p), "
                   "to_apply=f40\n}\n");
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  auto maps =
      MapsBetween(*p.root, 0, *p.module->FindInstruction("x0"), Direction::kOutputToInput, context);
  ASSERT_TRUE(bool(maps)) << llvm::toString(maps.takeError());
  ASSERT_EQ(maps->size(), 1u);
  EXPECT_TRUE(maps->front().map.IsUndefined());
}

}  // namespace
}  // namespace affirm
