// Ops whose reads depend on values: their maps give a superset of the access relation, and changing
// an element of an operand changes only results that read it by the relation.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "core/analysis/indexing.h"
#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "tests/hlo_semantics/value_op_modules.h"
#include "verify/decide/evaluate.h"
#include "verify/hlo/proof/fusion.h"
#include "verify/hlo/proof/prove_map.h"
#include "verify/hlo/semantics/access_relation.h"
#include "verify/maps/point_set.h"
#include "verify/reference/interpreter.h"

namespace affirm {
namespace {

class ValueDependentReads : public testing::TestWithParam<ValueOpModule> {
 protected:
  void SetUp() override {
    auto module = hlo::ParseModule(ModuleText(GetParam()), GetParam().name);
    ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
    module_ = std::move(*module);
  }
  std::unique_ptr<hlo::Module> module_;
  Context context_;
};

bool MakesNoClaim(llvm::ArrayRef<LabeledMap> maps) {
  return std::any_of(maps.begin(), maps.end(),
                     [](const LabeledMap& m) { return m.exactness == Exactness::kUnknown; });
}

std::vector<LabeledMap> OfLeaf(std::vector<LabeledMap> maps, size_t leaf) {
  std::erase_if(maps, [&](const LabeledMap& m) { return m.leaf != static_cast<int64_t>(leaf); });
  return maps;
}

TEST_P(ValueDependentReads, IsWhatTheMapsSay) {
  for (bool exact : {false, true}) {
    IndexingOptions options{.exact = exact};
    for (const auto& op : module_->entry->instructions) {
      for (size_t id = 0; id < LeafShapes(op->shape).size(); ++id) {
        InstructionIndexing indexing = OutputToInput(*op, id, context_, options);
        std::vector<MapProofResult> called;
        if (IsCall(*op, id)) called = ProveFusion(*op, id, indexing.maps, context_);
        for (size_t k = 0; k < op->operands.size(); ++k) {
          for (size_t leaf = 0; leaf < LeafShapes(op->operands[k]->shape).size(); ++leaf) {
            std::vector<LabeledMap> maps = OfLeaf(indexing.maps[k], leaf);
            if (MakesNoClaim(maps)) continue;  // scan's default, a loop's changing leaf
            auto r = AccessRelationOf(*op, id, k, context_, leaf);
            ASSERT_TRUE(!called.empty() || r.has_value()) << op->name;
            MapProofResult a =
                called.empty() ? ProveMaps(*r, maps, Direction::kOutputToInput) : called[k];
            EXPECT_EQ(a.verdict, Verdict::kProved)
                << op->name << " operand " << k << " exact " << exact << ": " << a.reason << "\n"
                << (maps.empty() ? "no maps" : maps[0].map.ToString());
          }
        }
      }
    }
  }
}

// A map that is too small, or that is labeled exact, is not proved.
TEST_P(ValueDependentReads, WrongLabelsAndHolesFall) {
  for (const auto& op : module_->entry->instructions) {
    for (size_t id = 0; id < LeafShapes(op->shape).size(); ++id) {
      InstructionIndexing indexing = OutputToInput(*op, id, context_, {.exact = true});
      for (size_t k = 0; k < op->operands.size(); ++k) {
        auto r = AccessRelationOf(*op, id, k, context_, 0);
        std::vector<LabeledMap> maps = OfLeaf(indexing.maps[k], 0);
        if (!r || maps.size() != 1 || MakesNoClaim(maps)) continue;
        if (r->upper_bound) {
          maps[0].exactness = Exactness::kExact;
          EXPECT_NE(ProveMaps(*r, maps, Direction::kOutputToInput).verdict, Verdict::kProved);
          maps[0].exactness = Exactness::kOverApproximate;
        }
        if (maps[0].map.dims().empty() || maps[0].map.dims()[0].bounds.upper < 1) continue;
        maps[0].map.SetBounds(VarKind::kDim, 0, {1, maps[0].map.dims()[0].bounds.upper});
        EXPECT_EQ(ProveMaps(*r, maps, Direction::kOutputToInput).verdict, Verdict::kRefuted)
            << op->name << " operand " << k;
      }
    }
  }
}

std::vector<hlo::Literal*> ArraysOf(hlo::Literal& value) {
  if (!value.shape().IsTuple()) return {&value};
  std::vector<hlo::Literal*> arrays;
  for (hlo::Literal& element : value.tuple()) {
    for (hlo::Literal* array : ArraysOf(element)) arrays.push_back(array);
  }
  return arrays;
}

std::vector<int64_t> IndexAt(llvm::ArrayRef<Interval> box, int64_t linear) {
  std::vector<int64_t> index(box.size());
  for (size_t i = box.size(); i-- > 0;) {
    index[i] = linear % (box[i].upper + 1);
    linear /= box[i].upper + 1;
  }
  return index;
}

// Element `to` of leaf `id` changed with element `from` of a leaf of operand k.
bool IsMeant(const hlo::Instruction& op, int64_t id, int64_t to, int64_t k, int64_t leaf,
             int64_t from, Context& context) {
  auto r = AccessRelationOf(op, id, k, context, leaf);
  if (!r) return true;  // a called computation's, or a loop's
  SolverQuery q{.context = &context, .variables = r->output};
  for (const auto* more : {&r->input, &r->runtime, &r->extra}) {
    q.variables.insert(q.variables.end(), more->begin(), more->end());
  }
  q.claim = r->reads;
  std::vector<int64_t> point = IndexAt(r->output, to), in = IndexAt(r->input, from);
  point.insert(point.end(), in.begin(), in.end());
  point.resize(q.variables.size());
  return EvaluateClaim(q, point, 1 << 16).value_or(false);
}

TEST_P(ValueDependentReads, ChangesReachOnlyWhatReads) {
  if (!GetParam().runs) return;  // the interpreter has no such op
  std::vector<hlo::Literal> values = hlo::MakeArguments(*module_->entry, 3);
  std::map<int64_t, hlo::Literal> by_id;
  int64_t changes = 0;
  for (const auto& op : module_->entry->instructions) {
    if (op->opcode == hlo::Opcode::kParameter) {
      by_id[op->id] = values[op->parameter_number];
      continue;
    }
    std::vector<const hlo::Literal*> operands;
    for (const hlo::Instruction* o : op->operands) operands.push_back(&by_id.at(o->id));
    auto before = hlo::InterpretInstruction(*op, operands);
    ASSERT_TRUE(static_cast<bool>(before)) << llvm::toString(before.takeError());
    for (size_t k = 0; k < operands.size(); ++k) {
      hlo::Literal changed = *operands[k];
      std::vector<hlo::Literal*> arrays = ArraysOf(changed);
      std::vector<const hlo::Literal*> now = operands;
      now[k] = &changed;
      for (size_t leaf = 0; leaf < arrays.size(); ++leaf) {
        for (int64_t at = 0; at < arrays[leaf]->NumElements(); ++at) {
          bool is_float = hlo::IsFloat(arrays[leaf]->shape().type);
          double old_float = is_float ? arrays[leaf]->GetFloat(at) : 0;
          int64_t old_int = is_float ? 0 : arrays[leaf]->GetInt(at);
          if (is_float) arrays[leaf]->SetFloat(at, old_float + 1);
          if (!is_float) arrays[leaf]->SetInt(at, old_int + 1);
          auto after = hlo::InterpretInstruction(*op, now);
          ASSERT_TRUE(static_cast<bool>(after)) << llvm::toString(after.takeError());
          std::vector<hlo::Literal*> was = ArraysOf(*before), is = ArraysOf(*after);
          for (size_t id = 0; id < was.size(); ++id) {
            for (int64_t to = 0; to < was[id]->NumElements(); ++to) {
              if (was[id]->ElementToString(to) == is[id]->ElementToString(to)) continue;
              ++changes;
              EXPECT_TRUE(IsMeant(*op, id, to, k, leaf, at, context_))
                  << op->name << " element " << to << " of " << id << " by element " << at
                  << " of operand " << k << " leaf " << leaf;
            }
          }
          if (is_float) arrays[leaf]->SetFloat(at, old_float);
          if (!is_float) arrays[leaf]->SetInt(at, old_int);
        }
      }
    }
    by_id[op->id] = std::move(*before);
  }
  bool reads_sizes_alone = std::string(GetParam().name) == "GetDimensionSize";
  EXPECT_EQ(changes > 0, !reads_sizes_alone);
}

INSTANTIATE_TEST_SUITE_P(Ops, ValueDependentReads, testing::ValuesIn(kValueOpModules),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace affirm
