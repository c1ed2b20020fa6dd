#include "verify/kernel/inline_ptx.h"

#include <array>

#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Type.h"
#include "verify/kernel/inline_ptx_registers.h"

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
    if (llvm::Error error = CheckSharedRegisters(call_, ptx_)) return error;
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
    if (name == "wgmma") {
      if (llvm::Error error = WarpGroup(statement, instruction)) return error;
      return instruction;
    }
    if (name == "cp") {
      if (llvm::Error error = Copy(statement, instruction)) return error;
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
    if (llvm::join(statement.opcode, ".") == "cvt.rna.tf32.f32") {
      instruction.kind = PtxInstruction::Kind::kRoundToTf32;
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
    const std::vector<llvm::StringRef> opcode(statement.opcode.begin(), statement.opcode.end());
    const auto of = FindMatrixProduct(opcode);
    if (!of || statement.predicate || statement.operands.size() != 4) return Unknown(statement);
    instruction.matrices = *of;
    const int64_t counts[] = {of->RegistersOfSums(), of->RegistersOfA(), of->RegistersOfB(),
                              of->RegistersOfSums()};
    for (size_t i = 0; i < std::size(counts); ++i) {
      const PtxOperand& matrix = statement.operands[i];
      if (matrix.kind != PtxOperand::kVector && counts[i] != 1) return Unknown(statement);
      const std::vector<PtxOperand> elements =
          matrix.kind == PtxOperand::kVector ? matrix.elements : std::vector<PtxOperand>{matrix};
      if (std::ssize(elements) != counts[i]) return Unknown(statement);
      for (const PtxOperand& element : elements) {
        if (llvm::Error error =
                i == 0 ? AddTarget(element, instruction) : AddSource(element, instruction)) {
          return error;
        }
      }
    }
    return llvm::Error::success();
  }

  // wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {d...}, {a...} or a, b, adds, 1, 1, 0, 1;
  // wgmma.wait_group.sync.aligned 0;
  llvm::Error WarpGroup(const PtxStatement& statement, PtxInstruction& instruction) const {
    const std::vector<PtxOperand>& operands = statement.operands;
    const std::string opcode = llvm::join(statement.opcode, ".");
    if (opcode == "wgmma.wait_group.sync.aligned" && !statement.predicate && operands.size() == 1 &&
        operands[0].kind == PtxOperand::kImmediate && operands[0].immediate >= 0) {
      instruction.kind = PtxInstruction::Kind::kWaitForProducts;
      instruction.groups = operands[0].immediate;
      return llvm::Error::success();
    }
    instruction.kind = PtxInstruction::Kind::kMultiplyShared;
    const std::vector<llvm::StringRef> parts(statement.opcode.begin(), statement.opcode.end());
    const auto of = FindWarpGroupProduct(parts);
    if (!of || statement.predicate || operands.size() < 4) return Unknown(statement);
    instruction.matrices = *of;
    instruction.a_is_shared = operands[1].kind != PtxOperand::kVector;
    // Floats have signs, which are not changed; those of 16 bits, which way each matrix lies.
    const bool floats = !hlo::IsInt(of->a), halves = hlo::BitWidth(of->a) == 16;
    const size_t ways = !halves ? 0 : instruction.a_is_shared ? 2 : 1;
    std::vector<int64_t> says;
    for (const PtxOperand& operand : llvm::drop_begin(operands, 4)) {
      if (operand.kind != PtxOperand::kImmediate) return Unknown(statement);
      says.push_back(operand.immediate);
    }
    const bool known = says.size() == (floats ? 2 + ways : 0) &&
                       (!floats || (says[0] == 1 && says[1] == 1)) &&
                       llvm::all_of(llvm::drop_begin(says, floats ? 2 : 0),
                                    [](int64_t way) { return way == 0 || way == 1; });
    if (!known) return Unknown(statement);
    if (ways == 2) instruction.a_is_transposed = says[2] == 1;
    if (ways > 0) instruction.b_is_transposed = says.back() == 1;
    const std::vector<PtxOperand> a =
        instruction.a_is_shared ? std::vector<PtxOperand>{operands[1]} : operands[1].elements;
    const int64_t of_a = instruction.a_is_shared ? 1 : of->RegistersOfA();
    if (operands[0].kind != PtxOperand::kVector || std::ssize(a) != of_a ||
        std::ssize(operands[0].elements) != of->RegistersOfSums()) {
      return Unknown(statement);
    }
    for (const PtxOperand& target : operands[0].elements) {
      if (llvm::Error error = AddTarget(target, instruction)) return error;
    }
    for (const PtxOperand& source : a) {
      if (llvm::Error error = AddSource(source, instruction)) return error;
    }
    for (size_t k : {2, 3}) {
      if (llvm::Error error = AddSource(operands[k], instruction)) return error;
    }
    return llvm::Error::success();
  }

  // cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;
  llvm::Error Copy(const PtxStatement& statement, PtxInstruction& instruction) const {
    instruction.kind = PtxInstruction::Kind::kStartCopy;
    const std::vector<std::string>& opcode = statement.opcode;
    const std::vector<PtxOperand>& operands = statement.operands;
    const bool known =
        opcode.size() >= 5 && opcode[1] == "async" && (opcode[2] == "ca" || opcode[2] == "cg") &&
        (opcode[3] == "shared" || opcode[3] == "shared::cta") && opcode[4] == "global" &&
        llvm::all_of(llvm::drop_begin(opcode, 5), [](const std::string& s) { return IsHint(s); }) &&
        !statement.predicate && (operands.size() == 3 || operands.size() == 4) &&
        operands[0].kind == PtxOperand::kAddress && operands[1].kind == PtxOperand::kAddress &&
        operands[2].kind == PtxOperand::kImmediate;
    const int64_t bytes = known ? operands[2].immediate : 0;
    const bool has_size = bytes == 16 || (opcode[2] == "ca" && (bytes == 4 || bytes == 8));
    if (!known || !has_size) return Unknown(statement);
    instruction.bits = static_cast<unsigned>(bytes) * 8;
    auto to = Binding(operands[0].argument);
    if (!to) return to.takeError();
    auto from = Binding(operands[1].argument);
    if (!from) return from.takeError();
    instruction.destination = *to;
    instruction.destination_offset = operands[0].immediate;
    instruction.address = *from;
    instruction.offset = operands[1].immediate;
    if (operands.size() == 3) return llvm::Error::success();
    // The number of bytes that are copied, of 32 bits; a predicate is another operand (ignore-src).
    if (operands[3].kind == PtxOperand::kArgument) {
      auto size = Binding(operands[3].argument);
      if (!size) return size.takeError();
      const bool is_size =
          !size->is_result && call_.getArgOperand(size->number)->getType()->isIntegerTy(32);
      if (!is_size) return Unknown(statement);
    }
    return AddSource(operands[3], instruction);
  }

  llvm::Error Access(const PtxStatement& statement, bool is_load,
                     PtxInstruction& instruction) const {
    instruction.kind = is_load ? PtxInstruction::Kind::kLoad : PtxInstruction::Kind::kStore;
    size_t count = 1;
    bool has_space = false;
    for (size_t k = 1; k + 1 < statement.opcode.size(); ++k) {
      llvm::StringRef part = statement.opcode[k];
      instruction.is_strong |= part == "relaxed" || part == "volatile";
      instruction.is_of_block |= part == "cta";
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
    if (!has_space || place.kind != PtxOperand::kAddress || elements.size() != count ||
        instruction.bits < 8) {
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
    // A wider register is filled with the sign (PTX ISA, "Operand Size Exceeding Instruction-Type
    // Size").
    const bool is_signed = llvm::StringRef(statement.opcode.back()).starts_with("s");
    const bool extends_sign =
        is_load && is_signed && llvm::any_of(instruction.targets, [&](unsigned target) {
          return BitsOfResult(target) > instruction.bits;
        });
    return extends_sign ? Unknown(statement) : llvm::Error::success();
  }

  // The width of a register that the call gives.
  unsigned BitsOfResult(unsigned target) const {
    auto* structure = llvm::dyn_cast<llvm::StructType>(call_.getType());
    const llvm::Type* type = structure ? structure->getElementType(target) : call_.getType();
    return static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue());
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

bool WaitsForWarp(const llvm::CallBase& assembly) {
  const auto& text = llvm::cast<llvm::InlineAsm>(*assembly.getCalledOperand());
  const llvm::StringRef ptx = text.getAsmString();
  return ptx.contains("mma.sync") || ptx.contains("wgmma.mma_async");
}

bool IsOrderedPtx(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr) return false;
  const auto* assembly = llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand());
  return assembly != nullptr && assembly->hasSideEffects();
}

bool UsesTf32(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr || !call->isInlineAsm()) continue;
      const auto& assembly = llvm::cast<llvm::InlineAsm>(*call->getCalledOperand());
      if (llvm::StringRef(assembly.getAsmString()).contains(".tf32")) return true;
    }
  }
  return false;
}

}  // namespace affirm::kernel
