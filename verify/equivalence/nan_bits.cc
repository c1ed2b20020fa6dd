#include "verify/equivalence/nan_bits.h"

#include "llvm/ADT/STLExtras.h"
#include "verify/calls/meanings.h"
#include "verify/scalar/nan_bits.h"

namespace affirm::equivalence {

using hlo::Computation;
using hlo::Instruction;

NanBitsSeen::NanBitsSeen(const Computation& computation, bool of_results) {
  llvm::DenseSet<const Instruction*> callers;
  for (const auto& op : computation.instructions) {
    const bool by_call =
        llvm::any_of(op->called, [&](const Computation* called) { return Sees(*called); });
    if (by_call) callers.insert(op.get());
  }
  if (of_results) seen_.insert(computation.root);
  // Users stand behind what they use.
  for (const auto& op : llvm::reverse(computation.instructions)) {
    const bool carries = seen_.contains(op.get()) && hlo::HasFloats(op->shape);
    const bool is_unknown = op->opcode == hlo::Opcode::kCustomCall && !calls::IsKnownTarget(*op);
    if (carries || is_unknown || callers.contains(op.get()) || hlo::SeesBitsOfNaN(*op))
      seen_.insert(op->operands.begin(), op->operands.end());
  }
}

bool NanBitsSeen::Sees(const Computation& computation) {
  auto [known, is_new] = sees_.try_emplace(&computation, false);
  if (is_new) known->second = hlo::SeesBitsOfNaN(computation);
  return known->second;
}

}  // namespace affirm::equivalence
