#include "driver/dump/handed_layouts.h"

#include <string>

#include "core/hlo/leaves.h"
#include "driver/validate/written_layouts.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {

namespace {

using hlo::Instruction;
using hlo::Opcode;

class Search {
 public:
  void Look(const Instruction& op) {
    switch (op.opcode) {
      case Opcode::kTuple:
        for (int64_t k = 0; k < std::ssize(op.operands); ++k)
          Compare(op, op.operands[k]->shape, op.shape.tuple[k]);
        break;
      case Opcode::kGetTupleElement:
        Compare(op, op.operands[0]->shape.tuple[op.attributes.tuple_index], op.shape);
        break;
      case Opcode::kAddDependency:
      case Opcode::kAllReduceDone:
      case Opcode::kDomain:
        Compare(op, op.operands[0]->shape, op.shape);
        break;
      case Opcode::kOptimizationBarrier:
        if (op.operands.size() == 1) Compare(op, op.operands[0]->shape, op.shape);
        break;
      case Opcode::kCall:
      case Opcode::kAsyncStart:
        for (const hlo::Computation* callee : op.called) {
          for (const auto& [operand, parameter] : llvm::zip(op.operands, callee->parameters))
            Compare(op, operand->shape, parameter->shape);
          if (op.opcode == Opcode::kCall) Compare(op, callee->root->shape, op.shape);
        }
        break;
      case Opcode::kConditional:
        for (const auto& [branch, operand] : llvm::zip(op.called, llvm::drop_begin(op.operands))) {
          Compare(op, operand->shape, branch->parameters[0]->shape);
          Compare(op, branch->root->shape, op.shape);
        }
        break;
      case Opcode::kWhile:
        Compare(op, op.operands[0]->shape, op.shape);
        for (const auto& [callee, called_as] : llvm::zip(op.called, op.called_as)) {
          Compare(op, op.operands[0]->shape, callee->parameters[0]->shape);
          if (called_as == "body") Compare(op, callee->root->shape, op.shape);
        }
        break;
      default:
        break;
    }
  }

  std::vector<Uncovered> found;

 private:
  void Compare(const Instruction& op, const hlo::Shape& from, const hlo::Shape& to) {
    const auto given = hlo::LeafShapes(from), taken = hlo::LeafShapes(to);
    for (const auto& [a, b] : llvm::zip(given, taken)) {
      if (!a->layout || !b->layout || !LayoutsDiffer(*a, *b)) continue;
      found.push_back({"handed layouts", "handed layouts: " + op.name + " hands on " +
                                             a->ToString() + " as " + b->ToString()});
      return;
    }
  }
};

}  // namespace

std::vector<Uncovered> LayoutsNotHandedOn(const hlo::Module& optimized) {
  Search search;
  for (const auto& computation : optimized.computations)
    for (const auto& op : computation->instructions) search.Look(*op);
  return std::move(search.found);
}

}  // namespace affirm::driver
