// The instructions that a computation runs.
#ifndef AFFIRM_DRIVER_VALIDATE_INSTRUCTIONS_H_
#define AFFIRM_DRIVER_VALIDATE_INSTRUCTIONS_H_

#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/SetVector.h"

namespace affirm::driver {

// Those of the computation and of all that it calls, each once.
inline std::vector<const hlo::Instruction*> AllInstructions(const hlo::Computation& computation) {
  llvm::SetVector<const hlo::Computation*> reached;
  reached.insert(&computation);
  std::vector<const hlo::Instruction*> all;
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const auto& op : reached[i]->instructions) {
      all.push_back(op.get());
      reached.insert(op->called.begin(), op->called.end());
    }
  }
  return all;
}

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_VALIDATE_INSTRUCTIONS_H_
