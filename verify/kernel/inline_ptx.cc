#include "verify/kernel/inline_ptx.h"

#include <array>

#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Type.h"

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
  static constexpr std::array<llvm::StringLiteral, 20> kHints = {"ca",
                                                                 "cg",
                                                                 "cs",
                                                                 "lu",
                                                                 "cv",
                                                                 "wb",
                                                                 "wt",
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
  return llvm::is_contained(kHints, part);
}

// Gives statements their meaning, by what the call binds $0, $1, ... to.
class InlinePtxReader {
 public:
  explicit InlinePtxReader(const llvm::CallBase& call)
      : call_(call), assembly_(llvm::cast<llvm::InlineAsm>(*call.getCalledOperand())) {}

  llvm::Expected<InlinePtx> Read() {
    if (llvm::Error error = Bind()) return error;
    auto statements = ParsePtx(assembly_.getAsmString());
    if (!statements) return statements.takeError();
    for (const PtxStatement& statement : *statements) {
      auto instruction = Instruction(statement);
      if (!instruction) return instruction.takeError();
      ptx_.instructions.push_back(std::move(*instruction));
    }
    return std::move(ptx_);
  }

 private:
  // Results come first among the operands, then the arguments; clobbers have no number.
  llvm::Error Bind() {
    unsigned arguments = 0;
    for (const llvm::InlineAsm::ConstraintInfo& constraint : assembly_.ParseConstraints()) {
      if (constraint.Type == llvm::InlineAsm::isOutput && !constraint.isIndirect) {
        bindings_.push_back({true, ptx_.num_results++});
      } else if (constraint.Type == llvm::InlineAsm::isInput) {
        if (arguments >= call_.arg_size())
          return MakeError("inline PTX has more operands than arguments");
        // "0" as a constraint: the result $0 begins as this argument.
        unsigned tied = 0;
        if (!llvm::StringRef(constraint.Codes[0]).getAsInteger(10, tied))
          ptx_.ties.emplace_back(tied, arguments);
        bindings_.push_back({false, arguments++});
      } else if (constraint.Type != llvm::InlineAsm::isClobber) {
        return MakeError("inline PTX with an operand of this kind");
      }
    }
    const llvm::Type* type = call_.getType();
    const auto* structure = llvm::dyn_cast<llvm::StructType>(type);
    const unsigned results = type->isVoidTy() ? 0 : structure ? structure->getNumElements() : 1;
    if (results != ptx_.num_results) return MakeError("inline PTX with other results");
    return llvm::Error::success();
  }

  llvm::Expected<PtxBinding> Binding(int number) const {
    if (number < 0 || static_cast<size_t>(number) >= bindings_.size()) {
      return MakeError("inline PTX names the operand $" + llvm::Twine(number) +
                       ", which it does not have");
    }
    return bindings_[number];
  }

  llvm::Error AddTarget(const PtxOperand& operand, PtxInstruction& instruction) const {
    const bool is_result = operand.kind == PtxOperand::kArgument && operand.argument >= 0 &&
                           static_cast<size_t>(operand.argument) < bindings_.size() &&
                           bindings_[operand.argument].is_result;
    if (!is_result) return MakeError("inline PTX writes what is not a result");
    instruction.targets.push_back(bindings_[operand.argument].number);
    return llvm::Error::success();
  }

  llvm::Error AddSource(const PtxOperand& operand, PtxInstruction& instruction) const {
    if (operand.kind == PtxOperand::kImmediate) {
      instruction.sources.push_back({std::nullopt, operand.immediate});
      return llvm::Error::success();
    }
    if (operand.kind != PtxOperand::kArgument)
      return MakeError("inline PTX has an operand that is not executed");
    auto binding = Binding(operand.argument);
    if (!binding) return binding.takeError();
    instruction.sources.push_back({*binding, 0});
    return llvm::Error::success();
  }

  llvm::Expected<PtxInstruction> Instruction(const PtxStatement& statement) const {
    PtxInstruction instruction;
    instruction.text = statement.text;
    instruction.negated = statement.negated;
    if (statement.predicate) {
      auto predicate = Binding(*statement.predicate);
      if (!predicate) return predicate.takeError();
      instruction.predicate = *predicate;
    }
    const std::string& name = statement.opcode.front();
    if (name == "mma") {
      if (llvm::Error error = MultiplyMatrices(statement, instruction)) return error;
      return instruction;
    }
    llvm::StringRef type = statement.opcode.back();
    instruction.bits = BitsOfType(type);
    if (instruction.bits == 0 || statement.operands.size() != 2) return Unknown(statement);
    if (name == "mov" && statement.opcode.size() == 2) {
      if (llvm::Error error = AddTarget(statement.operands[0], instruction)) return error;
      if (llvm::Error error = AddSource(statement.operands[1], instruction)) return error;
      return instruction;
    }
    if (name != "ld" && name != "st") return Unknown(statement);
    if (llvm::Error error = Access(statement, name == "ld", instruction)) return error;
    return instruction;
  }

  // mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {d...}, {a...}, {b...}, {c...}
  llvm::Error MultiplyMatrices(const PtxStatement& statement, PtxInstruction& instruction) const {
    instruction.kind = PtxInstruction::Kind::kMultiplyMatrices;
    IntegerMatrices& of = instruction.matrices;
    std::vector<llvm::StringRef> parts(statement.opcode.begin(), statement.opcode.end());
    if (parts.size() == 11 && parts[6] == "satfinite") {
      of.saturates = true;
      parts.erase(parts.begin() + 6);
    }
    static constexpr llvm::StringLiteral kBegin[] = {"mma", "sync", "aligned", "",
                                                     "row", "col",  "s32"};
    bool known = parts.size() == 10 && parts[9] == "s32" && !statement.predicate &&
                 statement.operands.size() == 4;
    for (size_t i = 0; known && i < std::size(kBegin); ++i)
      known = kBegin[i].empty() || parts[i] == kBegin[i];
    llvm::StringRef shape = known ? parts[3] : "";
    known = known && shape.consume_front("m16n8k") && !shape.getAsInteger(10, of.k);
    auto bits_of = [](llvm::StringRef type) {
      return type == "s8" || type == "u8" ? 8u : type == "s4" || type == "u4" ? 4u : 0u;
    };
    if (known) {
      of.bits = bits_of(parts[7]);
      of.a_is_signed = parts[7].starts_with("s");
      of.b_is_signed = parts[8].starts_with("s");
    }
    known = known && of.bits != 0 && of.bits == bits_of(parts[8]) &&
            (of.k * of.bits == 128 || of.k * of.bits == 256);
    if (!known) return Unknown(statement);
    const size_t counts[] = {4, of.RegistersOfA(), of.RegistersOfB(), 4};
    for (size_t i = 0; i < std::size(counts); ++i) {
      const PtxOperand& matrix = statement.operands[i];
      if (matrix.kind != PtxOperand::kVector && counts[i] != 1) return Unknown(statement);
      const std::vector<PtxOperand> elements =
          matrix.kind == PtxOperand::kVector ? matrix.elements : std::vector<PtxOperand>{matrix};
      if (elements.size() != counts[i]) return Unknown(statement);
      for (const PtxOperand& element : elements) {
        if (llvm::Error error =
                i == 0 ? AddTarget(element, instruction) : AddSource(element, instruction)) {
          return error;
        }
      }
    }
    return llvm::Error::success();
  }

  llvm::Error Access(const PtxStatement& statement, bool is_load,
                     PtxInstruction& instruction) const {
    instruction.kind = is_load ? PtxInstruction::Kind::kLoad : PtxInstruction::Kind::kStore;
    size_t count = 1;
    bool has_space = false;
    for (size_t k = 1; k + 1 < statement.opcode.size(); ++k) {
      llvm::StringRef part = statement.opcode[k];
      if (part == "v2" || part == "v4" || part == "v8") {
        count = static_cast<size_t>(part[1] - '0');
      } else if (part == "global" || part == "shared" || part == "shared::cta") {
        has_space = true;
        instruction.is_shared = part != "global";
      } else if (part == "nc" && is_load) {
        instruction.is_constant = true;
      } else if (!IsHint(part)) {
        return Unknown(statement);
      }
    }
    const PtxOperand& place = statement.operands[is_load ? 1 : 0];
    const PtxOperand& data = statement.operands[is_load ? 0 : 1];
    const std::vector<PtxOperand> elements =
        data.kind == PtxOperand::kVector ? data.elements : std::vector<PtxOperand>{data};
    // A load of .s8 or .s16 fills a wider register with the sign.
    const bool extends_sign = is_load && instruction.bits < 32 &&
                              llvm::StringRef(statement.opcode.back()).starts_with("s");
    if (extends_sign || !has_space || place.kind != PtxOperand::kAddress ||
        elements.size() != count || instruction.bits < 8) {
      return Unknown(statement);
    }
    auto address = Binding(place.argument);
    if (!address) return address.takeError();
    instruction.address = *address;
    instruction.offset = place.immediate;
    for (const PtxOperand& element : elements) {
      if (llvm::Error error =
              is_load ? AddTarget(element, instruction) : AddSource(element, instruction)) {
        return error;
      }
    }
    return llvm::Error::success();
  }

  static llvm::Error Unknown(const PtxStatement& statement) {
    return MakeError("inline PTX is not executed: " + statement.text);
  }

  const llvm::CallBase& call_;
  const llvm::InlineAsm& assembly_;
  std::vector<PtxBinding> bindings_;  // of $0, $1, ...
  InlinePtx ptx_;
};

}  // namespace

llvm::Expected<InlinePtx> ReadInlinePtx(const llvm::CallBase& call) {
  return InlinePtxReader(call).Read();
}

bool IsOrderedPtx(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr) return false;
  const auto* assembly = llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand());
  return assembly != nullptr && assembly->hasSideEffects();
}

}  // namespace affirm::kernel
