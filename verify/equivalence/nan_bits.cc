#include "verify/equivalence/nan_bits.h"

#include "llvm/ADT/STLExtras.h"
#include "verify/scalar/nan_bits.h"

namespace affirm::equivalence {

using hlo::Computation;
using hlo::Instruction;

// Whether a called computation gets its own earlier results as arguments, as the body of a loop
// does.
static bool TakesItsResults(const Instruction& op) {
  switch (op.opcode) {
    case hlo::Opcode::kCall:
    case hlo::Opcode::kConditional:
    case hlo::Opcode::kFusion:
    case hlo::Opcode::kMap:
    case hlo::Opcode::kSort:
      return false;
    default:
      return true;
  }
}

bool MaySeeBitsOfNaN(const Instruction& op) {
  if (op.opcode != hlo::Opcode::kCustomCall) return hlo::SeesBitsOfNaN(op);
  return llvm::any_of(op.operands, [](const Instruction* of) { return hlo::HasFloats(of->shape); });
}

bool MaySeeBitsOfNaN(const Computation& computation) {
  return llvm::any_of(computation.instructions, [](const auto& op) {
    return MaySeeBitsOfNaN(*op) || llvm::any_of(op->called, [](const Computation* called) {
             return MaySeeBitsOfNaN(*called);
           });
  });
}

NanBitsSeen::NanBitsSeen(const Computation& computation, bool of_results) {
  llvm::DenseSet<const Instruction*> callers;
  for (const auto& op : computation.instructions) {
    const bool by_call =
        llvm::any_of(op->called, [&](const Computation* called) { return Sees(*called); });
    if (!by_call) continue;
    callers.insert(op.get());
    if (TakesItsResults(*op)) seen_.insert(op.get());
  }
  if (of_results) seen_.insert(computation.root);
  // Visits users before their operands.
  for (const auto& op : llvm::reverse(computation.instructions)) {
    const bool carries = seen_.contains(op.get()) && hlo::HasFloats(op->shape);
    if (carries || callers.contains(op.get()) || MaySeeBitsOfNaN(*op))
      seen_.insert(op->operands.begin(), op->operands.end());
  }
}

bool NanBitsSeen::Sees(const Computation& computation) {
  const auto [known, is_new] = sees_.try_emplace(&computation, false);
  if (is_new) known->second = MaySeeBitsOfNaN(computation);
  return known->second;
}

}  // namespace affirm::equivalence
