// Prints modules, computations and instructions as HLO text.

#include "core/hlo/attribute_text.h"
#include "core/hlo/text.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::hlo {
namespace {

bool IsListKey(llvm::StringRef key) {
  return key == "branch_computations" || key == "called_computations";
}

// ", to_apply=%f", ", branch_computations={%f, %g}"
void PrintCallees(const Instruction& instruction, llvm::raw_ostream& os) {
  const size_t count = std::min(instruction.called.size(), instruction.called_as.size());
  for (size_t begin = 0; begin < count;) {
    const std::string& key = instruction.called_as[begin];
    size_t end = begin + 1;
    while (end < count && instruction.called_as[end] == key) ++end;
    const bool list = IsListKey(key) || end - begin > 1;
    os << ", " << key << "=" << (list ? "{" : "");
    llvm::ListSeparator separator;
    for (const Computation* callee : llvm::ArrayRef(instruction.called).slice(begin, end - begin)) {
      os << separator << "%" << callee->name;
    }
    os << (list ? "}" : "");
    begin = end;
  }
}

void Print(const Instruction& instruction, llvm::raw_ostream& os) {
  os << (instruction.IsRoot() ? "ROOT " : "") << "%" << instruction.name << " = "
     << instruction.shape.ToString() << " "
     << (instruction.opcode_text.empty() ? Name(instruction.opcode)
                                         : llvm::StringRef(instruction.opcode_text))
     << "(";
  if (instruction.opcode == Opcode::kParameter) {
    os << instruction.parameter_number;
  } else if (instruction.opcode == Opcode::kConstant) {
    os << (instruction.literal ? instruction.literal->ToString() : "{...}");
  } else {
    llvm::ListSeparator separator;
    for (const Instruction* operand : instruction.operands) {
      os << separator << "%" << operand->name;
    }
  }
  os << ")";
  PrintCallees(instruction, os);
  PrintAttributes(instruction.attributes, instruction.opcode, os);
}

void Print(const Computation& computation, llvm::raw_ostream& os) {
  os << (computation.is_entry ? "ENTRY " : "") << "%" << computation.name << " {\n";
  for (const auto& instruction : computation.instructions) {
    os << "  ";
    Print(*instruction, os);
    os << "\n";
  }
  os << "}";
  for (const auto& [key, value] : computation.extra_attributes) os << ", " << key << "=" << value;
  os << "\n";
}

void Print(const Module& module, llvm::raw_ostream& os) {
  // A name that only a '%' lets begin with a digit keeps it.
  const bool plain =
      !module.name.empty() && (llvm::isAlpha(module.name[0]) || module.name[0] == '_');
  os << "HloModule " << (plain ? "" : "%") << module.name;
  for (const auto& [key, value] : module.extra_attributes) os << ", " << key << "=" << value;
  os << "\n";
  for (const auto& [name, rows] : module.tables) os << "\n" << name << "\n" << rows << "\n";
  for (const auto& computation : module.computations) {
    os << "\n";
    Print(*computation, os);
  }
}

template <typename Node>
std::string PrintToString(const Node& node) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Print(node, os);
  return text;
}

}  // namespace

std::string ToString(const Module& module) { return PrintToString(module); }
std::string ToString(const Computation& computation) { return PrintToString(computation); }
std::string ToString(const Instruction& instruction) { return PrintToString(instruction); }

}  // namespace affirm::hlo
