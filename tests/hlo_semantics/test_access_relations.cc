// The access relation of each op is what the reference interpreter reads, and the maps of
// core/analysis are that relation.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/analysis/indexing.h"
#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "tests/hlo_semantics/op_modules.h"
#include "verify/decide/evaluate.h"
#include "verify/hlo/proof/prove_map.h"
#include "verify/hlo/semantics/access_relation.h"
#include "verify/maps/point_set.h"
#include "verify/reference/interpreter.h"

namespace affirm {
namespace {

class AccessRelations : public testing::TestWithParam<OpModule> {
 protected:
  void SetUp() override {
    auto module = hlo::ParseModule(ModuleText(GetParam()), GetParam().name);
    ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
    module_ = std::move(*module);
  }
  std::unique_ptr<hlo::Module> module_;
  Context context_;
};

// The value of each runtime variable at an output index: the producer's element, clamped.
std::vector<int64_t> RuntimeAt(const AccessRelation& r,
                               const std::map<int64_t, const hlo::Literal*>& values,
                               llvm::ArrayRef<int64_t> out) {
  std::vector<int64_t> runtime;
  for (size_t k = 0; k < r.runtime.size(); ++k) {
    const hlo::Literal& producer = *values.at(r.runtime_operands[k].producer);
    std::vector<int64_t> index;
    for (SymbolicExpr e : r.runtime_operands[k].index) {
      index.push_back(static_cast<int64_t>(*EvaluateTerm(e, out)));
    }
    int64_t v = producer.GetInt(producer.Linear(index));
    runtime.push_back(std::clamp(v, r.runtime[k].lower, r.runtime[k].upper));
    if (SymbolicExpr known = r.runtime_operands[k].known_value) {
      EXPECT_EQ(static_cast<int64_t>(*EvaluateTerm(known, out)), runtime.back());
    }
  }
  return runtime;
}

int64_t Linear(llvm::ArrayRef<Interval> box, llvm::ArrayRef<int64_t> index) {
  int64_t linear = 0;
  for (size_t i = 0; i < box.size(); ++i) linear = linear * (box[i].upper + 1) + index[i];
  return linear;
}

TEST_P(AccessRelations, IsWhatTheInterpreterReads) {
  using Read = std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t>;
  const hlo::Computation& entry = *module_->entry;
  std::vector<hlo::Literal> arguments = hlo::MakeArguments(entry, 7);
  std::map<int64_t, hlo::Literal> values;
  std::map<int64_t, const hlo::Literal*> by_id;
  for (const auto& op : entry.instructions) {
    std::set<Read> seen;
    std::vector<const hlo::Literal*> operands;
    for (const hlo::Instruction* o : op->operands) operands.push_back(&values.at(o->id));
    if (op->opcode == hlo::Opcode::kParameter) {
      values[op->id] = arguments[op->parameter_number];
    } else {
      hlo::ReadObserver observer = [&](const hlo::Instruction& who, int64_t result_leaf,
                                       int64_t result, int64_t operand, int64_t leaf, int64_t at) {
        if (&who == op.get()) seen.insert({result_leaf, result, operand, leaf, at});
      };
      auto value = hlo::InterpretInstruction(*op, operands, &observer);
      ASSERT_TRUE(static_cast<bool>(value)) << llvm::toString(value.takeError());
      values[op->id] = std::move(*value);
    }
    by_id[op->id] = &values[op->id];

    std::set<Read> meant;
    for (size_t id = 0; id < LeafShapes(op->shape).size(); ++id) {
      for (size_t k = 0; k < op->operands.size(); ++k) {
        for (size_t leaf = 0; leaf < LeafShapes(op->operands[k]->shape).size(); ++leaf) {
          auto r = AccessRelationOf(*op, id, k, context_, leaf);
          ASSERT_TRUE(r.has_value()) << op->name;
          SolverQuery q{.context = &context_, .variables = r->output};
          q.variables.insert(q.variables.end(), r->input.begin(), r->input.end());
          q.variables.insert(q.variables.end(), r->runtime.begin(), r->runtime.end());
          q.claim = r->reads;
          ForEachInBox(r->output, [&](llvm::ArrayRef<int64_t> out, int64_t) {
            std::vector<int64_t> runtime = RuntimeAt(*r, by_id, out);
            ForEachInBox(r->input, [&](llvm::ArrayRef<int64_t> in, int64_t) {
              std::vector<int64_t> point = out.vec();
              point.insert(point.end(), in.begin(), in.end());
              point.insert(point.end(), runtime.begin(), runtime.end());
              if (*EvaluateClaim(q, point, 1)) {
                meant.insert({id, Linear(r->output, out), k, leaf, Linear(r->input, in)});
              }
              return true;
            });
            return true;
          });
        }
      }
    }
    EXPECT_EQ(meant, seen) << op->name;
  }
}

TEST_P(AccessRelations, IsWhatTheMapsSay) {
  for (bool exact : {false, true}) {
    IndexingOptions options{.exact = exact};
    for (const auto& op : module_->entry->instructions) {
      for (size_t id = 0; id < LeafShapes(op->shape).size(); ++id) {
        InstructionIndexing to_input = OutputToInput(*op, id, context_, options);
        for (size_t k = 0; k < op->operands.size(); ++k) {
          InstructionIndexing to_output = InputToOutput(*op, k, context_, options);
          for (size_t leaf = 0; leaf < LeafShapes(op->operands[k]->shape).size(); ++leaf) {
            auto r = AccessRelationOf(*op, id, k, context_, leaf);
            ASSERT_TRUE(r.has_value()) << op->name;
            for (Direction d : {Direction::kOutputToInput, Direction::kInputToOutput}) {
              std::vector<LabeledMap> maps =
                  d == Direction::kOutputToInput ? to_input.maps[k] : to_output.maps[id];
              std::erase_if(
                  maps, [&](const LabeledMap& m) { return m.leaf != static_cast<int64_t>(leaf); });
              MapProofResult a = ProveMaps(*r, maps, d);
              EXPECT_EQ(a.verdict, Verdict::kProved)
                  << op->name << " operand " << k << " direction " << static_cast<int>(d)
                  << " exact " << exact << ": " << a.reason << "\n"
                  << (maps.empty() ? "no maps" : maps[0].map.ToString()) << "\n"
                  << (a.counterexample && !maps.empty() ? a.counterexample->ToString(maps[0].map)
                                                        : "");
            }
          }
        }
      }
    }
  }
}

// Each exact map with one result shifted is refuted, with a point that shows it.
TEST_P(AccessRelations, WrongMapsAreRefutedWithAPoint) {
  for (const auto& op : module_->entry->instructions) {
    for (size_t id = 0; id < LeafShapes(op->shape).size(); ++id) {
      InstructionIndexing indexing = OutputToInput(*op, id, context_);
      for (size_t k = 0; k < op->operands.size(); ++k) {
        if (indexing.maps[k].size() != 1) continue;
        LabeledMap right = indexing.maps[k][0];
        if (right.exactness != Exactness::kExact) continue;
        auto r = AccessRelationOf(*op, id, k, context_, right.leaf);
        for (size_t i = 0; i < right.map.results().size(); ++i) {
          LabeledMap wrong = right;
          std::vector<SymbolicExpr> results = wrong.map.results().vec();
          results[i] = results[i] + 1;
          wrong.map.SetResults(results);
          MapProofResult a = ProveMap(*r, wrong, Direction::kOutputToInput);
          if (ProveEmpty(right.map).verdict == Verdict::kProved) continue;
          EXPECT_EQ(a.verdict, Verdict::kRefuted)
              << op->name << " operand " << k << ": " << a.reason << wrong.map.ToString();
          if (a.verdict != Verdict::kRefuted) continue;
          ASSERT_TRUE(a.counterexample.has_value());
          EXPECT_NE(a.counterexample->lhs, a.counterexample->rhs);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, AccessRelations, testing::ValuesIn(kOpModules),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace affirm
