// libFuzzer: the bytes choose an instance of an op, of production sizes; its maps are proved. Or an
// op with symbolic sizes: its formula is the map of the op at some sizes, and is proved at all.
#include "core/analysis/indexing.h"
#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "fuzz/generators/op_instances.h"
#include "fuzz/targets/abort_if_wrong.h"
#include "verify/hlo/proof/prove_map.h"
#include "verify/hlo/semantics/access_relation.h"
#include "verify/hlo/symbolic/op.h"

namespace affirm::fuzz {
namespace {

DecideOptions Bounded() {
  DecideOptions options;
  options.budget.z3_rlimit = 1'000'000;
  options.budget.isl_operations = 1'000'000;
  options.budget.wall_ms = 600'000;
  return options;
}

std::string ProveOp(const hlo::Instruction& op) {
  Context context;
  for (size_t id = 0; id < LeafShapes(op.shape).size(); ++id) {
    InstructionIndexing indexing = OutputToInput(op, id, context, {.exact = true});
    for (size_t k = 0; k < op.operands.size(); ++k) {
      for (size_t leaf = 0; leaf < LeafShapes(op.operands[k]->shape).size(); ++leaf) {
        auto relation = AccessRelationOf(op, id, k, context, leaf);
        if (!relation) continue;
        std::vector<LabeledMap> maps = indexing.maps[k];
        std::erase_if(maps,
                      [&](const LabeledMap& m) { return m.leaf != static_cast<int64_t>(leaf); });
        if (ProveMaps(*relation, maps, Direction::kOutputToInput, Bounded()).verdict ==
            Verdict::kRefuted) {
          return "result " + std::to_string(id) + ", operand " + std::to_string(k) + ", leaf " +
                 std::to_string(leaf) + ": the maps are refuted";
        }
      }
    }
  }
  return "";
}

std::string CheckSymbolic(Choices& choices) {
  Context context;
  const auto names = SymbolicOpNames();
  const std::vector<SymbolicOp> forms =
      SymbolicOps(names[choices.Below(names.size())], choices.Between(1, 3), context);
  const SymbolicOp& op = forms[choices.Below(forms.size())];
  const auto parameters = InstanceParameters(op, 20);
  const auto test = TestInstance(op, parameters[choices.Below(parameters.size())], context);
  if (test && !test->same) return op.text + ": " + test->problem;
  if (!choices.OneIn(4)) return "";
  const bool refuted = ProveSymbolic(op, context, Bounded().budget).verdict == Verdict::kRefuted;
  return refuted ? op.text + " is refuted" : "";
}

}  // namespace
}  // namespace affirm::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace affirm;
  static const std::vector<hlo::Opcode> opcodes = fuzz::GeneratedOpcodes();
  fuzz::Choices choices({data, size});
  if (choices.OneIn(4)) {
    fuzz::AbortIfWrong("an op with symbolic sizes", fuzz::CheckSymbolic(choices));
    return 0;
  }
  fuzz::OpLimits limits;
  const hlo::Opcode opcode = opcodes[choices.Below(opcodes.size())];
  limits.max_rank = 5;
  limits.max_size = int64_t{1} << 12;
  limits.max_elements = opcode == hlo::Opcode::kConstant ? 1000 : int64_t{1} << 30;
  limits.max_window = 9;
  const auto module = fuzz::GenerateOpInstance(choices, opcode, limits);
  if (module) fuzz::AbortIfWrong(hlo::ToString(*module), fuzz::ProveOp(*module->entry->root));
  return 0;
}
