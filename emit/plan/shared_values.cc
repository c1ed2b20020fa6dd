#include "emit/plan/shared_values.h"

#include <algorithm>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace affirm::emit {
namespace {

using hlo::Instruction;
using hlo::Opcode;

constexpr size_t kMostKernels = 4;
constexpr int64_t kFewOperations = 4;
constexpr int64_t kManyOperations = 1 << 20;  // more are not counted

// An instruction, by its name, in all kernels that compute it.
struct Value {
  std::vector<size_t> kernels;  // in order
  int64_t operations = 0;       // in the kernel that needs the most for it
  bool leads_to_shared = false;
};

bool IsOperation(const Instruction& op) {
  return op.opcode != Opcode::kParameter && op.opcode != Opcode::kConstant &&
         op.opcode != Opcode::kGetTupleElement && op.opcode != Opcode::kTuple;
}

class SharedValues {
 public:
  explicit SharedValues(llvm::ArrayRef<KernelPartition> kernels) : kernels_(kernels) {}

  std::set<std::string> Find() {
    for (size_t k = 0; k < kernels_.size(); ++k) Count(k);
    for (const KernelPartition& kernel : kernels_) {
      for (const auto& op : llvm::reverse(kernel.computation->instructions)) PassOn(*op);
    }
    std::set<std::string> shared;
    for (const KernelPartition& kernel : kernels_) {
      for (const auto& op : kernel.computation->instructions) {
        if (IsShared(*op) && !values_[op->name].leads_to_shared) shared.insert(op->name);
      }
    }
    return shared;
  }

 private:
  void Count(size_t kernel) {
    llvm::DenseMap<const Instruction*, int64_t> operations;
    for (const auto& op : kernels_[kernel].computation->instructions) {
      int64_t count = IsOperation(*op) ? 1 : 0;
      for (const Instruction* operand : op->operands) count += operations.lookup(operand);
      operations[op.get()] = std::min(count, kManyOperations);
      if (!IsOperation(*op)) continue;
      Value& value = values_[op->name];
      value.kernels.push_back(kernel);
      value.operations = std::max(value.operations, operations[op.get()]);
    }
  }

  // Users first: whether those that compute the instruction all compute a later one too that could
  // be in memory.
  void PassOn(const Instruction& op) {
    if (!IsOperation(op)) return;
    const Value& value = values_[op.name];
    if (!IsShared(op) && !value.leads_to_shared) return;
    for (const Instruction* operand : op.operands) {
      if (!IsOperation(*operand)) continue;
      Value& of_operand = values_[operand->name];
      of_operand.leads_to_shared |= of_operand.kernels == value.kernels;
    }
  }

  bool IsShared(const Instruction& op) {
    if (!hlo::IsElementwise(op.opcode) || !op.shape.IsArray() || !IsOperation(op)) return false;
    const Value& value = values_[op.name];
    return value.kernels.size() > kMostKernels && value.operations >= kFewOperations;
  }

  llvm::ArrayRef<KernelPartition> kernels_;
  llvm::StringMap<Value> values_;
};

}  // namespace

std::set<std::string> ComputedByManyKernels(llvm::ArrayRef<KernelPartition> kernels) {
  if (kernels.size() <= kMostKernels) return {};
  return SharedValues(kernels).Find();
}

}  // namespace affirm::emit
