#include "driver/equivalence/open_roundings.h"

#include <vector>

#include "driver/validate/instructions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "verify/equivalence/product_precision.h"
#include "verify/scalar/nan_bits.h"

namespace affirm::driver {
namespace {

using hlo::Instruction;
using hlo::Opcode;

// Whether an element may get two updates. Each window of a select-and-scatter selects one element.
bool UpdatesMayMeet(const Instruction& op) {
  if (op.opcode == Opcode::kScatter) return !op.attributes.unique_indices;
  return op.opcode == Opcode::kSelectAndScatter &&
         llvm::any_of(op.attributes.window, [](const hlo::WindowDimension& of) {
           return of.stride < (of.size - 1) * of.window_dilation + 1;
         });
}

// All that a leaf of the result is computed of, and all of what that calls; of nested tuples, of
// all leaves.
std::vector<const Instruction*> PartsOf(const hlo::Computation& computation, size_t leaf) {
  const Instruction* root = computation.root;
  const bool is_tuple =
      root->opcode == Opcode::kTuple && leaf < root->operands.size() &&
      llvm::none_of(root->operands, [](const auto* of) { return of->shape.IsTuple(); });
  llvm::SetVector<const Instruction*> reached;
  reached.insert(is_tuple ? root->operands[leaf] : root);
  for (size_t i = 0; i < reached.size(); ++i) {
    const Instruction* op = reached[i];
    reached.insert(op->operands.begin(), op->operands.end());
    for (const hlo::Computation* called : op->called) {
      for (const Instruction* inner : AllInstructions(*called)) reached.insert(inner);
    }
  }
  return {reached.begin(), reached.end()};
}

}  // namespace

std::string OpenRounding(const hlo::Computation& a, const hlo::Computation& b, size_t leaf) {
  const auto parts_of_a = PartsOf(a, leaf);
  for (const auto& parts : {parts_of_a, PartsOf(b, leaf)}) {
    for (const Instruction* op : parts) {
      if (UpdatesMayMeet(*op))
        return op->opcode_text + " " + op->name + " rounds in the order of its updates";
    }
  }
  for (const Instruction* op : parts_of_a) {
    if (equivalence::MayRoundOperands(*op))
      return op->opcode_text + " " + op->name +
             " of A may round its operands, for its precision is not the highest";
  }
  return "";
}

bool HasSizesOfFloats(const hlo::Computation& computation) {
  llvm::SetVector<const Instruction*> of_sizes;
  for (const Instruction* op : AllInstructions(computation)) {
    if (op->opcode == Opcode::kSetDimensionSize || op->opcode == Opcode::kDynamicReshape)
      of_sizes.insert(op->operands.begin() + 1, op->operands.end());
  }
  for (size_t i = 0; i < of_sizes.size(); ++i) {
    if (hlo::HasFloats(of_sizes[i]->shape)) return true;
    of_sizes.insert(of_sizes[i]->operands.begin(), of_sizes[i]->operands.end());
  }
  return false;
}

}  // namespace affirm::driver
