// The maps of random small instances of every op are what the interpreter was seen to read, in both
// directions: equal where they are labeled exact, a superset where over-approximate. Since both
// directions are held against one set of pairs, exact ones are each other's inverse.
//
// AFFIRM_OP_INSTANCES: how many instances of each op (200).
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "core/hlo/dynamic_sizes.h"
#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "fuzz/generators/op_instances.h"
#include "fuzz/properties/observed_reads.h"
#include "verify/reference/devices.h"

namespace affirm {
namespace {

using hlo::Opcode;

int64_t NumInstances() {
  const char* set = std::getenv("AFFIRM_OP_INSTANCES");
  return set ? std::atoll(set) : 200;
}

// The program does not define what these compute: it comes from the host, from a random number
// generator, or from code that is known by its name alone. See UndefinedOp.
const std::set<Opcode> kUndefined = {
    Opcode::kCustomCall, Opcode::kInfeed, Opcode::kOutfeed, Opcode::kRecv,
    Opcode::kRecvDone,   Opcode::kRng,    Opcode::kSend,    Opcode::kRngGetAndUpdateState,
    Opcode::kSendDone,
};

// Collectives, which need several devices: see test_collective_reads.cc.
bool MeetsOthers(Opcode opcode) {
  return hlo::IsCollective(opcode) || opcode == Opcode::kAllGatherDone ||
         opcode == Opcode::kAllReduceDone || opcode == Opcode::kCollectivePermuteDone;
}

fuzz::OpLimits LimitsOf(Opcode opcode) {
  fuzz::OpLimits limits;
  limits.max_elements = 16;
  limits.max_size = 5;
  // Two spatial dims, and index vectors among batch dims.
  const bool deep = opcode == Opcode::kConvolution || opcode == Opcode::kGather ||
                    opcode == Opcode::kScatter || opcode == Opcode::kDot;
  if (deep) limits.max_rank = 4;
  return limits;
}

std::unique_ptr<hlo::Module> Instance(Opcode opcode, int64_t seed) {
  const std::vector<uint8_t> bytes =
      fuzz::SeededBytes(static_cast<uint64_t>(seed) * 256 + static_cast<uint64_t>(opcode), 128);
  fuzz::Choices choices(bytes);
  return fuzz::GenerateOpInstance(choices, opcode, LimitsOf(opcode));
}

class EveryOp : public ::testing::TestWithParam<Opcode> {};

TEST_P(EveryOp, MapsAreWhatIsRead) {
  int64_t claims = 0;
  for (int64_t seed = 0; seed < NumInstances(); ++seed) {
    auto module = Instance(GetParam(), seed);
    auto run = fuzz::Observe(*module, static_cast<uint64_t>(seed));
    ASSERT_TRUE(bool(run)) << llvm::toString(run.takeError()) << "\n" << hlo::ToString(*module);
    for (Direction direction : {Direction::kOutputToInput, Direction::kInputToOutput}) {
      for (bool exact : {false, true}) {
        const std::string what = fuzz::Disagreement(*run, direction, {.exact = exact}, claims);
        ASSERT_EQ(what, "") << (direction == Direction::kOutputToInput ? "output to input"
                                                                       : "input to output")
                            << (exact ? ", exact" : "") << ", seed " << seed << "\n"
                            << hlo::ToString(*module);
      }
    }
    ASSERT_EQ(fuzz::NoInverse(*run), "") << "seed " << seed << "\n" << hlo::ToString(*module);
  }
  RecordProperty("claims", std::to_string(claims));
}

// On operands of dynamic size, a map that is not unknown describes what is read at the actual
// sizes. The interpreter does not have a value for every op there.
TEST(DynamicOperands, MapsAreWhatIsRead) {
  int64_t runs = 0, claims = 0;
  for (Opcode opcode : fuzz::GeneratedOpcodes()) {
    for (int64_t seed = 0; seed < NumInstances(); ++seed) {
      const std::vector<uint8_t> bytes =
          fuzz::SeededBytes(static_cast<uint64_t>(seed) * 256 + static_cast<uint64_t>(opcode), 128);
      fuzz::Choices choices(bytes);
      fuzz::OpLimits limits = LimitsOf(opcode);
      limits.dynamic_sizes = true;
      auto module = fuzz::GenerateOpInstance(choices, opcode, limits);
      if (!hlo::UsesDynamicSizes(*module->entry)) continue;
      auto run = fuzz::Observe(*module, static_cast<uint64_t>(seed));
      if (!run) {
        llvm::consumeError(run.takeError());
        continue;
      }
      ++runs;
      for (Direction direction : {Direction::kOutputToInput, Direction::kInputToOutput}) {
        ASSERT_EQ(fuzz::Disagreement(*run, direction, {.exact = true}, claims), "")
            << hlo::ToString(*module);
      }
    }
  }
  EXPECT_GT(runs, 20 * NumInstances());
  EXPECT_GT(claims, 20 * NumInstances());
}

std::vector<Opcode> Interpreted() {
  std::vector<Opcode> opcodes = fuzz::GeneratedOpcodes();
  llvm::erase_if(opcodes,
                 [](Opcode opcode) { return kUndefined.contains(opcode) || MeetsOthers(opcode); });
  return opcodes;
}

std::string TestName(Opcode opcode) {
  std::string name = hlo::Name(opcode).str();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// Ops whose values the program does not define: their maps stay inside of the operand, are each
// other's inverse, and claim no more than what follows from the shapes.
class UndefinedOp : public ::testing::TestWithParam<Opcode> {};

TEST_P(UndefinedOp, NothingIsMadeUp) {
  for (int64_t seed = 0; seed < NumInstances(); ++seed) {
    auto module = Instance(GetParam(), seed);
    const hlo::Instruction& op = *module->entry->root;
    fuzz::Observed run;
    run.root = &op;
    ASSERT_EQ(fuzz::NoInverse(run), "") << hlo::ToString(*module);
    Context context;
    for (size_t id = 0; id < LeafShapes(op.shape).size(); ++id) {
      const InstructionIndexing indexing = OutputToInput(op, static_cast<int64_t>(id), context);
      ASSERT_EQ(indexing.maps.size(), op.operands.size());
      for (size_t k = 0; k < indexing.maps.size(); ++k) {
        for (const LabeledMap& m : indexing.maps[k]) {
          const bool scalar = op.operands[k]->shape.IsScalar();
          // The parameters of a distribution.
          const Exactness best = GetParam() != Opcode::kRng ? Exactness::kUnknown
                                 : scalar                   ? Exactness::kExact
                                                            : Exactness::kOverApproximate;
          ASSERT_EQ(m.exactness, best) << hlo::ToString(*module);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Reads, EveryOp, ::testing::ValuesIn(Interpreted()),
                         [](const auto& info) { return TestName(info.param); });
INSTANTIATE_TEST_SUITE_P(Reads, UndefinedOp, ::testing::ValuesIn(kUndefined),
                         [](const auto& info) { return TestName(info.param); });

}  // namespace
}  // namespace affirm
