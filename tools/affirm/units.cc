#include "tools/affirm/units.h"

#include <unordered_map>

#include "verify/reference/interpreter.h"

namespace affirm::cli {

std::vector<Unit> UnitsOf(const hlo::Module& module) {
  std::vector<Unit> units;
  for (const auto& instruction : module.entry->instructions) {
    if (instruction->opcode == hlo::Opcode::kFusion && !instruction->called.empty()) {
      units.push_back({instruction->name, instruction->called.front(), instruction.get()});
    }
  }
  if (units.empty()) units.push_back({module.entry->name, module.entry, nullptr});
  return units;
}

UnitPieces PiecesOf(const Unit& unit) {
  UnitPieces result{emit::Split(*unit.computation), {}};
  for (const emit::Piece& piece : result.pieces.pieces) {
    bool last = &piece == &result.pieces.pieces.back();
    std::string name = last ? unit.name : unit.name + "." + piece.computation->name;
    result.units.push_back({name, piece.computation, unit.fusion});
  }
  return result;
}

namespace {

llvm::Expected<hlo::Literal> RunInPieces(const Unit& unit, llvm::ArrayRef<hlo::Literal> arguments,
                                         const UnitRunner& run_unit) {
  UnitPieces pieces = PiecesOf(unit);
  size_t next = 0;
  return emit::RunPieces(pieces.pieces, arguments,
                         [&](const hlo::Computation&, llvm::ArrayRef<hlo::Literal> values) {
                           return run_unit(pieces.units[next++], values);
                         });
}

// The value of one instruction of the entry.
llvm::Expected<hlo::Literal> Step(const hlo::Instruction& instruction,
                                  llvm::ArrayRef<hlo::Literal> arguments,
                                  llvm::ArrayRef<const hlo::Literal*> operands,
                                  const UnitRunner& run_unit) {
  if (instruction.opcode == hlo::Opcode::kParameter) {
    return arguments[instruction.parameter_number];
  }
  if (instruction.opcode == hlo::Opcode::kFusion) {
    std::vector<hlo::Literal> values;
    for (const hlo::Literal* operand : operands) values.push_back(*operand);
    return RunInPieces({instruction.name, instruction.called.front(), &instruction}, values,
                       run_unit);
  }
  return hlo::InterpretInstruction(instruction, operands);
}

}  // namespace

llvm::Expected<hlo::Literal> RunEntry(const hlo::Module& module,
                                      llvm::ArrayRef<hlo::Literal> arguments,
                                      const UnitRunner& run_unit) {
  std::vector<Unit> units = UnitsOf(module);
  if (!units.front().fusion) return RunInPieces(units.front(), arguments, run_unit);
  std::unordered_map<const hlo::Instruction*, hlo::Literal> values;
  for (const auto& instruction : module.entry->instructions) {
    std::vector<const hlo::Literal*> operands;
    for (const hlo::Instruction* operand : instruction->operands) {
      operands.push_back(&values.at(operand));
    }
    auto value = Step(*instruction, arguments, operands, run_unit);
    if (!value) return value.takeError();
    values[instruction.get()] = std::move(*value);
  }
  return values.at(module.entry->root);
}

}  // namespace affirm::cli
