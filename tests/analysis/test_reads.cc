// The maps of random small instances of every op are what the interpreter was seen to read, in both
// directions: equal where they are labelled exact, a cover where over-approximate. Since both
// directions are held against one set of pairs, exact ones are each other's inverse.
//
// AFFIRM_OP_INSTANCES: how many instances of each op (200).
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "core/hlo/text.h"
#include "fuzz/observed_reads.h"
#include "fuzz/op_instances.h"

namespace affirm {
namespace {

using hlo::Opcode;

int64_t NumInstances() {
  const char* set = std::getenv("AFFIRM_OP_INSTANCES");
  return set ? std::atoll(set) : 200;
}

// Ops that talk to other devices, to the host or to a generator: one program on one device says
// nothing about what they read.
const std::set<Opcode> kNotInterpreted = {
    Opcode::kAllGather,
    Opcode::kAllGatherDone,
    Opcode::kAllGatherStart,
    Opcode::kAllReduce,
    Opcode::kAllReduceDone,
    Opcode::kAllReduceStart,
    Opcode::kAllToAll,
    Opcode::kCollectiveBroadcast,
    Opcode::kCollectivePermute,
    Opcode::kCollectivePermuteDone,
    Opcode::kCollectivePermuteStart,
    Opcode::kCustomCall,
    Opcode::kInfeed,
    Opcode::kOutfeed,
    Opcode::kPartitionId,
    Opcode::kRaggedAllToAll,
    Opcode::kRecv,
    Opcode::kRecvDone,
    Opcode::kReduceScatter,
    Opcode::kReplicaId,
    Opcode::kRng,
    Opcode::kRngBitGenerator,
    Opcode::kRngGetAndUpdateState,
    Opcode::kSend,
    Opcode::kSendDone,
};

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

// Ops that the interpreter has no function for. Their maps make no claim, which is checked below.
const std::set<Opcode> kWithoutFunction = {Opcode::kCholesky, Opcode::kDynamicReshape, Opcode::kFft,
                                           Opcode::kRaggedDot, Opcode::kTriangularSolve};

class EveryOp : public ::testing::TestWithParam<Opcode> {};

TEST_P(EveryOp, MapsAreWhatIsRead) {
  fuzz::OpLimits limits = LimitsOf(GetParam());
  int64_t claims = 0;
  for (int64_t seed = 0; seed < NumInstances(); ++seed) {
    const std::vector<uint8_t> bytes = fuzz::SeededBytes(
        static_cast<uint64_t>(seed) * 256 + static_cast<uint64_t>(GetParam()), 128);
    std::unique_ptr<hlo::Module> module;
    auto generate = [&] {
      fuzz::Choices choices(bytes);
      module = fuzz::GenerateOpInstance(choices, GetParam(), limits);
      return fuzz::Observe(*module, static_cast<uint64_t>(seed));
    };
    limits.all_types = true;
    auto run = generate();
    if (!run) {
      // An element type that the interpreter lacks for this op.
      llvm::consumeError(run.takeError());
      limits.all_types = false;
      run = generate();
    }
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
  }
  RecordProperty("claims", std::to_string(claims));
}

std::vector<Opcode> Interpreted() {
  std::vector<Opcode> opcodes = fuzz::GeneratedOpcodes();
  llvm::erase_if(opcodes, [](Opcode opcode) {
    return kNotInterpreted.contains(opcode) || kWithoutFunction.contains(opcode);
  });
  return opcodes;
}

std::string TestName(Opcode opcode) {
  std::string name = hlo::Name(opcode).str();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

TEST(OpsWithoutFunction, HaveMapsThatClaimNothing) {
  for (Opcode opcode : kWithoutFunction) {
    const std::vector<uint8_t> bytes = fuzz::SeededBytes(7, 128);
    fuzz::Choices choices(bytes);
    auto module = fuzz::GenerateOpInstance(choices, opcode);
    Context context;
    for (const auto& maps : OutputToInput(*module->entry->root, 0, context).maps) {
      for (const LabeledMap& m : maps) EXPECT_EQ(m.exactness, Exactness::kUnknown);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Reads, EveryOp, ::testing::ValuesIn(Interpreted()),
                         [](const auto& info) { return TestName(info.param); });

}  // namespace
}  // namespace affirm
