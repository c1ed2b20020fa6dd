// Copies of modules, replaced uses, and the repair of a module after an edit.
#include "fuzz/reducer/hlo_edit.h"

#include <algorithm>
#include <set>

#include "core/hlo/text.h"
#include "core/hlo/verifier.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::fuzz {

using hlo::Computation;
using hlo::Instruction;
using hlo::Module;
using hlo::Opcode;

namespace {

// Calls whose operands are the parameters of what they call, one by one.
bool PassesOperands(const Instruction& instruction) {
  return (instruction.opcode == Opcode::kFusion || instruction.opcode == Opcode::kCall) &&
         instruction.called.size() == 1;
}

void MakeParameter(Instruction& instruction) {
  Computation& computation = *instruction.parent;
  int64_t count = llvm::count_if(computation.instructions, [](const auto& other) {
    return other->opcode == Opcode::kParameter;
  });
  instruction.opcode = Opcode::kParameter;
  instruction.opcode_text = "parameter";
  instruction.parameter_number = count;
  instruction.operands.clear();
  instruction.called.clear();
  instruction.called_as.clear();
  instruction.attributes = {};
  instruction.literal.reset();
}

void Reach(const Instruction& instruction, std::set<const Instruction*>& reached) {
  if (!reached.insert(&instruction).second) return;
  for (const Instruction* operand : instruction.operands) Reach(*operand, reached);
}

// Drops unused instructions, and parameters where the callers can follow.
void DropUnreached(Computation& computation) {
  std::set<const Instruction*> reached;
  Reach(*computation.root, reached);
  std::vector<Instruction*> callers = Callers(computation);
  bool may_drop =
      llvm::all_of(callers, [](Instruction* caller) { return PassesOperands(*caller); });
  computation.NumberParameters();
  std::vector<Instruction*> parameters = computation.parameters;
  for (size_t k = parameters.size(); may_drop && k-- > 0;) {
    if (reached.count(parameters[k])) continue;
    for (Instruction* caller : callers) caller->operands.erase(caller->operands.begin() + k);
    for (size_t later = k + 1; later < parameters.size(); ++later) {
      --parameters[later]->parameter_number;
    }
  }
  std::erase_if(computation.instructions, [&](const auto& instruction) {
    bool keep = !may_drop && instruction->opcode == Opcode::kParameter;
    return !keep && !reached.count(instruction.get());
  });
  computation.NumberParameters();
}

void DropUncalled(Module& module) {
  for (bool changed = true; changed;) {
    llvm::DenseSet<const Computation*> called;
    for (const auto& computation : module.computations) {
      for (const auto& instruction : computation->instructions) {
        called.insert(instruction->called.begin(), instruction->called.end());
      }
    }
    changed = std::erase_if(module.computations, [&](const auto& computation) {
                return computation.get() != module.entry && !called.contains(computation.get());
              }) > 0;
  }
}

void CollectUsers(Module& module) {
  for (const auto& computation : module.computations) {
    for (const auto& instruction : computation->instructions) instruction->users.clear();
    for (const auto& instruction : computation->instructions) {
      for (Instruction* operand : instruction->operands) {
        if (!llvm::is_contained(operand->users, instruction.get())) {
          operand->users.push_back(instruction.get());
        }
      }
    }
  }
}

// Gives instructions the shapes that follow from their operands, through fusions and calls.
bool InferShapes(Computation& computation) {
  for (const auto& instruction : computation.instructions) {
    if (instruction->opcode == Opcode::kParameter) continue;
    if (PassesOperands(*instruction)) {
      Computation& callee = *instruction->called.front();
      if (callee.parameters.size() != instruction->operands.size()) return false;
      for (size_t k = 0; k < callee.parameters.size(); ++k) {
        callee.parameters[k]->shape = instruction->operands[k]->shape;
      }
      if (!InferShapes(callee)) return false;
      instruction->shape = callee.root->shape;
    }
    auto shape = hlo::InferShape(*instruction);
    if (!shape) {
      llvm::consumeError(shape.takeError());
      return false;
    }
    if (instruction->shape.SameIgnoringLayout(*shape)) continue;
    instruction->shape = std::move(*shape);
  }
  return true;
}

}  // namespace

std::unique_ptr<Module> Clone(const Module& module) {
  auto copy = hlo::ParseModule(hlo::ToString(module), "copy");
  if (copy) return std::move(*copy);
  llvm::consumeError(copy.takeError());
  return nullptr;
}

std::vector<Instruction*> Callers(const Computation& computation) {
  std::vector<Instruction*> callers;
  for (const auto& other : computation.module->computations) {
    for (const auto& instruction : other->instructions) {
      if (llvm::is_contained(instruction->called, &computation))
        callers.push_back(instruction.get());
    }
  }
  return callers;
}

void ReplaceUses(Instruction& from, Instruction& to) {
  for (const auto& instruction : from.parent->instructions) {
    std::replace(instruction->operands.begin(), instruction->operands.end(), &from, &to);
  }
  if (from.IsRoot()) from.parent->root = &to;
}

Instruction& AddParameter(Computation& computation, const Instruction& like) {
  auto owned = std::make_unique<Instruction>();
  Instruction& parameter = *owned;
  parameter.name = "new_" + like.name;
  parameter.shape = like.shape;
  parameter.parent = &computation;
  MakeParameter(parameter);
  computation.instructions.insert(computation.instructions.begin(), std::move(owned));
  return parameter;
}

bool BecomeParameter(Instruction& instruction) {
  Computation& computation = *instruction.parent;
  if (instruction.opcode == Opcode::kParameter) return false;
  if (computation.is_entry) {
    MakeParameter(instruction);
    return true;
  }
  std::vector<Instruction*> callers = Callers(computation);
  if (callers.size() != 1 || !PassesOperands(*callers[0]) || !callers[0]->parent->is_entry) {
    return false;
  }
  Instruction& parameter = AddParameter(*callers[0]->parent, instruction);
  MakeParameter(instruction);
  callers[0]->operands.push_back(&parameter);
  return true;
}

hlo::Literal Resized(const hlo::Literal& literal, const hlo::Shape& shape) {
  hlo::Literal result(shape);
  bool from_float = hlo::IsFloat(literal.shape().type), to_float = hlo::IsFloat(shape.type);
  for (int64_t i = 0; i < std::min(literal.NumElements(), shape.NumElements()); ++i) {
    if (hlo::IsComplex(literal.shape().type) || hlo::IsComplex(shape.type)) break;
    double value = from_float ? literal.GetFloat(i) : static_cast<double>(literal.GetInt(i));
    bool fits = value > -1e18 && value < 1e18;
    if (to_float) {
      result.SetFloat(i, value);
    } else if (from_float) {
      result.SetInt(i, fits ? static_cast<int64_t>(value) : 1);
    } else {
      result.SetInt(i, literal.GetInt(i));
    }
  }
  return result;
}

bool Repair(Module& module) {
  // Computations that callers no longer need go first.
  for (auto it = module.computations.rbegin(); it != module.computations.rend(); ++it) {
    if (!(*it)->root) return false;
    DropUnreached(**it);
  }
  DropUncalled(module);
  // An operand that a callee no longer takes may have lost its last use.
  for (auto it = module.computations.rbegin(); it != module.computations.rend(); ++it) {
    DropUnreached(**it);
  }
  CollectUsers(module);
  module.next_id = 0;
  for (const auto& computation : module.computations) {
    for (const auto& instruction : computation->instructions) instruction->id = module.next_id++;
  }
  if (!InferShapes(*module.entry)) return false;
  if (llvm::Error error = hlo::VerifyExecutable(module, "")) {
    llvm::consumeError(std::move(error));
    return false;
  }
  return true;
}

}  // namespace affirm::fuzz
