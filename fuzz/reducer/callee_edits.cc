// Edits to what ops call: one array of a variadic op instead of several, one computation for two.
#include <algorithm>
#include <utility>

#include "fuzz/reducer/hlo_edit.h"
#include "fuzz/reducer/reduction_edits.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::fuzz {

using hlo::Computation;
using hlo::Instruction;
using hlo::Module;
using hlo::Opcode;

namespace {

// The parts of one of the arrays that a variadic op takes: its operands, and the parameters of the
// callee.
struct Component {
  std::vector<size_t> operands, parameters;
};

std::vector<Component> Components(const Instruction& op) {
  std::vector<Component> components;
  if (op.called.size() != 1) return components;
  const size_t n = op.called[0]->parameters.size() / 2, given = op.operands.size();
  for (size_t k = 0; k < n; ++k) {
    if ((op.opcode == Opcode::kReduce || op.opcode == Opcode::kReduceWindow) && given == 2 * n) {
      components.push_back({{k, n + k}, {k, n + k}});
    } else if (op.opcode == Opcode::kScatter && given == 2 * n + 1) {
      components.push_back({{k, n, n + 1 + k}, {k, n + k}});
    } else if (op.opcode == Opcode::kSort && given == n) {
      components.push_back({{k}, {2 * k, 2 * k + 1}});
    }
  }
  return components;
}

bool Reaches(const Instruction& from, const Instruction& to) {
  return &from == &to || llvm::any_of(from.operands, [&](const Instruction* operand) {
    return Reaches(*operand, to);
  });
}

// Leaves the computation two parameters, which replace all removed ones of the same shapes. If the
// k-th result needs others, the second parameter becomes the result; false if it has another shape.
bool TakeParameters(Computation& computation, llvm::ArrayRef<size_t> kept, size_t k) {
  std::vector<Instruction*> parameters = computation.parameters;
  Instruction* root = computation.root;
  if (root->opcode == Opcode::kTuple) computation.root = root->operands[k];
  std::vector<Instruction*> stay;
  for (size_t p : kept) stay.push_back(parameters[p]);
  bool needs_others = false;
  for (size_t p = 0; p < parameters.size(); ++p) {
    if (llvm::is_contained(stay, parameters[p])) continue;
    Instruction& other = *stay[p < parameters.size() / 2 ? 0 : 1];
    if (other.shape.SameIgnoringLayout(parameters[p]->shape)) ReplaceUses(*parameters[p], other);
    needs_others |= Reaches(*computation.root, *parameters[p]);
  }
  if (needs_others) {
    if (!stay[1]->shape.SameIgnoringLayout(computation.root->shape)) return false;
    computation.root = stay[1];
  }
  for (size_t p = 0; p < stay.size(); ++p) stay[p]->parameter_number = static_cast<int64_t>(p);
  // Parameters stand first: whatever one takes the place of, it stands before the uses.
  llvm::erase_if(computation.instructions, [&](const auto& instruction) {
    return instruction->opcode == Opcode::kParameter &&
           !llvm::is_contained(stay, instruction.get());
  });
  std::stable_partition(computation.instructions.begin(), computation.instructions.end(),
                        [](const auto& i) { return i->opcode == Opcode::kParameter; });
  computation.NumberParameters();
  return true;
}

Edit TakeComponent(size_t computation, size_t instruction, size_t k) {
  return [=](Module& module) {
    Instruction& op = *module.computations[computation]->instructions[instruction];
    const Component component = Components(op)[k];
    if (!op.shape.IsTuple() || Callers(*op.called[0]).size() != 1) return false;
    if (!TakeParameters(*op.called[0], component.parameters, k)) return false;
    std::vector<Instruction*> operands;
    operands.reserve(component.operands.size());
    for (size_t i : component.operands) operands.push_back(op.operands[i]);
    op.operands = std::move(operands);
    op.shape = hlo::Shape(op.shape.tuple[k]);
    for (const auto& user : op.parent->instructions) {
      const bool takes = user->opcode == Opcode::kGetTupleElement && user->operands[0] == &op;
      if (takes && user->shape.SameIgnoringLayout(op.shape)) ReplaceUses(*user, op);
    }
    return true;
  };
}

bool CalledAlike(const Computation& a, const Computation& b) {
  return a.parameters.size() == b.parameters.size() &&
         a.root->shape.SameIgnoringLayout(b.root->shape) &&
         llvm::all_of(llvm::zip(a.parameters, b.parameters), [](auto pair) {
           return std::get<0>(pair)->shape.SameIgnoringLayout(std::get<1>(pair)->shape);
         });
}

Edit CallOther(size_t from, size_t to) {
  return [=](Module& module) {
    Computation* other = module.computations[to].get();
    for (Instruction* caller : Callers(*module.computations[from])) {
      std::replace(caller->called.begin(), caller->called.end(), module.computations[from].get(),
                   other);
    }
    return true;
  };
}

// Two ops that differ in what they call differ in an operand instead.
Edit CallOtherOfAnotherOperand(size_t from, size_t to, size_t operand) {
  return [=](Module& module) {
    std::vector<Instruction*> callers = Callers(*module.computations[from]);
    if (callers.size() != 1 || !callers[0]->parent->is_entry) return false;
    if (callers[0]->operands.size() <= operand) return false;
    Instruction*& replaced = callers[0]->operands[operand];
    replaced = &AddParameter(*callers[0]->parent, *replaced);
    return CallOther(from, to)(module);
  };
}

}  // namespace

std::vector<Edit> CalleeEdits(const Module& module) {
  std::vector<Edit> edits;
  const auto& computations = module.computations;
  for (size_t c = computations.size(); c-- > 0;) {
    // Callees stand before their callers, so the earlier one does not call the later.
    for (size_t to = 0; to < c && !computations[c]->is_entry; ++to) {
      if (!CalledAlike(*computations[c], *computations[to])) continue;
      edits.push_back(CallOther(c, to));
      for (size_t operand : {0, 1}) edits.push_back(CallOtherOfAnotherOperand(c, to, operand));
    }
    for (size_t i = computations[c]->instructions.size(); i-- > 0;) {
      const size_t n = Components(*computations[c]->instructions[i]).size();
      for (size_t k = 0; n > 1 && k < n; ++k) edits.push_back(TakeComponent(c, i, k));
    }
  }
  return edits;
}

}  // namespace affirm::fuzz
