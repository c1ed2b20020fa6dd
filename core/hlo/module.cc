// Keeps the links between instructions, their users and their parameters.
#include "core/hlo/module.h"

#include "llvm/ADT/DenseMap.h"

namespace affirm::hlo {
namespace {

// How far a parameter's number may run ahead of the instructions, so that a wrong number cannot
// make `parameters` larger than the computation.
constexpr int64_t kMaxParameterLead = 64;

using ComputationNumbers = llvm::DenseMap<const Computation*, size_t>;
using InstructionNumbers = llvm::DenseMap<const Instruction*, size_t>;

ComputationNumbers Number(const Module& module) {
  ComputationNumbers numbers;
  for (size_t i = 0; i < module.computations.size(); ++i) {
    numbers[module.computations[i].get()] = i;
  }
  return numbers;
}

InstructionNumbers Number(const Computation& computation) {
  InstructionNumbers numbers;
  for (size_t i = 0; i < computation.instructions.size(); ++i) {
    numbers[computation.instructions[i].get()] = i;
  }
  return numbers;
}

// Whether two lists of nodes are at the same positions of their graphs.
template <typename Node, typename Numbers>
bool SamePlaces(llvm::ArrayRef<Node*> a, const Numbers& a_numbers, llvm::ArrayRef<Node*> b,
                const Numbers& b_numbers) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a_numbers.lookup(a[i]) != b_numbers.lookup(b[i])) return false;
  }
  return true;
}

bool SameNode(const Instruction& a, const Instruction& b) {
  return a.name == b.name && a.opcode == b.opcode && a.opcode_text == b.opcode_text &&
         a.shape == b.shape && a.called_as == b.called_as && a.attributes == b.attributes &&
         a.literal == b.literal && a.parameter_number == b.parameter_number;
}

bool SameComputation(const Computation& a, const ComputationNumbers& a_calls, const Computation& b,
                     const ComputationNumbers& b_calls) {
  if (a.name != b.name || a.is_entry != b.is_entry || a.extra_attributes != b.extra_attributes ||
      a.instructions.size() != b.instructions.size()) {
    return false;
  }
  const InstructionNumbers a_numbers = Number(a);
  const InstructionNumbers b_numbers = Number(b);
  for (size_t i = 0; i < a.instructions.size(); ++i) {
    const Instruction& x = *a.instructions[i];
    const Instruction& y = *b.instructions[i];
    if (!SameNode(x, y) || x.IsRoot() != y.IsRoot() ||
        !SamePlaces<Instruction>(x.operands, a_numbers, y.operands, b_numbers) ||
        !SamePlaces<Computation>(x.called, a_calls, y.called, b_calls)) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::unique_ptr<Instruction> CopyOf(const Instruction& op) {
  auto copy = std::make_unique<Instruction>(op);
  copy->operands.clear();
  copy->users.clear();
  copy->id = -1;
  copy->parent = nullptr;
  return copy;
}

namespace {

Computation* CopyInto(Module& module, const Computation& of,
                      llvm::DenseMap<const Computation*, Computation*>& copies) {
  if (auto known = copies.find(&of); known != copies.end()) return known->second;
  auto made = std::make_unique<Computation>();
  made->name = of.name;
  made->module = &module;
  made->location = of.location;
  made->extra_attributes = of.extra_attributes;
  llvm::DenseMap<const Instruction*, Instruction*> instructions;
  for (const auto& op : of.instructions) {
    std::unique_ptr<Instruction> copy = CopyOf(*op);
    for (Instruction* operand : op->operands)
      copy->operands.push_back(instructions.lookup(operand));
    for (Computation*& called : copy->called) called = CopyInto(module, *called, copies);
    instructions[op.get()] = made->Add(std::move(copy));
  }
  made->root = instructions.lookup(of.root);
  made->NumberParameters();
  module.computations.push_back(std::move(made));
  return copies[&of] = module.computations.back().get();
}

}  // namespace

std::unique_ptr<Module> ModuleOf(const Computation& computation) {
  auto module = std::make_unique<Module>();
  module->name = computation.name;
  llvm::DenseMap<const Computation*, Computation*> copies;
  module->entry = CopyInto(*module, computation, copies);
  module->entry->is_entry = true;
  return module;
}

const std::string* Attributes::FindExtra(llvm::StringRef key) const {
  for (const auto& [name, value] : extra) {
    if (name == key) return &value;
  }
  return nullptr;
}

bool Instruction::IsRoot() const { return parent != nullptr && parent->root == this; }

int64_t Instruction::OperandIndex(const Instruction* operand) const {
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] == operand) return static_cast<int64_t>(i);
  }
  return -1;
}

Instruction* Computation::Find(llvm::StringRef name) const {
  for (const auto& instruction : instructions) {
    if (instruction->name == name) return instruction.get();
  }
  return nullptr;
}

Instruction* Computation::Add(std::unique_ptr<Instruction> instruction) {
  Instruction* added = instruction.get();
  added->parent = this;
  added->id = module != nullptr ? module->next_id++ : static_cast<int64_t>(instructions.size());
  for (Instruction* operand : added->operands) {
    // A repeated operand finds its user at the end of the list.
    if (operand->users.empty() || operand->users.back() != added) operand->users.push_back(added);
  }
  const int64_t number = added->parameter_number;
  const int64_t limit = static_cast<int64_t>(instructions.size()) + kMaxParameterLead;
  if (added->opcode == Opcode::kParameter && number >= 0 && number < limit) {
    if (number >= static_cast<int64_t>(parameters.size())) parameters.resize(number + 1, nullptr);
    if (parameters[number] == nullptr) parameters[number] = added;
  }
  instructions.push_back(std::move(instruction));
  return added;
}

bool Computation::NumberParameters(const Instruction** offender) {
  size_t count = 0;
  for (const auto& instruction : instructions) count += instruction->opcode == Opcode::kParameter;
  parameters.assign(count, nullptr);
  for (const auto& instruction : instructions) {
    if (instruction->opcode != Opcode::kParameter) continue;
    const int64_t number = instruction->parameter_number;
    const bool fits = number >= 0 && number < static_cast<int64_t>(count);
    if (!fits || parameters[number] != nullptr) {
      if (offender != nullptr) *offender = instruction.get();
      return false;
    }
    parameters[number] = instruction.get();
  }
  return true;
}

Computation* Module::FindComputation(llvm::StringRef name) const {
  for (const auto& computation : computations) {
    if (computation->name == name) return computation.get();
  }
  return nullptr;
}

Instruction* Module::FindInstruction(llvm::StringRef name) const {
  if (entry != nullptr) {
    if (Instruction* found = entry->Find(name)) return found;
  }
  for (const auto& computation : computations) {
    if (Instruction* found = computation->Find(name)) return found;
  }
  return nullptr;
}

int64_t Module::NumInstructions() const {
  int64_t count = 0;
  for (const auto& computation : computations) {
    count += static_cast<int64_t>(computation->instructions.size());
  }
  return count;
}

bool SameModule(const Module& a, const Module& b) {
  if (a.name != b.name || a.extra_attributes != b.extra_attributes || a.tables != b.tables ||
      a.computations.size() != b.computations.size()) {
    return false;
  }
  const ComputationNumbers a_numbers = Number(a);
  const ComputationNumbers b_numbers = Number(b);
  if (a_numbers.lookup(a.entry) != b_numbers.lookup(b.entry)) return false;
  for (size_t i = 0; i < a.computations.size(); ++i) {
    if (!SameComputation(*a.computations[i], a_numbers, *b.computations[i], b_numbers))
      return false;
  }
  return true;
}

}  // namespace affirm::hlo
