// Names and arities of opcodes, from opcodes.def.
#include "core/hlo/opcode.h"

#include "llvm/ADT/StringMap.h"

namespace affirm::hlo {
namespace {

struct OpcodeInfo {
  llvm::StringLiteral text;
  int arity;
};

// Indexed by Opcode.
constexpr OpcodeInfo kOpcodes[] = {
#define AFFIRM_OPCODE(id, text, arity) {text, arity},
#include "core/hlo/opcodes.def"
#undef AFFIRM_OPCODE
    {"?", -1},
};

llvm::StringMap<Opcode> MakeOpcodesByName() {
  llvm::StringMap<Opcode> by_name;
  for (size_t i = 0; i + 1 < std::size(kOpcodes); ++i) {
    by_name[kOpcodes[i].text] = static_cast<Opcode>(i);
  }
  return by_name;
}

}  // namespace

Opcode OpcodeFromName(llvm::StringRef text) {
  static const llvm::StringMap<Opcode> kByName = MakeOpcodesByName();
  auto found = kByName.find(text);
  return found == kByName.end() ? Opcode::kUnknown : found->second;
}

llvm::StringRef Name(Opcode opcode) { return kOpcodes[static_cast<size_t>(opcode)].text; }

int Arity(Opcode opcode) { return kOpcodes[static_cast<size_t>(opcode)].arity; }

bool IsElementwise(Opcode opcode) {
  // The .def file lists the elementwise opcodes first.
  return opcode <= Opcode::kSelect;
}

}  // namespace affirm::hlo
