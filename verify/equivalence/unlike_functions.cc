#include "verify/equivalence/unlike_functions.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::equivalence {

std::string WhyUnlike(const hlo::Instruction& needed, const UnlikeFunctions& unlike) {
  llvm::DenseSet<const hlo::Instruction*> reached = {&needed};
  std::string reason;
  for (const auto& op : llvm::reverse(needed.parent->instructions)) {
    if (!reached.contains(op.get())) continue;
    reached.insert(op->operands.begin(), op->operands.end());
    const auto found = unlike.find(op.get());
    if (found != unlike.end()) reason = "; " + found->second;
  }
  return reason;
}

}  // namespace affirm::equivalence
