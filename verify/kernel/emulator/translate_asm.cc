// Inline PTX: moves, and loads and stores with predicates, as compilers of tiles write them.
#include <set>

#include "core/symbolic/error.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/Support/MathExtras.h"
#include "verify/kernel/emulator/ptx_asm.h"
#include "verify/kernel/emulator/translate_impl.h"

namespace affirm::kernel {
namespace {

// Bits of a type such as b32, u8, f64; 0 when it is none.
unsigned BitsOfType(llvm::StringRef name) {
  unsigned bits = 0;
  if (name == "pred") return 1;
  if (name.size() < 2 || llvm::StringRef("busf").find(name.front()) == llvm::StringRef::npos ||
      name.drop_front().getAsInteger(10, bits)) {
    return 0;
  }
  return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits : 0;
}

// Qualifiers of loads and stores that say how caches behave, not what is read.
bool IsHint(llvm::StringRef part) {
  static const std::set<std::string> kHints = {"ca",
                                               "cg",
                                               "cs",
                                               "lu",
                                               "cv",
                                               "wb",
                                               "wt",
                                               "nc",
                                               "weak",
                                               "volatile",
                                               "relaxed",
                                               "gpu",
                                               "cta",
                                               "sys",
                                               "L1::evict_last",
                                               "L1::evict_first",
                                               "L1::evict_normal",
                                               "L1::no_allocate",
                                               "L2::64B",
                                               "L2::128B",
                                               "L2::256B"};
  return kHints.contains(part.str());
}

}  // namespace

// In 32 bits an address keeps its place but not its variable.
llvm::Expected<Operand> Translator::WidenSharedAddress(Operand address) {
  const Variable* only = nullptr;
  for (const Variable& variable : program_.variables) {
    if (!variable.shared) continue;
    if (only != nullptr)
      return MakeError("inline PTX has an address of 32 bits, of one of several variables");
    only = &variable;
  }
  if (only == nullptr) return MakeError("inline PTX names shared memory, and there is none");
  Code& code = Emit(Op::kOffset);
  code.a = address;
  code.imm = static_cast<int64_t>(only->address);
  code.dst = NewRegister();
  return Register(code.dst);
}

llvm::Error Translator::TranslateAsm(const llvm::CallBase& call) {
  const auto& assembly = llvm::cast<llvm::InlineAsm>(*call.getCalledOperand());
  auto statements = ParsePtx(assembly.getAsmString());
  if (!statements) return statements.takeError();
  auto pieces = PiecesOf(call.getType());
  if (!pieces) return pieces.takeError();

  // The operands $0, $1, ...: registers of the results, then what the call passes.
  const uint32_t first = NewRegisters(pieces->size());
  llvm::SmallVector<Operand> arguments;
  unsigned outputs = 0, inputs = 0;
  std::vector<std::pair<unsigned, Operand>> ties;
  std::set<size_t> narrow;  // of 32 bits
  for (const llvm::InlineAsm::ConstraintInfo& constraint : assembly.ParseConstraints()) {
    if (constraint.Type == llvm::InlineAsm::isOutput && !constraint.isIndirect) {
      arguments.push_back(Register(first + outputs++));
    } else if (constraint.Type == llvm::InlineAsm::isInput) {
      if (inputs >= call.arg_size()) return Unsupported(call);
      const llvm::Value* input = call.getArgOperand(inputs++);
      auto value = GetScalar(input);
      if (!value) return value.takeError();
      // "0" as a constraint: the result $0 begins as this input.
      unsigned tied = 0;
      if (!llvm::StringRef(constraint.Codes[0]).getAsInteger(10, tied)) {
        ties.push_back({tied, *value});
      }
      if (input->getType()->isIntegerTy(32)) narrow.insert(arguments.size());
      arguments.push_back(*value);
    } else if (constraint.Type != llvm::InlineAsm::isClobber) {
      return Unsupported(call);
    }
  }
  if (outputs != pieces->size()) return Unsupported(call, "inline PTX with other results");
  auto argument = [&](int number) -> llvm::Expected<Operand> {
    if (number < 0 || static_cast<size_t>(number) >= arguments.size()) {
      return MakeError("inline PTX names the operand $" + llvm::Twine(number) +
                       ", which it does not have");
    }
    return arguments[number];
  };
  auto value_of = [&](const PtxOperand& operand) -> llvm::Expected<Operand> {
    if (operand.kind == PtxOperand::kArgument) return argument(operand.argument);
    if (operand.kind == PtxOperand::kImmediate) {
      return AddConstant(static_cast<uint64_t>(operand.immediate));
    }
    return MakeError("inline PTX has an operand that is not executed");
  };
  auto register_of = [&](const PtxOperand& operand) -> llvm::Expected<uint32_t> {
    if (operand.kind == PtxOperand::kArgument && operand.argument >= 0 &&
        static_cast<unsigned>(operand.argument) < outputs) {
      return first + operand.argument;
    }
    return MakeError("inline PTX writes what is not a result");
  };
  for (unsigned k = 0; k < outputs; ++k) {
    Code& code = Emit(Op::kMove);
    code.dst = first + k;
    code.a = AddConstant(Slot{0, MakeMark(kUnspecified, source_)});
    for (auto [tied, value] : ties) {
      if (tied == k) code.a = value;
    }
  }

  for (const PtxStatement& statement : *statements) {
    auto unknown = [&] { return MakeError("inline PTX is not executed: " + statement.text); };
    uint32_t branch = 0;
    if (statement.predicate) {
      auto predicate = argument(*statement.predicate);
      if (!predicate) return predicate.takeError();
      branch = Here();
      Emit(Op::kBranch).a = *predicate;
    }
    const std::string& name = statement.opcode.front();
    const unsigned bits = BitsOfType(statement.opcode.back());
    if (bits == 0 || statement.operands.size() != 2) return unknown();
    if (name == "mov") {
      if (statement.opcode.size() != 2) return unknown();
      auto target = register_of(statement.operands[0]);
      if (!target) return target.takeError();
      auto value = value_of(statement.operands[1]);
      if (!value) return value.takeError();
      Emit({.op = Op::kTrunc,
            .width = static_cast<uint8_t>(bits),
            .aux = 64,
            .dst = *target,
            .a = *value});
    } else if (name == "ld" || name == "st") {
      const bool load = name == "ld";
      unsigned lanes = 1;
      bool has_space = false, shared = false;
      for (size_t k = 1; k + 1 < statement.opcode.size(); ++k) {
        llvm::StringRef part = statement.opcode[k];
        if (part == "v2" || part == "v4" || part == "v8") {
          lanes = static_cast<unsigned>(part[1] - '0');
        } else if (part == "global" || part == "shared" || part == "shared::cta") {
          has_space = true;
          shared = part != "global";
        } else if (!IsHint(part)) {
          return unknown();
        }
      }
      const PtxOperand& place = statement.operands[load ? 1 : 0];
      PtxOperand data = statement.operands[load ? 0 : 1];
      if (data.kind != PtxOperand::kVector) {
        data.elements = {data};
        data.kind = PtxOperand::kVector;
      }
      if (!has_space || place.kind != PtxOperand::kAddress || data.elements.size() != lanes) {
        return unknown();
      }
      auto address = argument(place.argument);
      if (!address) return address.takeError();
      if (narrow.contains(place.argument)) {
        auto wide = shared ? WidenSharedAddress(*address) : llvm::Expected<Operand>(unknown());
        if (!wide) return wide.takeError();
        address = *wide;
      }
      Code code{.op = load ? Op::kLoad : Op::kStore};
      code.width = static_cast<uint8_t>(bits / 8);
      code.a = *address;
      code.imm = place.immediate;
      code.aux = static_cast<uint8_t>(llvm::Log2_32(bits / 8 * lanes));
      for (const PtxOperand& element : data.elements) {
        if (load) {
          auto target = register_of(element);
          if (!target) return target.takeError();
          code.dst = *target;
          code.b = bits;
          code.c = 1;
        } else {
          auto value = value_of(element);
          if (!value) return value.takeError();
          code.b = *value;
        }
        Emit(code);
        code.imm += bits / 8;
        code.aux = 0;
      }
      program_.narrowest_access = std::min<int64_t>(program_.narrowest_access, bits / 8);
    } else {
      return unknown();
    }
    if (statement.predicate) {
      const uint32_t then = branch + 1, after = Here();
      program_.code[branch].b = statement.negated ? after : then;
      program_.code[branch].c = statement.negated ? then : after;
    }
  }
  Define(&call, first, pieces->size());
  return llvm::Error::success();
}

}  // namespace affirm::kernel
