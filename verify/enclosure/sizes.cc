#include "verify/enclosure/sizes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "verify/enclosure/evaluation.h"

namespace affirm::enclosure {

using hlo::Instruction;
using hlo::Opcode;

namespace {

// The instruction of a leaf; the root where the leaf is not an element of it.
const Instruction* InstructionOf(const hlo::Computation& computation, size_t leaf) {
  const Instruction* root = computation.root;
  const bool is_tuple =
      root->opcode == Opcode::kTuple && leaf < root->operands.size() &&
      llvm::none_of(root->operands, [](const auto* of) { return of->shape.IsTuple(); });
  return is_tuple ? root->operands[leaf] : root;
}

// The instruction that sets a dimension of the array; null where it is not found.
const Instruction* SetterOf(const Instruction* op, size_t dimension) {
  while (op->shape.IsArray()) {
    if (op->opcode == Opcode::kSetDimensionSize) {
      if (op->attributes.dimensions[0] == static_cast<int64_t>(dimension)) return op;
      op = op->operands[0];
    } else if (op->opcode == Opcode::kCall || op->opcode == Opcode::kFusion) {
      op = op->called[0]->root;
    } else if (hlo::IsElementwise(op->opcode) && !op->operands.empty()) {
      op = op->operands[0];
    } else {
      return nullptr;
    }
  }
  return nullptr;
}

}  // namespace

std::vector<const Instruction*> InstructionsBehind(const hlo::Computation& computation,
                                                   size_t leaf) {
  llvm::SetVector<const Instruction*> reached;
  reached.insert(InstructionOf(computation, leaf));
  for (size_t i = 0; i < reached.size(); ++i) {
    const Instruction* op = reached[i];
    reached.insert(op->operands.begin(), op->operands.end());
    for (const hlo::Computation* called : op->called) {
      for (const auto& inner : called->instructions) reached.insert(inner.get());
    }
  }
  return {reached.begin(), reached.end()};
}

Enclosure SizeOf(const hlo::Computation& computation, const Enclosures& of, size_t leaf,
                 size_t dimension) {
  const int64_t exact = LeavesOf(of.result.value)[leaf]->shape().dims[dimension];
  const Enclosure point = Enclosure::Integers(exact, exact);
  if (of.sizes.empty()) return point;
  if (const Instruction* setter = SetterOf(InstructionOf(computation, leaf), dimension)) {
    const auto found = of.sizes.find(setter);
    return found == of.sizes.end() ? point : found->second;
  }
  const bool is_open =
      llvm::any_of(InstructionsBehind(computation, leaf),
                   [&](const Instruction* op) { return of.sizes.find(op) != of.sizes.end(); });
  return is_open ? Enclosure::Whole(kSizeType) : point;
}

bool MayHaveSizes(const hlo::Computation& computation, const Enclosures& of, size_t leaf,
                  llvm::ArrayRef<int64_t> dims) {
  for (auto [dimension, size] : llvm::enumerate(dims)) {
    const Enclosure sizes = SizeOf(computation, of, leaf, dimension);
    if (size < sizes.lo || size > sizes.hi) return false;
  }
  return true;
}

}  // namespace affirm::enclosure
