// Each instruction's maps are what the instruction reads.
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "core/hlo/dynamic_sizes.h"
#include "core/hlo/leaves.h"
#include "driver/check/steps.h"
#include "driver/check/unit.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/proof/fusion.h"
#include "verify/hlo/proof/prove_map.h"
#include "verify/hlo/semantics/access_relation.h"

namespace affirm::driver {
namespace {

std::string Title(const hlo::Instruction& instruction, int64_t output, int64_t operand) {
  std::string title = "map of " + instruction.opcode_text + " '" + instruction.name + "'";
  if (instruction.shape.IsTuple()) title += " from output " + std::to_string(output);
  return title + " for operand " + std::to_string(operand);
}

// Whether the maps of one array of an operand, together, are what the instruction reads of it.
Proof Prove(State& state, const hlo::Instruction& instruction, int64_t output, int64_t operand,
            int64_t leaf, llvm::ArrayRef<LabeledMap> maps) {
  auto relation = AccessRelationOf(instruction, output, operand, state.context, leaf);
  if (!relation && hlo::UsesDynamicSizes(instruction, output)) {
    return {Verdict::kUnknown, "", 0,
            "a size is known at run time only, and no map or access relation says so of " +
                instruction.opcode_text};
  }
  if (!relation) {
    return {Verdict::kUnknown, "", 0,
            "the semantics of " + instruction.opcode_text + " is not written down yet"};
  }
  MapProofResult answer =
      ProveMaps(*relation, maps, Direction::kOutputToInput, state.options().decide);
  // Only the names of the dims matter for the text of a counterexample.
  const hlo::Shape* from = LeafShape(instruction.shape, output);
  return ProofOf(answer, IndexingMap::Identity(state.context, from->dims));
}

void CheckLeaf(State& state, const hlo::Instruction& instruction, int64_t output, int64_t operand,
               int64_t leaf, const InstructionIndexing& indexing, llvm::ArrayRef<LabeledMap> maps,
               Proof proof) {
  state.RecordMap(instruction, proof.verdict);
  state.RecordProof(proof, "map",
                    state.SourceLocationOf(instruction) + ": " +
                        Title(instruction, output, operand) + " (lhs) against what it reads (rhs)");
  if (maps.empty()) return;  // nothing is read, and nothing to list
  if (proof.verdict == Verdict::kProved)
    CertifyLeafReads(state, instruction, output, operand, leaf, indexing, "");
  MapCheck check{
      instruction.parent->name, instruction.name, instruction.opcode_text, output, operand, {},
      Exactness::kExact,        std::move(proof)};
  for (const LabeledMap& map : maps) {
    check.maps.push_back(map.map.IsUndefined() ? "undefined" : map.map.ToString());
    if (map.replica_id) check.maps.back() += ", of replica " + map.replica_id->ToString();
    check.exactness = std::max(check.exactness, map.exactness);
  }
  state.report.maps.push_back(std::move(check));
}

void CheckInstruction(State& state, const hlo::Instruction& instruction) {
  if (instruction.opcode == hlo::Opcode::kCustomCall) {
    state.RecordMap(instruction, Verdict::kUnknown);
    state.AddFinding(Finding::Kind::kUnknown, "map", state.WhyUnknown(instruction));
    return;
  }
  int64_t outputs = NumLeaves(instruction.shape);
  for (int64_t output = 0; output < outputs; ++output) {
    InstructionIndexing indexing = MapsOf(state, instruction, output);
    if (indexing.maps.size() != instruction.operands.size()) {
      state.AddFinding(Finding::Kind::kUnknown, "map",
                       state.SourceLocationOf(instruction) + ": the analysis has no maps of " +
                           instruction.opcode_text + " '" + instruction.name + "' for " +
                           std::to_string(instruction.operands.size()) + " operands");
      continue;
    }
    // For an op that calls computations, each operand is proved as a whole.
    std::vector<MapProofResult> called;
    if (IsCall(instruction, output)) {
      called = ProveFusion(instruction, output, indexing.maps, state.call_proofs);
    }
    IndexingMap names =
        IndexingMap::Identity(state.context, LeafShape(instruction.shape, output)->dims);
    const std::optional<OperandLeaf> handed_on = HandedOn(instruction, output);
    for (size_t k = 0; k < indexing.maps.size(); ++k) {
      int64_t operand = static_cast<int64_t>(k);
      // No map leads where nothing is read.
      const bool is_handed = handed_on && handed_on->operand == operand;
      if (handed_on && !is_handed && called.empty() && indexing.maps[k].empty()) continue;
      int64_t leaves = NumLeaves(instruction.operands[k]->shape);
      if (llvm::any_of(indexing.maps[k],
                       [&](const LabeledMap& m) { return m.leaf < 0 || m.leaf >= leaves; })) {
        state.AddFinding(Finding::Kind::kUnknown, "map",
                         state.SourceLocationOf(instruction) + ": " +
                             Title(instruction, output, operand) +
                             " leads to an array that the operand does not have");
      }
      // A call has one verdict for all arrays of an operand, which a loop may have hundreds of.
      const bool is_proved_call = !called.empty() && called[k].verdict == Verdict::kProved;
      if (is_proved_call) state.RecordMap(instruction, Verdict::kProved);
      for (int64_t leaf = 0; leaf < leaves; ++leaf) {
        std::vector<LabeledMap> maps;
        llvm::copy_if(indexing.maps[k], std::back_inserter(maps),
                      [&](const LabeledMap& map) { return map.leaf == leaf; });
        if (handed_on && *handed_on != OperandLeaf{operand, leaf} && maps.empty()) continue;
        if (is_proved_call && maps.empty()) continue;
        Proof proof = called.empty() ? Prove(state, instruction, output, operand, leaf, maps)
                                     : ProofOf(called[k], names);
        CheckLeaf(state, instruction, output, operand, leaf, indexing, maps, std::move(proof));
      }
    }
  }
}

// Maps and op semantics know sizes that a scalar sets; kernels know none, and what no kernel
// computes is not affirmed. The first such instruction stands for all.
void CheckSizes(State& state) {
  for (const auto& instruction : state.module.entry->instructions) {
    if (!hlo::UsesDynamicSizes(*instruction)) continue;
    state.AddFinding(Finding::Kind::kUnknown, "coverage",
                     state.SourceLocationOf(*instruction) + ": no kernel computes " +
                         instruction->opcode_text + " '" + instruction->name +
                         "': a size is known at run time only");
    return;
  }
}

// The maps of a fusion are compositions: compositions.cc. One in which devices communicate is a
// call that the host makes.
bool IsComposed(const State& state, const hlo::Instruction& op) {
  return op.opcode == hlo::Opcode::kFusion && state.program.RoleOf(op) != HostRole::kControl;
}

// The most instructions of a computation in one unit: what is known of the others is kept
// where the time for one does not suffice.
constexpr size_t kMostInstructions = 512;

using Instructions = llvm::ArrayRef<std::unique_ptr<hlo::Instruction>>;

void CheckInstructions(State& state, Instructions instructions) {
  for (const auto& instruction : instructions) {
    if (IsComposed(state, *instruction)) continue;
    state.progress("maps of " + instruction->name);
    CheckInstruction(state, *instruction);
  }
}

void GiveUp(State& state, const std::string& unit, Instructions instructions,
            const std::string& why) {
  state.AddFinding(Finding::Kind::kUnknown, "map", unit + ": " + why);
  for (const auto& instruction : instructions) {
    if (IsComposed(state, *instruction)) continue;
    state.RecordMap(*instruction, Verdict::kUnknown);
  }
}

}  // namespace

void AddMapUnits(State& state, std::vector<Unit>& units) {
  CheckSizes(state);
  for (const auto& made : state.module.computations) {
    const Instructions all = made->instructions;
    for (size_t begin = 0; begin < all.size(); begin += kMostInstructions) {
      const Instructions some = all.slice(begin, std::min(kMostInstructions, all.size() - begin));
      std::string name = "maps of " + made->name, text = "maps of the instructions of '";
      text += made->name + "'";
      if (some.size() < all.size()) {
        name += " from " + some.front()->name;
        text += " from '" + some.front()->name + "' to '" + some.back()->name + "'";
      }
      units.push_back({.name = std::move(name),
                       .work = [&state, some] { CheckInstructions(state, some); },
                       .give_up = [&state, text, some](
                                      const std::string& why) { GiveUp(state, text, some, why); }});
    }
  }
}

}  // namespace affirm::driver
