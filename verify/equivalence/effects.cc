#include "verify/equivalence/effects.h"

#include <vector>

#include "core/hlo/attribute_rules.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "verify/calls/meanings.h"
#include "verify/equivalence/trip_claims.h"

namespace affirm::equivalence {

using hlo::Instruction;
using hlo::Opcode;

bool HasEffect(const Instruction& op) {
  switch (op.opcode) {
    case Opcode::kUnknown:
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kRngGetAndUpdateState:
    case Opcode::kSend:
    case Opcode::kSendDone:
      return true;
    case Opcode::kCustomCall: {
      const std::string* effect = op.attributes.FindExtra("custom_call_has_side_effect");
      return effect != nullptr && *effect != "false";
    }
    default:
      return false;
  }
}

namespace {

using Predicate = llvm::function_ref<bool(const Instruction&)>;

// The first instruction with the predicate in the computation or one that it calls, or null.
const Instruction* Find(const hlo::Computation& computation, Predicate holds) {
  for (const auto& op : computation.instructions) {
    if (holds(*op)) return op.get();
    for (const hlo::Computation* called : op->called) {
      if (const Instruction* inner = Find(*called, holds)) return inner;
    }
  }
  return nullptr;
}

// Folds get-tuple-element of tuple, as Flattened does.
const Instruction* TakenOut(const Instruction* op) {
  while (op->opcode == Opcode::kGetTupleElement) {
    const Instruction* tuple = TakenOut(op->operands[0]);
    if (tuple->opcode != Opcode::kTuple) break;
    op = tuple->operands[static_cast<size_t>(op->attributes.tuple_index)];
  }
  return op;
}

// Whether the root needs all elements of the result; for tuples of calls and fusions that may be
// false.
bool IsNeededWhole(const Instruction& op, const llvm::DenseSet<const Instruction*>& reached) {
  if (!op.shape.IsTuple() || (op.opcode != Opcode::kCall && op.opcode != Opcode::kFusion))
    return true;
  llvm::DenseSet<int64_t> taken;
  for (const Instruction* user : op.users) {
    if (!reached.contains(user)) continue;
    if (user->opcode != Opcode::kGetTupleElement) return true;
    taken.insert(user->attributes.tuple_index);
  }
  return taken.size() == op.shape.tuple.size();
}

// As Find, among instructions that are unreachable from the root.
const Instruction* FindBesideResults(const hlo::Computation& computation, Predicate holds) {
  llvm::DenseSet<const Instruction*> reached;
  std::vector<const Instruction*> stack = {computation.root};
  while (!stack.empty()) {
    const Instruction* op = TakenOut(stack.back());
    stack.pop_back();
    if (reached.insert(op).second)
      stack.insert(stack.end(), op->operands.begin(), op->operands.end());
  }
  for (const auto& op : computation.instructions) {
    const bool seen = reached.contains(op.get()) && IsNeededWhole(*op, reached);
    if (holds(*op) && !seen) return op.get();
    for (const hlo::Computation* called : op->called) {
      if (const Instruction* inner =
              seen ? FindBesideResults(*called, holds) : Find(*called, holds))
        return inner;
    }
  }
  return nullptr;
}

}  // namespace

bool IsFunctionOfOperands(const Instruction& op) {
  if (HasEffect(op) || op.opcode == Opcode::kRng) return false;
  // Its result depends on the operand's sharding attribute, and not on its value alone.
  if (op.opcode == Opcode::kCustomCall &&
      op.attributes.custom_call_target == "SPMDFullToShardShape")
    return false;
  return llvm::all_of(op.called, [](const hlo::Computation* called) {
    return llvm::all_of(called->instructions,
                        [](const auto& inner) { return IsFunctionOfOperands(*inner); });
  });
}

const Instruction* FindEffect(const hlo::Computation& computation) {
  return Find(computation, HasEffect);
}

std::vector<std::string> AssumedFunctions(const hlo::Computation& computation) {
  llvm::SetVector<const Instruction*> reached;
  reached.insert(computation.root);
  std::vector<std::string> targets;
  for (size_t i = 0; i < reached.size(); ++i) {
    const Instruction& op = *reached[i];
    reached.insert(op.operands.begin(), op.operands.end());
    for (const hlo::Computation* called : op.called) reached.insert(called->root);
    const bool is_unknown = op.opcode == Opcode::kCustomCall && !calls::IsKnownTarget(op);
    if (is_unknown && !llvm::is_contained(targets, op.attributes.custom_call_target))
      targets.push_back(op.attributes.custom_call_target);
  }
  return targets;
}

const Instruction* FindEffectBesideResults(const hlo::Computation& computation) {
  return FindBesideResults(computation, HasEffect);
}

const Instruction* FindOpenLoop(const hlo::Computation& computation, Predicate ends) {
  for (const auto& op : computation.instructions) {
    if (!op->called.empty() && !ends(*op) && !IsKnownToEnd(*op)) return op.get();
  }
  return nullptr;
}

const Instruction* FindOpenLoopBesideResults(const hlo::Computation& computation, Predicate ends) {
  return FindBesideResults(computation, [&](const Instruction& op) {
    const bool may_wait = op.opcode == Opcode::kWhile || op.opcode == Opcode::kConditional;
    return may_wait && !ends(op) && !IsKnownToEnd(op);
  });
}

bool IsOpaqueFunction(const hlo::Instruction& op) {
  if (!IsFunctionOfOperands(op)) return false;
  switch (op.opcode) {
    case hlo::Opcode::kBatchNormGrad:
    case hlo::Opcode::kBatchNormInference:
    case hlo::Opcode::kBatchNormTraining:
    case hlo::Opcode::kCholesky:
    case hlo::Opcode::kConditional:
    case hlo::Opcode::kCustomCall:
    case hlo::Opcode::kFft:
    case hlo::Opcode::kRngBitGenerator:
    case hlo::Opcode::kScan:
    case hlo::Opcode::kSelectAndScatter:
    case hlo::Opcode::kSort:
    case hlo::Opcode::kTopk:
    case hlo::Opcode::kTriangularSolve:
    case hlo::Opcode::kWhile:
      return true;
    default:
      return !hlo::UnmodeledAttribute(op).empty();
  }
}

}  // namespace affirm::equivalence
