// Value terms against the interpreter: the term of each element of a result, evaluated, is the
// element that is computed. AFFIRM_VALUE_SEEDS sets how many random graphs are tried (150).
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "fuzz/generators/hlo_generator.h"
#include "fuzz/generators/op_instances.h"
#include "tests/hlo_values/check_values.h"

namespace affirm {
namespace {

int64_t Seeds() {
  const char* wanted = std::getenv("AFFIRM_VALUE_SEEDS");
  return wanted ? std::max<int64_t>(1, std::strtol(wanted, nullptr, 10)) : 150;
}

// Whether an op of the generators has value terms: not if it runs an algorithm or takes several
// devices, or if no kernel computes it.
bool HasValues(hlo::Opcode opcode) {
  static const std::set<hlo::Opcode> kWithout = {
      hlo::Opcode::kAllGather,
      hlo::Opcode::kAllGatherDone,
      hlo::Opcode::kAllGatherStart,
      hlo::Opcode::kAllReduce,
      hlo::Opcode::kAllReduceDone,
      hlo::Opcode::kAllReduceStart,
      hlo::Opcode::kAllToAll,
      hlo::Opcode::kAsyncDone,
      hlo::Opcode::kAsyncStart,
      hlo::Opcode::kAsyncUpdate,
      hlo::Opcode::kBatchNormGrad,
      hlo::Opcode::kBatchNormInference,
      hlo::Opcode::kBatchNormTraining,
      hlo::Opcode::kCholesky,
      hlo::Opcode::kCollectiveBroadcast,
      hlo::Opcode::kCollectivePermute,
      hlo::Opcode::kCollectivePermuteDone,
      hlo::Opcode::kCollectivePermuteStart,
      hlo::Opcode::kConditional,
      hlo::Opcode::kCopyDone,
      hlo::Opcode::kCopyStart,
      hlo::Opcode::kDynamicReshape,
      hlo::Opcode::kFft,
      hlo::Opcode::kPartitionId,
      hlo::Opcode::kRaggedAllToAll,
      hlo::Opcode::kRaggedDot,
      hlo::Opcode::kReduceScatter,
      hlo::Opcode::kReplicaId,
      hlo::Opcode::kRng,
      hlo::Opcode::kRngBitGenerator,
      hlo::Opcode::kRngGetAndUpdateState,
      hlo::Opcode::kScaledDot,
      hlo::Opcode::kScan,
      hlo::Opcode::kSelectAndScatter,
      hlo::Opcode::kSetDimensionSize,
      hlo::Opcode::kSort,
      hlo::Opcode::kStochasticConvert,
      hlo::Opcode::kTopk,
      hlo::Opcode::kTriangularSolve,
      hlo::Opcode::kWhile,
      hlo::Opcode::kAfterAll,
      hlo::Opcode::kCustomCall,
      hlo::Opcode::kInfeed,
      hlo::Opcode::kOutfeed,
      hlo::Opcode::kSend,
      hlo::Opcode::kSendDone,
      hlo::Opcode::kRecv,
      hlo::Opcode::kRecvDone,
  };
  return !kWithout.contains(opcode);
}

TEST(HloValues, OfEachOp) {
  Counts counts;
  for (hlo::Opcode opcode : fuzz::GeneratedOpcodes()) {
    const std::string name = hlo::Name(opcode).str();
    const auto before = counts.errors;
    for (int64_t seed = 0; seed < std::max<int64_t>(10, Seeds() / 5); ++seed) {
      const auto bytes =
          fuzz::SeededBytes(1000 * static_cast<uint64_t>(opcode) + seed, /*count=*/512);
      fuzz::Choices choices(bytes);
      fuzz::OpLimits limits;
      limits.max_stride = 1000;
      auto module = fuzz::GenerateOpInstance(choices, opcode, limits);
      if (!module) continue;
      SCOPED_TRACE("opcode " + hlo::Name(opcode).str() + " seed " + std::to_string(seed));
      Subject(*module).Check(counts);
      if (HasFailure()) return;
    }
    // Ops with terms are seen, and have no errors, except for a few instances of bitcast-convert.
    if (HasValues(opcode) && opcode != hlo::Opcode::kBitcastConvert) {
      EXPECT_EQ(counts.errors, before) << name;
    }
    if (HasValues(opcode)) {
      EXPECT_GT(counts.opcodes[name], 0) << name;
    }
  }
  counts.Print();
}

TEST(HloValues, OfRandomGraphs) {
  Counts counts;
  for (int64_t seed = 1; seed <= Seeds(); ++seed) {
    const auto bytes = fuzz::SeededBytes(seed, /*count=*/1024);
    fuzz::Choices choices(bytes);
    auto module = fuzz::GenerateModule(choices);
    SCOPED_TRACE("seed " + std::to_string(seed));
    Subject(*module).Check(counts);
    if (HasFailure()) return;
  }
  counts.Print();
  EXPECT_TRUE(counts.errors.empty());
}

}  // namespace
}  // namespace affirm
