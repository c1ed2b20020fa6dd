// HLO snippets: lines of a computation by themselves, as one copies them out of a dump. Operands
// that no line defines become parameters.
#include <algorithm>
#include <utility>

#include "core/hlo/parser.h"

namespace affirm::hlo {

llvm::Error InstructionListParser::ParseSnippet() {
  snippet_ = true;
  while (!scanner_.AtEnd()) {
    if (llvm::Error error = ParseInstruction()) return error;
  }
  int64_t next = 0;
  for (const auto& instruction : computation_.instructions) {
    if (instruction->opcode == Opcode::kParameter) {
      next = std::max(next, instruction->parameter_number + 1);
    }
  }
  for (Instruction* parameter : added_parameters_) parameter->parameter_number = next++;
  return Finish(scanner_.pos());
}

Instruction* InstructionListParser::AddParameter(llvm::StringRef name, Shape shape, size_t pos) {
  auto parameter = std::make_unique<Instruction>();
  parameter->name = name.str();
  parameter->opcode = Opcode::kParameter;
  parameter->opcode_text = "parameter";
  parameter->shape = std::move(shape);
  parameter->location = scanner_.LocationOf(pos);
  by_name_.try_emplace(name, parameter.get());
  added_parameters_.push_back(parameter.get());
  return computation_.Add(std::move(parameter));
}

}  // namespace affirm::hlo
