// The translator, over several files by subject. Internal.
//
// A value of LLVM is a list of operands: one for each scalar that it has (vectors, arrays and
// structs flattened in order), two for integers of more than 64 bits. Instructions that only
// rename scalars (extractvalue, insertelement at a constant, bitcast of equal widths) make no code.
#ifndef AFFIRM_VERIFY_KERNEL_EMULATOR_TRANSLATE_IMPL_H_
#define AFFIRM_VERIFY_KERNEL_EMULATOR_TRANSLATE_IMPL_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ModuleSlotTracker.h"
#include "verify/kernel/emulator/program.h"
#include "verify/kernel/emulator/translate.h"
#include "verify/kernel/inline_ptx.h"

namespace affirm::kernel {

using Operands = llvm::SmallVector<Operand, 2>;

// A scalar within a type: where it stands in memory, and its width in bits. Integers of 65 to 128
// bits are two pieces of 64.
struct Piece {
  int64_t offset = 0;  // in bytes
  unsigned bits = 0;
};

// Whether an atomic operation or a fence is none between the blocks of a device.
bool IsOfBlock(const llvm::Instruction& atomic, llvm::SyncScope::ID scope);
// Whether a function orders memory and does nothing else.
bool IsFence(llvm::StringRef name);

class Translator {
 public:
  Translator(const KernelIr& ir, uint64_t first_region, bool observes);
  llvm::Expected<Program> Run();

 private:
  // translate.cc: functions, blocks, control flow.
  llvm::Error TranslateFunction(const llvm::Function& function);
  llvm::Error TranslateBlock(const llvm::BasicBlock& block);
  llvm::Error Translate(const llvm::Instruction& instruction);
  llvm::Error TranslateTerminator(const llvm::Instruction& instruction);
  llvm::Error TranslateReturn(const llvm::ReturnInst& instruction);
  // Emits the copies into the phis of `to`, and the jump there; answers where it begins.
  llvm::Expected<uint32_t> EmitEdge(const llvm::BasicBlock& from, const llvm::BasicBlock& to);
  uint32_t FunctionNumber(const llvm::Function& function);

  // translate_values.cc: types, constants, registers.
  llvm::Error Flatten(llvm::Type* type, int64_t offset, llvm::SmallVectorImpl<Piece>& pieces);
  llvm::Expected<llvm::SmallVector<Piece>> PiecesOf(llvm::Type* type);
  llvm::Expected<Operands> Get(const llvm::Value* value);
  // Requires a value with one scalar of at most 64 bits.
  llvm::Expected<Operand> GetScalar(const llvm::Value* value);
  llvm::Error ConstantSlots(const llvm::Constant* constant, llvm::SmallVectorImpl<Slot>& slots);
  llvm::Expected<Slot> AddressOfConstant(const llvm::Constant* constant);
  llvm::Expected<int64_t> ScalarsBefore(llvm::Type* type, llvm::ArrayRef<unsigned> indices,
                                        llvm::Type** inner);
  Operand AddConstant(Slot slot);
  Operand AddConstant(uint64_t bits) { return AddConstant(Slot{bits, 0}); }
  uint32_t NewRegister() { return registers_++; }
  // Registers that stand next to each other, for what has these scalars.
  uint32_t NewRegisters(size_t count);
  void Define(const llvm::Value* value, uint32_t first, size_t count);
  void Define(const llvm::Value* value, Operands operands) { values_[value] = std::move(operands); }
  static Operand Register(uint32_t number) { return number * 2; }
  llvm::Error AddVariables();
  llvm::Error FillVariable(const llvm::Constant* constant, llvm::Type* type, int64_t offset,
                           Variable& variable);

  // translate_arithmetic.cc
  llvm::Error TranslateBinary(const llvm::BinaryOperator& op);
  llvm::Error TranslateUnary(const llvm::UnaryOperator& op);
  llvm::Error TranslateCompare(const llvm::CmpInst& op);
  llvm::Error TranslateCast(const llvm::CastInst& op);
  llvm::Error TranslateIntegerCast(const llvm::CastInst& op, unsigned from, unsigned to);
  llvm::Error TranslateBitCast(const llvm::Instruction& op);
  llvm::Error TranslateSelect(const llvm::SelectInst& op);
  llvm::Error TranslateFreeze(const llvm::FreezeInst& op);
  llvm::Error TranslateExtractElement(const llvm::ExtractElementInst& op);
  llvm::Error TranslateInsertElement(const llvm::InsertElementInst& op);
  llvm::Error TranslateShuffleVector(const llvm::ShuffleVectorInst& op);
  llvm::Error TranslateExtractValue(const llvm::ExtractValueInst& op);
  llvm::Error TranslateInsertValue(const llvm::InsertValueInst& op);

  // translate_memory.cc
  llvm::Error TranslateGep(const llvm::GetElementPtrInst& op);
  llvm::Error TranslateAlloca(const llvm::AllocaInst& op);
  llvm::ArrayRef<const llvm::AtomicCmpXchgInst*> ExchangesOf(const llvm::Function& function);
  llvm::Error TranslateLoad(const llvm::LoadInst& op);
  llvm::Error TranslateStore(const llvm::StoreInst& op);
  llvm::Error TranslateAtomicRmw(const llvm::AtomicRMWInst& op);
  llvm::Error TranslateCompareExchange(const llvm::AtomicCmpXchgInst& op);
  // Before and after an atomic (or volatile) access, and for a fence.
  void EmitRelease(Operand address, llvm::AtomicOrdering ordering);
  void EmitAcquire(const llvm::Instruction& read, Operand address);
  void EmitFence(bool of_block);
  // Sets may_spin, makes_pointers and synchronizes_.
  void LookForSynchronization();
  llvm::Error TranslateMemIntrinsic(const llvm::IntrinsicInst& op);
  // Whether the elements of a type stand closer than bytes, as those of <8 x i4> do.
  bool IsPacked(llvm::Type* type) const;
  // The value of `pieces` as one integer in packed form, or apart again.
  Operands RepackTo(Operands from, llvm::ArrayRef<uint8_t> from_widths,
                    llvm::ArrayRef<uint8_t> to_widths);
  static Code Access(Op op, uint64_t alignment);
  // Tells of an access of `bytes` from `offset` behind the address on, where that is asked for.
  void Observe(Operand address, int64_t offset, int64_t bytes);

  // translate_calls.cc
  llvm::Error TranslateCall(const llvm::CallBase& call);
  llvm::Error TranslateFunctionCall(const llvm::CallBase& call, const llvm::Function& callee);
  llvm::Error TranslateIntrinsic(const llvm::IntrinsicInst& call);
  llvm::Expected<bool> TranslateIntegerIntrinsic(const llvm::IntrinsicInst& call);
  llvm::Expected<bool> TranslateOverflowIntrinsic(const llvm::IntrinsicInst& call);
  llvm::Expected<bool> TranslateSmallFloats(const llvm::CallBase& call, llvm::StringRef name);
  llvm::Expected<bool> TranslateFloatIntrinsic(const llvm::CallBase& call, llvm::StringRef name);
  llvm::Expected<bool> TranslateDevice(const llvm::CallBase& call, llvm::StringRef name);
  llvm::Expected<bool> TranslateWave(const llvm::CallBase& call, llvm::StringRef name);
  llvm::Expected<bool> TranslateShuffle(const llvm::CallBase& call, llvm::StringRef name);
  llvm::Expected<bool> TranslateBarrier(const llvm::CallBase& call, llvm::StringRef name);
  llvm::Expected<bool> TranslateSpecialRegister(const llvm::CallBase& call, llvm::StringRef name);
  llvm::Expected<bool> TranslateMath(const llvm::CallBase& call, llvm::StringRef name);
  void CheckInRange(const llvm::ConstantRange& range, llvm::MutableArrayRef<Operand> values);
  llvm::Error CheckRange(const llvm::Instruction& instruction);
  // One code for each scalar of the result, from the scalars of the arguments.
  llvm::Error EmitPerScalar(const llvm::CallBase& call, unsigned arguments, Code code);

  // translate_waves.cc: TranslateWave, RecordRounds, EmitRound.
  Operand EmitLanesBelow(Operand mask, Operand base, bool upper);

  // translate_asm.cc
  llvm::Error TranslateAsm(const llvm::CallBase& call);
  llvm::Expected<Operand> WidenSharedAddress(Operand address);
  // `sources`: how many bytes are copied, where not all of them are.
  llvm::Error EmitStartCopy(const llvm::CallBase& call, const PtxInstruction& instruction,
                            Operand destination, Operand source, llvm::ArrayRef<Operand> sources);
  // `first`: the first register of the call's result.
  void EmitMatrixProduct(const PtxInstruction& instruction, llvm::ArrayRef<Operand> sources,
                         uint32_t first);
  llvm::Error EmitSharedProduct(const llvm::CallBase& call, const PtxInstruction& instruction,
                                llvm::ArrayRef<Operand> sources, uint32_t first);
  void EmitAccess(const PtxInstruction& instruction, Operand address,
                  llvm::ArrayRef<Operand> sources, uint32_t first, bool in_order);

  // Says of the code that comes next in which iterations lanes must be alike.
  void RecordRounds();
  void EmitRound(const llvm::BasicBlock& from, const llvm::BasicBlock& to);

  // The code being made.
  Code& Emit(Op op);
  Code& Emit(Code code);
  uint32_t Here() const { return static_cast<uint32_t>(program_.code.size()); }
  llvm::Error Unsupported(const llvm::Instruction& instruction, const llvm::Twine& why = "");
  llvm::Error UnsupportedConstant(const llvm::Constant& constant);
  std::string TextOf(const llvm::Value& value);
  static std::optional<FloatKind> KindOf(llvm::Type* type);

  const KernelIr& ir_;
  const llvm::DataLayout& layout_;
  uint64_t next_region_;
  llvm::ModuleSlotTracker slots_;
  Program program_;
  std::vector<const llvm::Function*> functions_;  // by number; those after `translated` wait
  llvm::DenseMap<const llvm::Function*, uint32_t> function_numbers_;
  llvm::DenseMap<const llvm::GlobalVariable*, uint64_t> addresses_;
  llvm::DenseMap<const llvm::Constant*, Operands> constants_;
  llvm::DenseMap<uint64_t, Operand> plain_constants_;
  llvm::DenseMap<const llvm::Function*, std::vector<const llvm::AtomicCmpXchgInst*>> exchanges_;

  // State of the function that is being translated.
  std::optional<WaveLoops> wave_loops_;
  llvm::DenseMap<const llvm::BasicBlock*, uint32_t> rounds_;  // registers, by header
  llvm::DenseMap<const llvm::Value*, Operands> values_;
  uint32_t registers_ = 0;
  uint32_t source_ = 0;
  bool observes_ = false;
  bool synchronizes_ = false;  // by release and acquire
  const llvm::Instruction* instruction_ = nullptr;
  llvm::DenseMap<const llvm::BasicBlock*, uint32_t> block_starts_;
  llvm::DenseMap<const llvm::BasicBlock*, uint32_t> block_order_;
  std::vector<std::pair<uint32_t, const llvm::BasicBlock*>> pending_jumps_;  // code, where to
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_EMULATOR_TRANSLATE_IMPL_H_
