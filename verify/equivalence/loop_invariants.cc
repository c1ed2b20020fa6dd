#include "verify/equivalence/loop_invariants.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/equivalence/inline_calls.h"
#include "verify/equivalence/loop_parts.h"
#include "verify/equivalence/sort_comparators.h"

namespace affirm::equivalence {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

namespace {

// The initial value of a loop's element that a get-tuple-element reads; null if the body may change
// it.
const Instruction* InvariantOf(const Instruction& op) {
  // The element's sharding may differ from its initial value's, and some calls depend on it.
  if (op.opcode != Opcode::kGetTupleElement || op.attributes.FindExtra("sharding") != nullptr)
    return nullptr;
  const Instruction& loop = *op.operands[0];
  if (loop.opcode != Opcode::kWhile || loop.operands[0]->opcode != Opcode::kTuple) return nullptr;
  const auto k = static_cast<size_t>(op.attributes.tuple_index);
  for (auto [called, as] : llvm::zip(loop.called, loop.called_as)) {
    if (as != "body") continue;
    const Instruction& root = *called->root;
    if (root.opcode != Opcode::kTuple || k >= root.operands.size()) return nullptr;
    const Instruction* init = loop.operands[0]->operands[k];
    return IsKept(*root.operands[k], k, *init) ? init : nullptr;
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<Computation> WithInvariantsBeside(const Computation& computation) {
  llvm::DenseMap<const Instruction*, const Instruction*> invariants;
  for (const auto& op : computation.instructions) {
    if (const Instruction* invariant = InvariantOf(*op)) invariants[op.get()] = invariant;
  }
  if (invariants.empty()) return nullptr;
  auto made = std::make_unique<Computation>();
  made->name = computation.name;
  Copies copies;
  for (const auto& op : computation.instructions) {
    const Instruction* invariant = invariants.lookup(op.get());
    copies[op.get()] =
        invariant ? InLayoutOf(*op, copies.lookup(invariant), *made) : CopyInto(*made, *op, copies);
  }
  made->root = copies.lookup(computation.root);
  made->NumberParameters();
  return made;
}

}  // namespace affirm::equivalence
