// Every op on random instances, of up to six dimensions and of production sizes: its maps are
// proved exact, or to give a superset of what it reads. AFFIRM_OP_INSTANCES sets how many instances
// an op gets (2).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <map>
#include <set>
#include <string>

#include "core/analysis/indexing.h"
#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "fuzz/generators/op_instances.h"
#include "verify/hlo/proof/fusion.h"
#include "verify/hlo/proof/prove_map.h"
#include "verify/hlo/semantics/access_relation.h"

namespace affirm {
namespace {

struct Count {
  int64_t maps = 0, exact = 0, proved = 0, no_claim = 0;
  std::vector<double> ms;  // of processor time, for an instance
};

std::vector<LabeledMap> OfLeaf(std::vector<LabeledMap> maps, size_t leaf) {
  std::erase_if(maps, [&](const LabeledMap& m) { return m.leaf != static_cast<int64_t>(leaf); });
  return maps;
}

// Ops of which all maps, or those of some results, are unknown (docs/oracle.md says why).
const std::set<hlo::Opcode> kWithoutClaim = {hlo::Opcode::kAfterAll,       hlo::Opcode::kCustomCall,
                                             hlo::Opcode::kDynamicReshape, hlo::Opcode::kInfeed,
                                             hlo::Opcode::kOutfeed,        hlo::Opcode::kRecv,
                                             hlo::Opcode::kRecvDone,       hlo::Opcode::kSend,
                                             hlo::Opcode::kSendDone,       hlo::Opcode::kWhile};

bool MakesNoClaim(llvm::ArrayRef<LabeledMap> maps) {
  return std::any_of(maps.begin(), maps.end(),
                     [](const LabeledMap& m) { return m.exactness == Exactness::kUnknown; });
}

// The maps of one result for one leaf array of an operand.
MapProofResult ProveLeaf(const hlo::Instruction& op, size_t id, size_t k, size_t leaf,
                         llvm::ArrayRef<LabeledMap> maps, Context& context) {
  auto relation = AccessRelationOf(op, id, k, context, leaf);
  if (!relation) return {.reason = "there is no access relation"};
  return ProveMaps(*relation, maps, Direction::kOutputToInput);
}

void ProveInstance(const hlo::Instruction& op, const std::string& text, Count& count) {
  std::clock_t start = std::clock();
  Context context;
  for (size_t id = 0; id < LeafShapes(op.shape).size(); ++id) {
    // With {.exact = true}, where the default map is unknown or over-approximate.
    InstructionIndexing indexing = OutputToInput(op, id, context, {.exact = true});
    std::vector<MapProofResult> called;
    if (IsCall(op, id)) called = ProveFusion(op, id, indexing.maps, context);
    for (size_t k = 0; k < op.operands.size(); ++k) {
      for (size_t leaf = 0; leaf < LeafShapes(op.operands[k]->shape).size(); ++leaf) {
        std::vector<LabeledMap> maps = OfLeaf(indexing.maps[k], leaf);
        ++count.maps;
        if (MakesNoClaim(maps)) {
          ++count.no_claim;
          EXPECT_TRUE(kWithoutClaim.count(op.opcode)) << "no claim: " << text;
          continue;
        }
        MapProofResult a = called.empty() ? ProveLeaf(op, id, k, leaf, maps, context) : called[k];
        count.proved += a.verdict == Verdict::kProved;
        count.exact += a.verdict == Verdict::kProved &&
                       std::all_of(maps.begin(), maps.end(), [](const LabeledMap& m) {
                         return m.exactness == Exactness::kExact;
                       });
        EXPECT_EQ(a.verdict, Verdict::kProved)
            << "result " << id << " operand " << k << " leaf " << leaf << ": " << a.reason
            << (maps.empty() ? "\nno map" : "\n" + maps[0].map.ToString())
            << (a.counterexample ? "\n" + a.counterexample->ToString(IndexingMap::Identity(
                                              context, LeafShape(op.shape, id)->dims))
                                 : "")
            << "\n"
            << text;
      }
    }
  }
  count.ms.push_back(1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
}

TEST(OpProofs, OnRandomInstances) {
  const char* wanted = std::getenv("AFFIRM_OP_INSTANCES");
  int64_t instances = wanted ? std::max(1, std::atoi(wanted)) : 2;
  std::map<std::string, Count> by_op;
  std::vector<double> all;
  for (hlo::Opcode opcode : fuzz::GeneratedOpcodes()) {
    fuzz::OpLimits limits;
    limits.max_rank = 6;
    limits.max_size = int64_t{1} << 14;
    limits.max_elements = int64_t{1} << 32;
    limits.max_window = 16;
    if (opcode == hlo::Opcode::kConstant) limits.max_elements = 1000;  // written out
    Count& count = by_op[hlo::Name(opcode).str()];
    for (int64_t seed = 0; seed < instances; ++seed) {
      std::vector<uint8_t> bytes = fuzz::SeededBytes(
          static_cast<uint64_t>(seed) * 1000 + static_cast<uint64_t>(opcode), 300);
      fuzz::Choices choices(bytes);
      auto module = fuzz::GenerateOpInstance(choices, opcode, limits);
      ASSERT_TRUE(module);
      ProveInstance(*module->entry->root, hlo::ToString(*module), count);
    }
    all.insert(all.end(), count.ms.begin(), count.ms.end());
  }
  int64_t maps = 0, exact = 0, proved = 0;
  for (auto& [name, count] : by_op) {
    maps += count.maps;
    exact += count.exact;
    proved += count.proved;
    if (count.no_claim > 0) {
      std::printf("%s: no claim for %ld of %ld\n", name.c_str(), static_cast<long>(count.no_claim),
                  static_cast<long>(count.maps));
    }
    std::sort(count.ms.begin(), count.ms.end());
    if (count.ms.back() > 500) {
      std::printf("%s: median %.1f ms, max %.1f ms\n", name.c_str(), count.ms[count.ms.size() / 2],
                  count.ms.back());
    }
  }
  std::sort(all.begin(), all.end());
  std::printf(
      "%zu instances, %ld maps: %ld proved, %ld of them exact; ms: median %.2f, p99 %.1f, "
      "max %.1f\n",
      all.size(), static_cast<long>(maps), static_cast<long>(proved), static_cast<long>(exact),
      all[all.size() / 2], all[all.size() * 99 / 100], all.back());
}

}  // namespace
}  // namespace affirm
