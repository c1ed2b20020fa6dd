// Maps of collectives are proved together with the replica whose operand they read.
#include <gtest/gtest.h>

#include <string>

#include "core/analysis/indexing.h"
#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "verify/hlo/proof/fusion.h"
#include "verify/hlo/proof/prove_map.h"
#include "verify/hlo/semantics/access_relation.h"

namespace affirm {
namespace {

struct Collective {
  const char* name;
  const char* root;
};

constexpr Collective kCollectives[] = {
    {"AllGather", "f32[8,3] all-gather(x), replica_groups={{0,1,2,3}}, dimensions={0}"},
    {"AllGatherOfAll", "f32[2,9] all-gather(x), replica_groups={}, dimensions={1}"},
    {"AllGatherOfPartitions",
     "f32[8,3] all-gather(x), channel_id=1, replica_groups={{0,1}}, dimensions={0}"},
    {"AllGatherOfDevices",
     "f32[4,3] all-gather(x), channel_id=1, use_global_device_ids=true, "
     "replica_groups={{0,3},{1,2}}, "
     "dimensions={0}"},
    {"AllToAllArray", "f32[2,3] all-to-all(x), replica_groups={{1,0}}, dimensions={0}"},
    {"AllToAllTuple", "(f32[2,3], f32[2,3]) all-to-all(x, x), replica_groups={{0,1},{2,3}}"},
    {"CollectiveBroadcast", "f32[2,3] collective-broadcast(x), replica_groups={{2,0}}"},
};

class Replicas : public testing::TestWithParam<Collective> {
 protected:
  void SetUp() override {
    auto module =
        hlo::ParseModule(std::string("HloModule m\nENTRY e { x = f32[2,3] parameter(0) ROOT r = ") +
                             GetParam().root + " }",
                         "text");
    ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
    module_ = std::move(*module);
  }
  std::unique_ptr<hlo::Module> module_;
  Context context_;
};

IndexingMap WithResult(IndexingMap map, SymbolicExpr e) {
  map.SetResults({e});
  return map;
}

TEST_P(Replicas, AreProvedAndWrongOnesAreNot) {
  const hlo::Instruction& op = *module_->entry->root;
  int64_t named = 0;
  for (int64_t id = 0; id < NumLeaves(op.shape); ++id) {
    InstructionIndexing indexing = OutputToInput(op, id, context_);
    for (size_t k = 0; k < op.operands.size(); ++k) {
      auto relation = AccessRelationOf(op, id, static_cast<int64_t>(k), context_);
      ASSERT_TRUE(relation.has_value());
      const std::vector<LabeledMap>& maps = indexing.maps[k];
      EXPECT_EQ(ProveMaps(*relation, maps, Direction::kOutputToInput).verdict, Verdict::kProved);
      for (size_t m = 0; m < maps.size(); ++m) {
        ASSERT_TRUE(maps[m].replica_id.has_value());
        ++named;
        const SymbolicExpr right = maps[m].replica_id->results()[0];
        for (SymbolicExpr wrong : {right + 1, right - 1, context_.Dim(1), context_.Constant(7)}) {
          std::vector<LabeledMap> changed = maps;
          changed[m].replica_id = WithResult(*maps[m].replica_id, wrong);
          MapProofResult answer = ProveMaps(*relation, changed, Direction::kOutputToInput);
          EXPECT_EQ(answer.verdict, Verdict::kRefuted) << answer.reason << wrong.ToString();
        }
        std::vector<LabeledMap> changed = maps;
        changed[m].replica_id->SetBounds(VarKind::kDim, 0, {0, 0});
        EXPECT_NE(ProveMaps(*relation, changed, Direction::kOutputToInput).verdict,
                  Verdict::kProved);
        changed = maps;
        changed[m].replica_id = IndexingMap::Undefined();
        EXPECT_NE(ProveMaps(*relation, changed, Direction::kOutputToInput).verdict,
                  Verdict::kProved);
      }
    }
  }
  EXPECT_GT(named, 0);
}

INSTANTIATE_TEST_SUITE_P(Collectives, Replicas, testing::ValuesIn(kCollectives),
                         [](const auto& info) { return std::string(info.param.name); });

// A map that names a replica is not proved for ops that read every member of the group, nor where
// source_target_pairs decide.
TEST(ReplicasOf, OthersAreNotProved) {
  for (const char* root :
       {"f32[2] all-reduce(x), replica_groups={{0,1}}, to_apply=sum",
        "f32[2] collective-permute(x), source_target_pairs={{0,1},{1,0}}", "f32[2] negate(x)"}) {
    auto module = hlo::ParseModule(
        std::string(
            "HloModule m\nsum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] "
            "add(a, b) }\nENTRY e { x = f32[2] parameter(0) ROOT r = ") +
            root + " }",
        "text");
    ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
    Context context;
    const hlo::Instruction& op = *(*module)->entry->root;
    std::vector<LabeledMap> maps = OutputToInput(op, 0, context).maps[0];
    ASSERT_EQ(maps.size(), 1u);
    auto relation = AccessRelationOf(op, 0, 0, context);
    EXPECT_EQ(ProveMaps(*relation, maps, Direction::kOutputToInput).verdict, Verdict::kProved);
    maps[0].replica_id = WithResult(maps[0].map, context.Constant(0));
    EXPECT_NE(ProveMaps(*relation, maps, Direction::kOutputToInput).verdict, Verdict::kProved)
        << root;
  }
}

// A call names the replicas that what it calls reads, and no others.
TEST(ReplicasOf, CallsAreThoseOfTheirCollectives) {
  auto module = hlo::ParseModule(
      "HloModule m\nf { x = f32[2] parameter(0) ROOT n = f32[2] negate(x) }\n"
      "g { x = f32[2] parameter(0) ROOT n = f32[4] all-gather(x), replica_groups={{0,1}}, "
      "dimensions={0} }\n"
      "ENTRY e { x = f32[2] parameter(0) a = f32[2] call(x), to_apply=f ROOT b = f32[4] call(x), "
      "to_apply=g }",
      "text");
  ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
  Context context;
  const hlo::Computation& entry = *(*module)->entry;
  std::vector<std::vector<LabeledMap>> maps = OutputToInput(*entry.Find("a"), 0, context).maps;
  EXPECT_EQ(ProveFusion(*entry.Find("a"), 0, maps, context)[0].verdict, Verdict::kProved);
  maps[0][0].replica_id = WithResult(maps[0][0].map, context.Constant(0));
  EXPECT_NE(ProveFusion(*entry.Find("a"), 0, maps, context)[0].verdict, Verdict::kProved);
  maps = OutputToInput(*entry.Find("b"), 0, context).maps;
  ASSERT_TRUE(maps[0][0].replica_id.has_value());
  EXPECT_EQ(ProveFusion(*entry.Find("b"), 0, maps, context)[0].verdict, Verdict::kProved);
  // The elements alone.
  std::vector<std::vector<LabeledMap>> elements = maps;
  elements[0][0].replica_id.reset();
  EXPECT_EQ(ProveFusion(*entry.Find("b"), 0, elements, context)[0].verdict, Verdict::kProved);
  // One member's shard for another's, and members that are not there.
  for (int64_t shift : {1, -1}) {
    std::vector<std::vector<LabeledMap>> shifted = maps;
    const SymbolicExpr member = maps[0][0].replica_id->results()[0];
    shifted[0][0].replica_id = WithResult(*maps[0][0].replica_id, member + shift);
    EXPECT_EQ(ProveFusion(*entry.Find("b"), 0, shifted, context)[0].verdict, Verdict::kRefuted);
  }
  maps[0][0].replica_id = WithResult(maps[0][0].map, context.Constant(0));
  EXPECT_EQ(ProveFusion(*entry.Find("b"), 0, maps, context)[0].verdict, Verdict::kRefuted);
}

// In a gathered array of gathered arrays: the member of the outer group, then that of its group. A
// read on the device itself names no member.
TEST(ReplicasOf, CompositionsAreThoseOfEachStep) {
  auto module = hlo::ParseModule(
      "HloModule m\n"
      "f { x = f32[2] parameter(0) a = f32[4] all-gather(x), replica_groups={{0,1},{2,3}}, "
      "dimensions={0} r = f32[4] reverse(a), dimensions={0} b = f32[8] all-gather(r), "
      "replica_groups={{0,2},{1,3}}, dimensions={0} y = f32[8] concatenate(x, x, x, x), "
      "dimensions={0} ROOT s = f32[8] add(b, y) }\n"
      "ENTRY e { x = f32[2] parameter(0) ROOT c = f32[8] call(x), to_apply=f }",
      "text");
  ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
  Context context;
  const hlo::Instruction& call = *(*module)->entry->root;
  const std::vector<std::vector<LabeledMap>> maps = OutputToInput(call, 0, context).maps;
  EXPECT_EQ(ProveFusion(call, 0, maps, context)[0].verdict, Verdict::kProved);
  size_t steps = 0;
  for (size_t m = 0; m < maps[0].size(); ++m) {
    if (!maps[0][m].replica_id) continue;
    const std::vector<SymbolicExpr> named = maps[0][m].replica_id->results().vec();
    steps = std::max(steps, named.size());
    // Without one of the steps, and with the steps exchanged.
    std::vector<std::vector<LabeledMap>> wrong = maps;
    wrong[0].erase(wrong[0].begin() + static_cast<int64_t>(m));
    EXPECT_EQ(ProveFusion(call, 0, wrong, context)[0].verdict, Verdict::kRefuted);
    wrong = maps;
    wrong[0][m].replica_id = maps[0][m].replica_id->WithResults({named[1], named[0]});
    EXPECT_EQ(ProveFusion(call, 0, wrong, context)[0].verdict, Verdict::kRefuted);
    wrong = maps;
    wrong[0][m].replica_id = maps[0][m].replica_id->WithResults({named[0]});
    EXPECT_EQ(ProveFusion(call, 0, wrong, context)[0].verdict, Verdict::kRefuted);
  }
  EXPECT_EQ(steps, 2u);
}

}  // namespace
}  // namespace affirm
