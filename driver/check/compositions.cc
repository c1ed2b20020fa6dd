// The maps of a fusion are the compositions of its instructions' maps, simplified by proved rules.
// A large computation that is split into several kernels has composed maps for each kernel only:
// through all layers of a model there are too many paths, and no kernel follows them.
//
// The composition goes from the root of a computation to its parameters, users before operands.
// Each instruction on the way gets its distinct maps from the root; each is composed with the
// instruction's own maps, and the simplified result is proved equal to the composition. At the
// parameters the maps must be those that core/analysis gives for the fusion.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "core/hlo/dynamic_sizes.h"
#include "core/hlo/leaves.h"
#include "core/simplify/simplify.h"
#include "driver/check/steps.h"
#include "driver/check/unit.h"
#include "driver/exit_status.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/proof/composition.h"
#include "verify/hlo/proof/fusion.h"
#include "verify/hlo/proof/runtime_equivalence.h"
#include "verify/rules/replay.h"

namespace affirm::driver {
namespace {

// An array on the way: a leaf of an instruction's result.
using ArrayLeaf = std::pair<const hlo::Instruction*, int64_t>;

class PathComposer {
 public:
  PathComposer(State& state, const hlo::Computation& computation, std::string fusion)
      : state_(state), computation_(computation), fusion_(std::move(fusion)) {}

  // The distinct maps from output `output` to each parameter; false when one is not known.
  bool Run(int64_t output) {
    output_ = output;
    ArrayLeaf root{computation_.root, output};
    from_ = LeafShape(computation_.root->shape, output);
    maps_[PlaceOf(root)].push_back(
        {IndexingMap::Identity(state_.context, from_->dims), Exactness::kExact, output, {}});
    // Operands, which come after their users here, are added on the way.
    for (const auto& [place, maps] : maps_) {
      const size_t position = static_cast<size_t>(-place.first);
      if (!Pass({computation_.instructions[position].get(), place.second}, maps)) return false;
    }
    return true;
  }

  const std::vector<LabeledMap>& MapsTo(const hlo::Instruction& parameter) {
    return maps_[PlaceOf({&parameter, 0})];
  }

 private:
  // Users first: the position of an instruction, negative, and a leaf of it.
  using Place = std::pair<int64_t, int64_t>;
  Place PlaceOf(ArrayLeaf array) const {
    return {-state_.call_proofs.PositionOf(*array.first), array.second};
  }

  // Composes the maps to `array` with the maps of its instruction.
  bool Pass(ArrayLeaf array, const std::vector<LabeledMap>& maps) {
    if (array.first->operands.empty()) return true;
    InstructionIndexing indexing = MapsOf(state_, *array.first, array.second);
    for (const LabeledMap& outer : maps) {
      for (size_t k = 0; k < indexing.maps.size(); ++k) {
        for (const LabeledMap& inner : indexing.maps[k]) {
          const hlo::Instruction& operand = *array.first->operands[k];
          if (!Add({&operand, inner.leaf}, outer, inner, any_element_.contains(PlaceOf(array))))
            return false;
        }
      }
    }
    return true;
  }

  bool Add(ArrayLeaf array, const LabeledMap& outer, const LabeledMap& inner,
           bool from_any_element) {
    if (any_element_.contains(PlaceOf(array))) return true;
    if (outer.map.IsUndefined() || inner.map.IsUndefined()) {
      return Unknown(*array.first, "a map on the way is not known");
    }
    IndexingMap raw = Compose(outer.map, inner.map);
    IndexingMap simplified = Simplified(*array.first, raw);
    if (simplified.IsKnownEmpty()) return true;
    std::vector<LabeledMap>& list = maps_[PlaceOf(array)];
    Exactness exactness = std::max(outer.exactness, inner.exactness);
    for (LabeledMap& known : list) {
      if (known.map == simplified && !from_any_element) {
        known.exactness = std::min(known.exactness, exactness);
        return true;
      }
    }
    list.push_back({std::move(simplified), exactness, array.second, {}});
    if (!from_any_element && std::ssize(list) <= kMaxMapsPerLeaf) return true;
    // Any element, as the analysis says it then, also of what such an array leads to.
    const hlo::Shape* to = LeafShape(array.first->shape, array.second);
    if (hlo::HasDynamicSize(*to)) {
      return Unknown(*array.first,
                     "more than " + std::to_string(kMaxMapsPerLeaf) + " maps lead to it");
    }
    list = {
        {EveryElement(state_.context, *from_, *to), Exactness::kOverApproximate, array.second, {}}};
    any_element_.insert(PlaceOf(array));
    return true;
  }

  bool Unknown(const hlo::Instruction& instruction, const std::string& why) {
    state_.AddFinding(Finding::Kind::kUnknown, "composition",
                      state_.SourceLocationOf(instruction) + ": maps of '" + fusion_ + "' to '" +
                          instruction.name + "': " + why);
    return false;
  }

  // `raw` simplified, without the variables that nothing uses, and proved equal.
  IndexingMap Simplified(const hlo::Instruction& instruction, const IndexingMap& raw) {
    Trace trace;
    IndexingMap rewritten = Simplify(raw, state_.checker.rules(), &trace);
    Record(instruction, raw, rewritten, trace);
    IndexingMap simplified = RemoveUnusedVariables(rewritten);
    const auto& fault = state_.options().faults.composition;
    if (fault) fault(instruction, simplified);
    SimplificationCheck& all = state_.report.simplification;
    if (simplified == raw) {
      ++all.proved;
      return simplified;
    }
    MapProofResult answer = ProveEqualForAllRuntimeValues(raw, simplified, state_.options().decide);
    all.proved += answer.verdict == Verdict::kProved;
    all.ms += answer.ms;
    if (answer.verdict == Verdict::kProved) {
      CertifySimplification(state_,
                            fusion_ + "." + std::to_string(output_) + "." + instruction.name + "." +
                                std::to_string(++simplified_) + ".simplified",
                            raw, rewritten);
    }
    state_.RecordProof(
        ProofOf(answer, raw), "simplification",
        state_.SourceLocationOf(instruction) + ": the composition from the result of '" + fusion_ +
            "' to '" + instruction.name + "' (lhs) and the map it was simplified to (rhs)",
        "affirm equiv --map-a '" + raw.ToString() + "' --map-b '" + simplified.ToString() + "'");
    return simplified;
  }

  // Counts the steps, and has the independent checker go through them.
  void Record(const hlo::Instruction& instruction, const IndexingMap& raw,
              const IndexingMap& rewritten, const Trace& trace) {
    SimplificationCheck& all = state_.report.simplification;
    ++all.compositions;
    all.steps += static_cast<int64_t>(trace.steps.size());
    for (const TraceStep& step : trace.steps) ++all.uses[step.rule];
    ReplayReport replay = Replay(raw, rewritten, trace, state_.checker.rules().rules(),
                                 state_.options().decide.budget);
    if (replay.ok()) {
      all.replayed += static_cast<int64_t>(trace.steps.size());
      return;
    }
    state_.AddFinding(Finding::Kind::kRefuted, "simplification",
                      state_.SourceLocationOf(instruction) +
                          ": the trace of the simplification of " + raw.ToString() +
                          " does not replay: " + replay.problems.front().text);
  }

  State& state_;
  const hlo::Computation& computation_;
  std::string fusion_;
  const hlo::Shape* from_ = nullptr;     // the output
  int64_t output_ = 0, simplified_ = 0;  // its number; maps so far
  std::map<Place, std::vector<LabeledMap>> maps_;
  std::set<Place> any_element_;  // to which more maps lead than are kept
};

// The map of `list` that equals `map`, with the answer; else the answer for the first of the list.
MapProofResult FindEqual(const std::vector<LabeledMap>& list, const IndexingMap& map,
                         const DecideOptions& options) {
  MapProofResult first;
  first.reason = "nothing on the way reads this operand";
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i].map == map) {
      MapProofResult same;
      same.verdict = Verdict::kProved;
      return same;
    }
  }
  for (size_t i = 0; i < list.size(); ++i) {
    MapProofResult answer = ProveEqual(map, list[i].map, options);
    if (answer.verdict == Verdict::kProved) return answer;
    if (i == 0) first = answer;
  }
  return first;
}

// The weaker of two proofs, with the times of both.
Proof Both(Proof a, const Proof& b) {
  double ms = a.ms + b.ms;
  const bool same = a.verdict == b.verdict;
  if (b.verdict < a.verdict || (same && b.engine != "interval analysis")) a = b;
  a.ms = ms;
  return a;
}

// The difference between the analysis' maps of a fusion for one parameter and those of the
// composition: each must equal one on the other side.
struct Difference {
  Proof proof;
  std::string what;
};

Difference CompareMaps(const std::vector<LabeledMap>& analyzed,
                       const std::vector<LabeledMap>& composed, const DecideOptions& decide) {
  auto no_claim = [](const LabeledMap& map) { return map.exactness == Exactness::kUnknown; };
  if (llvm::any_of(analyzed, no_claim) || llvm::any_of(composed, no_claim)) {
    return {{Verdict::kUnknown, "", 0, "a map makes no claim"}, "its maps"};
  }
  Difference all{{Verdict::kProved, affirm::Name(Engine::kIntervalAnalysis), 0, ""}, ""};
  auto add = [&](const std::vector<LabeledMap>& from, const std::vector<LabeledMap>& to,
                 const char* what) {
    for (const LabeledMap& labeled : from) {
      Proof proof = ProofOf(FindEqual(to, labeled.map, decide), labeled.map);
      if (proof.verdict != Verdict::kProved && all.what.empty()) all.what = what;
      all.proof = Both(all.proof, proof);
    }
  };
  add(analyzed, composed, "a map (lhs) is no composition of its instructions' maps (rhs)");
  add(composed, analyzed,
      "a composition of its instructions' maps (lhs) is missing from its maps (rhs)");
  return all;
}

// The ledger names the fusion of the module, not its copy.
void Record(State& state, const hlo::Instruction& fusion, Verdict verdict) {
  if (state.program.FindFused(fusion) == nullptr) return;  // a kernel's
  const hlo::Instruction* original = state.program.Original(fusion);
  if (original != nullptr) state.RecordMap(*original, verdict);
}

void CheckOperand(State& state, const hlo::Instruction& fusion, int64_t output, int64_t operand,
                  const std::vector<LabeledMap>& analyzed, const std::vector<LabeledMap>& composed,
                  const MapProofResult& semantics,
                  ComposedCheck::InputToOutputMaps input_to_output) {
  std::string title = "'" + fusion.name + "' output " + std::to_string(output) + ", operand " +
                      std::to_string(operand) + ": ";
  ComposedCheck check{fusion.name, output, operand, {}, Exactness::kExact, {}, {}, {}};
  for (const LabeledMap& labeled : analyzed) {
    check.maps.push_back(labeled.map.ToString());
    check.exactness = std::max(check.exactness, labeled.exactness);
  }
  const hlo::Shape* from = LeafShape(fusion.shape, output);
  check.semantics = ProofOf(semantics, IndexingMap::Identity(state.context, from->dims));
  Difference difference = CompareMaps(analyzed, composed, state.options().decide);
  check.composition = difference.proof;
  // The analysis may cut the same set into other maps than the composition: then the second proof,
  // which is about all maps of the operand together, decides.
  if (check.semantics.verdict == Verdict::kProved) {
    if (check.composition.verdict != Verdict::kProved) check.composition = check.semantics;
  } else {
    state.RecordProof(check.composition, "composition", title + difference.what);
    state.RecordProof(check.semantics, "access-relation",
                      title + "its maps (lhs) against what it reads (rhs)");
  }
  if (input_to_output.exactness != Exactness::kUnknown) {
    state.RecordProof(input_to_output.semantics, "access-relation",
                      title + "its maps to the output (lhs) against what the output reads (rhs)");
  }
  Record(state, fusion, Both(check.composition, check.semantics).verdict);
  check.input_to_output = std::move(input_to_output);
  // Nothing leads to an operand that is not read.
  const bool is_read = !check.maps.empty() || !check.input_to_output.maps.empty();
  if (is_read || check.composition.verdict != Verdict::kProved)
    state.report.composed.push_back(std::move(check));
}

// The maps from the operands of a fusion to all of its outputs at once, for the units of its
// outputs, which follow each other.
class ForwardMaps {
 public:
  const InstructionIndexing& Of(const hlo::Instruction& fusion, size_t operand,
                                IndexingMemo& memo) {
    if (&fusion != fusion_) by_operand_.assign(fusion.operands.size(), std::nullopt);
    fusion_ = &fusion;
    std::optional<InstructionIndexing>& maps = by_operand_[operand];
    if (!maps) maps = InputToOutput(fusion, static_cast<int64_t>(operand), memo);
    return *maps;
  }

 private:
  const hlo::Instruction* fusion_ = nullptr;
  std::vector<std::optional<InstructionIndexing>> by_operand_;
};

// The maps from each operand to one output. They are proved as their inverses are.
std::vector<ComposedCheck::InputToOutputMaps> CheckInputToOutput(State& state,
                                                                 const hlo::Instruction& fusion,
                                                                 int64_t output,
                                                                 ForwardMaps& forward) {
  const hlo::Shape* result = LeafShape(fusion.shape, output);
  std::vector<ComposedCheck::InputToOutputMaps> all(fusion.operands.size());
  std::vector<std::vector<LabeledMap>> inverses(all.size());
  for (size_t k = 0; k < all.size(); ++k) {
    const InstructionIndexing& analyzed = forward.Of(fusion, k, state.call_proofs.analyzed);
    if (output >= std::ssize(analyzed.maps)) continue;
    for (LabeledMap labeled : analyzed.maps[output]) {
      const auto& fault = state.options().faults.input_to_output;
      if (fault) fault(fusion, static_cast<int64_t>(k), labeled);
      all[k].maps.push_back(labeled.map.ToString());
      all[k].exactness = std::max(all[k].exactness, labeled.exactness);
      labeled.map = InverseByDefinition(labeled.map, result->dims);
      inverses[k].push_back(std::move(labeled));
    }
  }
  const std::vector<MapProofResult> answers =
      ProveFusion(fusion, output, inverses, state.call_proofs);
  const IndexingMap names = IndexingMap::Identity(state.context, result->dims);
  for (size_t k = 0; k < all.size(); ++k) {
    all[k].semantics = ProofOf(answers[k], names);
    if (answers[k].verdict == Verdict::kProved && !inverses[k].empty())
      CertifyInverses(state, fusion, output, static_cast<int64_t>(k), inverses[k]);
  }
  return all;
}

void CheckFusion(State& state, const hlo::Instruction& fusion, int64_t output,
                 ForwardMaps& forward) {
  const hlo::Computation& computation = *fusion.called.front();
  state.progress("compositions of " + fusion.name);
  PathComposer composed(state, computation, fusion.name);
  if (!composed.Run(output)) {
    Record(state, fusion, Verdict::kUnknown);
    return;
  }
  InstructionIndexing analyzed = OutputToInput(fusion, output, state.call_proofs.analyzed);
  state.progress("reads of " + fusion.name);
  std::vector<MapProofResult> semantics =
      ProveFusion(fusion, output, analyzed.maps, state.call_proofs);
  state.progress("maps to the output of " + fusion.name);
  std::vector<ComposedCheck::InputToOutputMaps> input_to_output =
      CheckInputToOutput(state, fusion, output, forward);
  size_t operands =
      std::min({analyzed.maps.size(), computation.parameters.size(), semantics.size()});
  for (size_t k = 0; k < operands; ++k) {
    state.progress("maps of " + fusion.name + " to operand " + std::to_string(k));
    CheckOperand(state, fusion, output, static_cast<int64_t>(k), analyzed.maps[k],
                 composed.MapsTo(*computation.parameters[k]), semantics[k],
                 std::move(input_to_output[k]));
    if (semantics[k].verdict == Verdict::kProved && !analyzed.maps[k].empty())
      CertifyReads(state, fusion, output, static_cast<int64_t>(k), analyzed, ".composed");
  }
}

// A call of a kernel's computation on operands of its own.
struct KernelCall {
  hlo::Computation computation;
  const hlo::Instruction* fusion = nullptr;
};

std::shared_ptr<KernelCall> CallOf(const FusionKernels& kernels, size_t number) {
  const FusedComputation& kernel = kernels.kernels[number];
  auto call = std::make_shared<KernelCall>();
  std::vector<hlo::Instruction*> operands;
  for (const hlo::Instruction* parameter : kernel.computation->parameters) {
    auto operand = MakeInstruction(hlo::Opcode::kParameter, parameter->name, parameter->shape, {},
                                   parameter->location);
    operand->parameter_number = parameter->parameter_number;
    operands.push_back(call->computation.Add(std::move(operand)));
  }
  const auto called = llvm::find_if(kernels.split.module->computations,
                                    [&](const auto& c) { return c.get() == kernel.computation; });
  auto fusion = MakeInstruction(hlo::Opcode::kFusion, kernel.name, kernel.computation->root->shape,
                                std::move(operands), kernel.computation->root->location);
  fusion->called = {called->get()};
  fusion->called_as = {"calls"};
  call->fusion = call->computation.root = call->computation.Add(std::move(fusion));
  return call;
}

// Computations of more instructions are composed kernel by kernel.
constexpr size_t kMostComposed = 96;

bool IsComposedByKernels(const Program& program, const FusedComputation& fused) {
  return program.Original(*fused.fusion) == nullptr &&
         program.partitions(fused).kernels.size() > 1 &&
         fused.computation->instructions.size() > kMostComposed;
}

void ProveRules(State& state) {
  SimplificationCheck& all = state.report.simplification;
  for (const auto& [name, uses] : all.uses) {
    const Rule* rule = state.checker.rules().Find(name);
    if (!rule) continue;
    state.progress("rule " + name);
    const RuleProofResult& verdict = state.checker.ProofOf(*rule);
    all.rules[name] = verdict;
    Proof proof{verdict.verdict, "rule prover", verdict.ms, verdict.reason};
    if (verdict.counterexample) proof.detail = verdict.counterexample->ToString();
    state.RecordProof(proof, "rule", "rule " + name + " (" + rule->where + ")");
  }
}

}  // namespace

void AddCompositionUnits(State& state, std::vector<Unit>& units) {
  const auto forward = std::make_shared<ForwardMaps>();
  // `call` lives as long as the units.
  auto add = [&](const hlo::Instruction& fusion, const std::shared_ptr<KernelCall>& call) {
    for (int64_t output = 0; output < NumLeaves(fusion.shape); ++output) {
      const std::string name =
          "compositions of " + fusion.name + ", output " + std::to_string(output);
      units.push_back({.name = name,
                       .work = [&state, &fusion, output, forward,
                                call] { CheckFusion(state, fusion, output, *forward); },
                       .give_up =
                           [&state, &fusion, name](const std::string& why) {
                             state.AddFinding(Finding::Kind::kUnknown, "composition",
                                              name + ": " + why);
                             Record(state, fusion, Verdict::kUnknown);
                           }});
    }
  };
  for (const FusedComputation& fused : state.program.fused_computations()) {
    if (!IsComposedByKernels(state.program, fused)) {
      add(*fused.fusion, nullptr);
      continue;
    }
    const FusionKernels& kernels = state.program.partitions(fused);
    for (size_t k = 0; k < kernels.kernels.size(); ++k) {
      // Kernels that compute the same have the same maps.
      if (&state.program.FirstLike(kernels.kernels[k]) != &kernels.kernels[k]) continue;
      const std::shared_ptr<KernelCall> call = CallOf(kernels, k);
      add(*call->fusion, call);
    }
  }
  units.push_back({.name = "rules",
                   .work = [&state] { ProveRules(state); },
                   .give_up =
                       [&state](const std::string& why) {
                         state.AddFinding(Finding::Kind::kUnknown, "rule",
                                          "proofs of the rules of the simplification: " + why);
                       }});
}

}  // namespace affirm::driver
