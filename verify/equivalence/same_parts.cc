#include "verify/equivalence/same_parts.h"

#include <string>
#include <unordered_map>
#include <vector>

#include "verify/equivalence/effects.h"
#include "verify/equivalence/same_structure.h"

namespace affirm::equivalence {

using hlo::Instruction;
using hlo::Opcode;

llvm::DenseMap<const Instruction*, int64_t> NumberSameParts(const hlo::Computation& a,
                                                            const hlo::Computation& b) {
  constexpr size_t kMostAlike = 64;  // candidates that are looked at for one instruction
  llvm::DenseMap<const Instruction*, int64_t> numbers;
  std::unordered_map<std::string, std::vector<const Instruction*>> alike;
  int64_t next = 0;
  for (const hlo::Computation* computation : {&a, &b}) {
    for (const auto& op : computation->instructions) {
      std::string key = std::to_string(static_cast<int>(op->opcode));
      for (const Instruction* operand : op->operands)
        key += " " + std::to_string(numbers.lookup(operand));
      if (op->opcode == Opcode::kParameter) key += " #" + std::to_string(op->parameter_number);
      std::vector<const Instruction*>& candidates = alike[key];
      const Instruction* same = nullptr;
      for (const Instruction* other : candidates) {
        if (!IsFunctionOfOperands(*op) || !SameAttributes(*other, *op)) continue;
        bool calls_alike = true;
        for (size_t k = 0; k < op->called.size(); ++k)
          calls_alike = calls_alike && SameStructure(*other->called[k], *op->called[k]);
        if (!calls_alike) continue;
        same = other;
        break;
      }
      numbers[op.get()] = same ? numbers.lookup(same) : next++;
      if (!same && candidates.size() < kMostAlike) candidates.push_back(op.get());
    }
  }
  return numbers;
}

}  // namespace affirm::equivalence
