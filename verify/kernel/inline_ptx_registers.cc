#include "verify/kernel/inline_ptx_registers.h"

#include <optional>
#include <vector>

#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

namespace affirm::kernel {
namespace {

// Bits of the registers that a constraint asks for (LangRef, "Supported Constraint Code List",
// NVPTX); LLVM has integers and floats of one width in one class. 0 is a number in the text;
// nullopt may be any register.
std::optional<unsigned> RegisterBits(const llvm::InlineAsm::ConstraintInfo& constraint) {
  if (constraint.isMultipleAlternative || constraint.Codes.size() != 1) return std::nullopt;
  const llvm::StringRef code = constraint.Codes[0];
  if (code == "b") return 1;
  if (code == "c" || code == "h") return 16;
  if (code == "r" || code == "f") return 32;
  if (code == "l" || code == "d" || code == "N") return 64;
  if (code == "q") return 128;
  if (code == "n" || code == "i") return 0;
  return std::nullopt;
}

// Follows the instructions in their order.
class SharedRegisters {
 public:
  SharedRegisters(const llvm::CallBase& call, const InlinePtx& ptx) : call_(call), ptx_(ptx) {
    const auto& assembly = llvm::cast<llvm::InlineAsm>(*call.getCalledOperand());
    for (const auto& constraint : assembly.ParseConstraints()) {
      if (constraint.Type == llvm::InlineAsm::isOutput) results_.push_back(constraint);
      if (constraint.Type == llvm::InlineAsm::isInput) arguments_.push_back(constraint);
    }
    written_.resize(results_.size());
  }

  llvm::Error Check() {
    for (const PtxInstruction& instruction : ptx_.instructions) {
      // A product goes on to read its registers after the instruction (PTX ISA, "wgmma").
      const bool reads_last = instruction.kind == PtxInstruction::Kind::kMultiplyShared;
      if (reads_last) Write(instruction);
      if (llvm::Error error = Read(instruction)) return error;
      if (!reads_last) Write(instruction);
    }
    return llvm::Error::success();
  }

 private:
  bool MayShare(unsigned result, unsigned argument) const {
    for (auto [to, tied] : ptx_.ties) {
      if (tied == argument) return to == result;
    }
    if (results_[result].isEarlyClobber) return false;
    const auto bits = RegisterBits(results_[result]), of = RegisterBits(arguments_[argument]);
    return of != 0 && (!bits || !of || *bits == *of);
  }

  llvm::Error Read(const PtxInstruction& instruction) const {
    std::vector<PtxBinding> reads;
    if (instruction.predicate) reads.push_back(*instruction.predicate);
    for (const PtxInstruction::Source& source : instruction.sources) {
      if (source.binding) reads.push_back(*source.binding);
    }
    const bool copies = instruction.kind == PtxInstruction::Kind::kStartCopy;
    const bool accesses = copies || instruction.kind == PtxInstruction::Kind::kLoad ||
                          instruction.kind == PtxInstruction::Kind::kStore;
    if (accesses) reads.push_back(instruction.address);
    if (copies) reads.push_back(instruction.destination);
    for (const PtxBinding& read : reads) {
      if (read.is_result) continue;
      for (unsigned result = 0; result < results_.size(); ++result) {
        if (!MayShare(result, read.number)) continue;
        const llvm::Value* value = call_.getArgOperand(read.number);
        if (llvm::all_of(written_[result], [&](const llvm::Value* of) { return of == value; }))
          continue;
        return MakeError(
            "inline PTX writes $" + llvm::Twine(result) + " before it reads $" +
            llvm::Twine(results_.size() + read.number) +
            ", which may be the same register (no early clobber): " + instruction.text);
      }
    }
    return llvm::Error::success();
  }

  // The argument whose whole value a result gets; null for anything else.
  const llvm::Value* CopiedArgument(const PtxInstruction& instruction) const {
    if (instruction.kind != PtxInstruction::Kind::kMove) return nullptr;
    const auto& from = instruction.sources[0].binding;
    if (!from || from->is_result) return nullptr;
    const llvm::Value* value = call_.getArgOperand(from->number);
    const unsigned bits = value->getType()->getPrimitiveSizeInBits();
    const bool whole = bits == instruction.bits &&
                       RegisterBits(results_[instruction.targets[0]]) == bits &&
                       RegisterBits(arguments_[from->number]) == bits;
    return whole ? value : nullptr;
  }

  void Write(const PtxInstruction& instruction) {
    const llvm::Value* value = CopiedArgument(instruction);
    for (unsigned target : instruction.targets) written_[target].push_back(value);
  }

  const llvm::CallBase& call_;
  const InlinePtx& ptx_;
  std::vector<llvm::InlineAsm::ConstraintInfo> results_, arguments_;
  std::vector<std::vector<const llvm::Value*>> written_;  // by result: the values, null of others
};

}  // namespace

llvm::Error CheckSharedRegisters(const llvm::CallBase& call, const InlinePtx& ptx) {
  return SharedRegisters(call, ptx).Check();
}

}  // namespace affirm::kernel
