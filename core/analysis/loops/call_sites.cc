// Call sites, and the leaves of tuples that ops hand through.
#include "core/analysis/loops/call_sites.h"

#include "core/analysis/ops/op_maps.h"
#include "core/hlo/leaves.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::analysis {

size_t BranchOperand(const hlo::Instruction& op, size_t number) {
  if (number < op.called_as.size() && op.called_as[number] == "true_computation") return 1;
  if (number < op.called_as.size() && op.called_as[number] == "false_computation") return 2;
  return number + 1;
}

InstructionLeaf HandedThrough(const hlo::Instruction& op, int64_t leaf) {
  switch (op.opcode) {
    case hlo::Opcode::kGetTupleElement: {
      if (op.operands.size() != 1) return {};
      const int64_t first =
          hlo::FirstLeafOfElement(op.operands[0]->shape, op.attributes.tuple_index);
      return first < 0 ? InstructionLeaf{} : InstructionLeaf{op.operands[0], first + leaf};
    }
    case hlo::Opcode::kAddDependency:
    case hlo::Opcode::kDomain:
    case hlo::Opcode::kOptimizationBarrier:
    case hlo::Opcode::kTuple:
      for (const hlo::Instruction* operand : op.operands) {
        const int64_t leaves = hlo::NumLeaves(operand->shape);
        if (leaf < leaves) return {operand, leaf};
        leaf -= leaves;
      }
      return {};
    default:
      return {};
  }
}

LoopParts PartsOf(const hlo::Instruction& loop) {
  LoopParts parts;
  for (size_t i = 0; i < loop.called.size() && i < loop.called_as.size(); ++i) {
    if (loop.called_as[i] == "body") parts.body = loop.called[i];
    if (loop.called_as[i] == "condition") parts.condition = loop.called[i];
  }
  if (loop.operands.size() != 1 || !loop.operands[0]) return {};
  const int64_t leaves = hlo::NumLeaves(loop.shape);
  for (const hlo::Computation* part : {parts.body, parts.condition}) {
    if (!part || !part->root || part->parameters.size() != 1 || !part->parameters[0]) return {};
    if (hlo::NumLeaves(part->parameters[0]->shape) != leaves) return {};
  }
  const bool fits = hlo::NumLeaves(parts.body->root->shape) == leaves &&
                    hlo::NumLeaves(loop.operands[0]->shape) == leaves;
  return fits ? parts : LoopParts{};
}

bool IsCalledTwice(const hlo::Computation& callee, Session& session) {
  if (!callee.module) return false;
  if (!session.call_counts.contains(&callee)) {
    for (const auto& computation : callee.module->computations) {
      session.call_counts.try_emplace(computation.get(), 0);
      for (const auto& op : computation->instructions) {
        for (const hlo::Computation* called : op->called) ++session.call_counts[called];
      }
    }
  }
  return session.call_counts.lookup(&callee) > 1;
}

bool IsPassedThrough(const hlo::Computation& body, int64_t leaf) {
  InstructionLeaf at{body.root, leaf};
  while (InstructionLeaf next = HandedThrough(*at.op, at.leaf)) at = next;
  return at.op->opcode == hlo::Opcode::kParameter && at.op->parameter_number == 0 &&
         at.leaf == leaf;
}

CallSites::CallSites(const hlo::Computation& top) : top_(top) {
  std::vector<const hlo::Computation*> next = {&top};
  while (!next.empty()) {
    const hlo::Computation* computation = next.back();
    next.pop_back();
    for (const auto& op : computation->instructions) {
      by_id_[op->id] = op.get();
      for (size_t i = 0; i < op->called.size(); ++i) {
        if (!op->called[i]) continue;
        std::vector<Site>& sites = sites_[op->called[i]];
        if (sites.empty()) next.push_back(op->called[i]);
        sites.push_back({op.get(), i});
      }
    }
  }
}

std::vector<InstructionLeaf> CallSites::Arguments(const hlo::Instruction& parameter,
                                                  int64_t leaf) const {
  if (parameter.parent == &top_) return {};
  auto found = sites_.find(parameter.parent);
  if (found == sites_.end()) return {};
  std::vector<InstructionLeaf> arguments;
  for (const Site& site : found->second) {
    const hlo::Instruction& call = *site.call;
    size_t operand = static_cast<size_t>(parameter.parameter_number);
    switch (call.opcode) {
      case hlo::Opcode::kAsyncStart:
      case hlo::Opcode::kCall:
      case hlo::Opcode::kFusion:
        break;
      case hlo::Opcode::kConditional:
        operand = BranchOperand(call, site.number);
        break;
      case hlo::Opcode::kWhile: {
        const LoopParts parts = PartsOf(call);
        if (!parts || !IsPassedThrough(*parts.body, leaf)) return {};
        break;
      }
      default:
        return {};
    }
    if (operand >= call.operands.size()) return {};
    arguments.push_back({call.operands[operand], leaf});
  }
  return arguments;
}

}  // namespace affirm::analysis
