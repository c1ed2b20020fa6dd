// The instructions that a computation runs.
#ifndef AFFIRM_DRIVER_VALIDATE_INSTRUCTIONS_H_
#define AFFIRM_DRIVER_VALIDATE_INSTRUCTIONS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/SetVector.h"

namespace affirm::driver {

// The instructions of the computation and of all computations that it calls, each once.
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

// How many products the dots of the computation sum, up to 2^60.
inline int64_t ProductsOf(const hlo::Computation& computation) {
  constexpr int64_t kMost = int64_t{1} << 60;
  int64_t all = 0;
  for (const hlo::Instruction* op : AllInstructions(computation)) {
    if (op->opcode != hlo::Opcode::kDot || op->operands.empty() || !op->shape.IsArray()) continue;
    int64_t products = op->shape.NumElements();
    for (int64_t dim : op->attributes.lhs_contracting) {
      const int64_t size = op->operands[0]->shape.dims[dim];
      products = size != 0 && products > kMost / size ? kMost : products * size;
    }
    all = std::min(kMost, all + products);
  }
  return all;
}

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_VALIDATE_INSTRUCTIONS_H_
