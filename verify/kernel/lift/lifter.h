// The lifter's state and helpers, shared by the files of this folder.
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_LIFTER_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_LIFTER_H_

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/Allocator.h"
#include "verify/kernel/lift/byte_memory.h"
#include "verify/kernel/lift/function_effects.h"
#include "verify/kernel/lift/functions.h"
#include "verify/kernel/lift/licences.h"
#include "verify/kernel/lift/lift.h"
#include "verify/kernel/lift/lift_thread.h"
#include "verify/kernel/lift/loops.h"
#include "verify/kernel/lift/obligations.h"
#include "verify/kernel/lift/ptx_registers.h"
#include "verify/kernel/lift/value.h"
#include "verify/kernel/small_float_pairs.h"
#include "verify/kernel/wave.h"
#include "verify/terms/query.h"

namespace affirm::kernel {

using terms::Int128;
using terms::Term;

// The interval of bytes in one memory that instructions with one alias metadata access.
struct ScopedAccess {
  int64_t memory = 0;  // MemoryOf()
  Int128 first = 0, end = 0;
  bool is_write = false;
  const llvm::Instruction* at = nullptr;
};

// A buffer, a global variable in shared memory, or a constant one.
struct Memory {
  enum class Kind : uint8_t { kParam, kShared, kConstant } kind = Kind::kParam;
  int64_t bytes = 0, alignment = 1;
  const Param* param = nullptr;
  const Param* stored_as = nullptr;             // the result in it, if that has another type
  int64_t buffer = 0, initial = 0;              // parameter numbers for effects, and for loads
  bool written = false;                         // one of its parameters is a result
  const llvm::Instruction* accessed = nullptr;  // some instruction that accesses it
  bool stored = false, stored_in_parts = false, swapped = false;  // kinds of writes that occurred
  bool may_move = false;  // an ordinary access occurred, which a compiler may reorder
  const llvm::GlobalVariable* variable = nullptr;
};

// A scalar of a vector or aggregate in memory, with its byte offset.
struct Scalar {
  llvm::Type* type;
  int64_t offset, size;
};

// The integer type of whole bytes with the layout of a vector of sub-byte integers: i8 for
// <2 x i4>. Null for other types.
llvm::Type* BytesOfPackedVector(llvm::Type* type);

inline constexpr int64_t kLanes = 32;  // of a warp
inline constexpr const char* kNoWave = "how many lanes a wave has is not known";

// Whether the term depends on an arbitrary value.
bool IsArbitrary(Term root);

class Lifter {
 public:
  Lifter(const KernelIr& ir, const Launch& launch, terms::Pool& pool, const LiftOptions& options);
  llvm::Expected<LiftedKernel> Lift();

 private:
  enum class Outcome : uint8_t { kArrived, kReturned, kDead, kEnded, kWaits, kFailed };

  // promises.cc
  void JudgePromises();
  void JudgeScopes();
  void ObligeDefined(const Value& value);
  void ObligeAttributes(llvm::AttributeSet attributes, llvm::Type* type, const Value& value);
  void ObligePointer(llvm::Attribute attribute, llvm::Type* type, const Value& value);
  void ObligeResult(const llvm::Instruction& i, const Value& result);
  void ObligeArguments(const LiftThread& thread, const llvm::CallBase& call);
  void ObligeAlone(const LiftFrame& frame, const llvm::CallBase& call,
                   const llvm::Function& function);
  void ObligeInvariant(uint32_t memory);
  void RecordScopedAccess(uint32_t memory, Term offset, int64_t size);
  int64_t MemoryOf(uint32_t memory) const;
  Value Licensed(const llvm::Instruction& i, const Value& result);
  void OpenAt(Obligation::Claim claim, const char* what, const llvm::Instruction& at,
              const std::string& detail);

  // lift.cc
  llvm::Error Prepare();
  bool LiftByThread(LiftedKernel& lifted);
  bool LiftByBlock(LiftedKernel& lifted);
  LiftThread NewThread(int64_t number);
  Value Identity(int dimension, bool of_block);
  Value ByValue(const llvm::Argument& argument, const ScalarParam& scalar);
  bool failed() const { return !error_.empty() || split_ != nullptr; }
  // Makes the lift unknown, for this reason. Returns an empty value.
  Value Fail(const llvm::Instruction& instruction, const llvm::Twine& why);

  // Raise obligations; true if proved.
  bool Oblige(Obligation::Claim claim, const char* what, Term condition);
  bool Unproved(Obligation::Claim claim, const char* what, const llvm::Twine& detail);
  void Met(Obligation::Claim claim, const char* what);
  bool ObligeInside(const char* what, Term integer, Int128 lo, Int128 hi);

  // control.cc
  Outcome Run(LiftThread& thread, size_t depth, const llvm::BasicBlock* stop, bool inside);
  std::optional<Outcome> ConditionalBranch(LiftThread& thread, const llvm::BranchInst& branch,
                                           size_t depth, const llvm::BasicBlock* stop, bool inside);
  std::optional<Outcome> Switch(LiftThread& thread, const llvm::SwitchInst& choice, size_t depth,
                                const llvm::BasicBlock* stop, bool inside);
  std::optional<Outcome> ExecuteCall(LiftThread& thread, const llvm::CallBase& call);
  Value Result(LiftThread& thread, const llvm::Instruction& instruction);
  void SetRegister(LiftThread& thread, const llvm::Instruction& instruction, const Value& value);
  std::optional<Outcome> Branch(LiftThread& thread, Term condition, const llvm::BasicBlock* yes,
                                const llvm::BasicBlock* no, size_t depth,
                                const llvm::BasicBlock* stop, bool inside);
  // Branches to the block; kArrived if that is `stop`.
  std::optional<Outcome> Enter(LiftThread& thread, const llvm::BasicBlock* to, size_t depth,
                               const llvm::BasicBlock* stop);
  std::optional<Outcome> Return(LiftThread& thread, const llvm::ReturnInst& ret, size_t depth,
                                bool inside);
  std::optional<Outcome> ReturnToCaller(LiftThread& thread, Value value);
  void EnterFunction(LiftThread& thread, const llvm::CallBase& call, const llvm::Function& callee);
  void SetPhis(LiftFrame& frame, const llvm::BasicBlock* block, llvm::ArrayRef<Value> values);
  const FunctionInfo& InfoOf(const llvm::Function& function);
  void LeaveFunction(LiftThread& thread);
  // The thread's alloca that a pointer is into; null for other memory, or if it has ended.
  const ByteMemory* OwnOf(const Value::Pointer& pointer) const;
  std::optional<bool> Decide(Term condition);
  Term Guard();

  // merge.cc
  std::optional<Outcome> Merge(LiftThread& thread, Term condition, const llvm::BasicBlock* yes,
                               const llvm::BasicBlock* no, size_t depth,
                               const llvm::BasicBlock* stop, bool inside);
  void MergeOwn(LiftThread& thread, Term condition, const LocalMemories& yes,
                const LocalMemories& no);
  Value Choose(Term condition, const Value& a, const Value& b);
  Value ChooseIn(terms::Scope& scope, Term condition, const Value& a, const Value& b);
  // An undecided part of the condition that depends on the block alone, or null.
  Term BlockPart(Term condition);
  terms::Term BlockPart(terms::Term condition, llvm::SmallDenseSet<terms::Term>& seen);

  // loops.cc: executes a counted loop once for all iterations. False, with the state unchanged, if
  // that is not possible.
  struct LoopBounds {
    Term first = nullptr, end = nullptr;         // bounds of the counter
    Term variable = nullptr, counter = nullptr;  // number of the iteration, and its counter
    Term runs = nullptr;                         // whether the loop has this iteration
    Term after = nullptr;                        // the counter after the loop
  };
  struct BeforeLoop;
  bool RunLoop(LiftThread& thread, const CountedLoop& loop);
  std::optional<LoopBounds> BoundsOf(const LiftFrame& frame, const CountedLoop& loop);
  bool RunIteration(LiftThread& thread, const CountedLoop& loop, const LoopBounds& bounds,
                    const BeforeLoop& before);
  static Value& RegisterOf(LiftThread& thread, size_t frame, const llvm::Value* value) {
    LiftFrame& in = thread.frames[frame];
    return in.registers[in.function->numbers.lookup(value)];
  }

  // Values of operands and constants. Get obliges the operand not to be poison; GetAny does not.
  Value Get(const LiftFrame& frame, const llvm::Value* value);
  Value GetAny(const LiftFrame& frame, const llvm::Value* value);
  Value ConstantValue(const llvm::Constant* constant);
  Value MakeConstant(const llvm::Constant* constant);
  Value ConstantPointer(const llvm::Constant* constant);
  Value ArbitraryOf(llvm::Type* type);
  enum class Unspecified : uint8_t { kUndef, kPoison, kFrozen };
  Value UnspecifiedOf(llvm::Type* type, Unspecified kind);
  Value ListOf(llvm::ArrayRef<Value> values);
  bool IsSmall(llvm::Type* type);  // few enough scalars for a register; else the lift is unknown
  hlo::PrimitiveType TypeOf(llvm::Type* type);  // for a scalar; kInvalid: none

  // kinds.cc: the content of a value of a kind, or of an integer type. Any other value makes the
  // lift unknown, and the result is arbitrary. That a value is not poison is an obligation.
  Term RequireInteger(const Value& value);
  Term RequireCondition(const Value& value);
  Term RequireData(const Value& value, llvm::Type* type);
  Value::Wide RequireWide(const Value& value);
  Value::Pointer RequirePointer(const Value& value);
  llvm::ArrayRef<Value> RequireParts(const Value& value, uint64_t count);
  // A value of 1 to 64 bits as a signed or unsigned integer; an i1 true is -1 or 1.
  Term SignedOf(const Value& value, llvm::Type* type);
  Term UnsignedOf(const Value& value, llvm::Type* type);
  bool IsWord(llvm::Type* type);
  Term BitAsInteger(Term condition);  // 1 or 0
  // Whether the value and its parts have the kinds that registers of the type have.
  bool IsOfType(const Value& value, llvm::Type* type);

  // arithmetic.cc, comparisons.cc, casts.cc, vectors.cc: the results of instructions.
  Value Compute(const llvm::Instruction& instruction, const LiftFrame& frame);
  // Applies `compute` to scalars, or to each element of vectors.
  using OnScalars = llvm::function_ref<Value(llvm::ArrayRef<Value>)>;
  Value Elementwise(llvm::Type* type, llvm::ArrayRef<Value> operands, OnScalars compute);
  // The same, propagating poison from the operands.
  Value ElementwiseWhereSound(llvm::Type* type, llvm::ArrayRef<Value> operands, OnScalars compute);
  Term UnsignedExtremum(const llvm::Instruction& select, const LiftFrame& frame);
  Value Select(const llvm::Instruction& i, const LiftFrame& frame);
  Value Binary(const llvm::Instruction& i, const Value& a, const Value& b, llvm::Type* type);
  Value IntegerBinary(const llvm::Instruction& i, Term a, Term b, int64_t width);
  Value IntegerOperation(const llvm::Instruction& i, Term a, Term b, int64_t width);
  void ObligeDivisor(llvm::Type* type, const Value& divisor);
  void ObligeFlags(const llvm::Instruction& i, Term a, Term b, int64_t width);
  Value BitBinary(const llvm::Instruction& i, Term a, Term b);
  Value FloatBinary(const llvm::Instruction& i, Term a, Term b, llvm::Type* type);
  Value Compare(const llvm::CmpInst& i, const Value& a, const Value& b, llvm::Type* type);
  Value CompareValues(const llvm::CmpInst& i, const Value& a, const Value& b, llvm::Type* type);
  Value CompareBits(const llvm::CmpInst& i, Term a, Term b);
  Term CompareIntegers(llvm::CmpInst::Predicate predicate, Term a, Term b, int64_t width);
  Term CompareFloats(llvm::CmpInst::Predicate predicate, Term a, Term b);
  Value Cast(const llvm::CastInst& i, const Value& a, llvm::Type* from, llvm::Type* to);
  Value BitCast(const llvm::Instruction& i, const Value& a, llvm::Type* from, llvm::Type* to);
  Value Vector(const llvm::Instruction& i, const LiftFrame& frame);
  Value Replaced(const Value& whole, llvm::ArrayRef<unsigned> place, const Value& part);
  Value PartAt(Value whole, llvm::ArrayRef<unsigned> place);
  std::optional<unsigned> ElementNumber(const LiftFrame& frame, const llvm::Value* operand);
  // wide_integers.cc
  Value WideBinary(const llvm::Instruction& i, const Value& a, const Value& b);
  Value WideCast(const llvm::CastInst& i, const Value& a, int64_t from, int64_t to);
  Value ShuffleVector(const llvm::ShuffleVectorInst& i, const Value& a, const Value& b);
  Term ConditionOf(Term integer);  // its lowest bit

  // poison.cc: an unspecified scalar; the marks (value.h) of terms; the obligation that no part of
  // a value is poison; the result of an operation with its operands' marks; a freeze.
  Value ScalarOf(llvm::Type* type, Unspecified kind);
  uint8_t MarksOf(Term term);
  uint8_t MarksOf(const Value& value);
  void ObligeNoPoison(const Value& value);
  Value Combined(llvm::ArrayRef<Value> operands, const Value& result, llvm::Type* type);
  int64_t NumVarying(llvm::ArrayRef<Value> values);  // how many may differ at each use
  Value Frozen(const Value& value, llvm::Type* type);
  // Values that are poison unless a condition holds (Value::sound): the obligation that it holds;
  // an operation under it; a select between two.
  Value WithoutPoison(const Value& value);
  Value WhereSound(llvm::ArrayRef<Term> sound, llvm::Type* type,
                   llvm::function_ref<Value()> compute);
  Value ChooseSound(const Value& condition, const Value& a, const Value& b, llvm::Type* type);

  // elements.cc: conversion between values and bits.
  Term BitsOf(const Value& value, llvm::Type* type);
  Value FromBits(Term bits, llvm::Type* type);
  // Loads a scalar from a buffer, and assembles an element from stored scalars.
  Value LoadScalar(const Memory& memory, Term offset, const Scalar& scalar);
  // packed_elements.cc
  Value Unpacked(const Value& bytes, llvm::Type* vector);
  Value Packed(const Value& vector, llvm::Type* type);
  Value ShiftOfByte(const llvm::Instruction& i, terms::Term byte, terms::Term by);
  Value LoadPacked(const Memory& memory, Term offset, const Scalar& scalar);
  void StorePacked(LiftThread& thread, const Memory& memory, Term offset, const Scalar& scalar,
                   const Value& value);
  Value FromElement(Term element, hlo::PrimitiveType type, int64_t offset, const Scalar& scalar);
  Value FromStored(Term element, hlo::PrimitiveType type, const Scalar& scalar);
  Term ToElement(llvm::ArrayRef<std::pair<Scalar, Value>> scalars, hlo::PrimitiveType type);
  static int64_t ElementBytes(const Param& param);  // 0: packed
  llvm::Type* TypeOfElements(const Param& param) const;

  // memory.cc, global_memory.cc
  Value Address(const llvm::GEPOperator& gep, const Value& base, llvm::ArrayRef<Value> indices);
  bool Scalars(llvm::Type* type, int64_t offset, llvm::SmallVectorImpl<Scalar>& scalars);
  Value Assemble(llvm::Type* type, llvm::ArrayRef<Value>& values);
  void Flatten(llvm::Type* type, const Value& value, llvm::SmallVectorImpl<Value>& values);
  Value Load(LiftThread& thread, const Value& from, llvm::Type* type, int64_t alignment);
  void Store(LiftThread& thread, const Value& to, llvm::Type* type, const Value& value,
             int64_t alignment);
  // Obliges the access to be in bounds and aligned. False if it cannot be modelled.
  bool Inside(const Value::Pointer& pointer, int64_t size, int64_t alignment);
  void ListAccess(const Value::Pointer& pointer, int64_t size);
  bool IsInSpace(const Value::Pointer& pointer, unsigned space) const;
  void ObligeSpace(const Value::Pointer& pointer, unsigned space);
  void ObligeScope(const llvm::Instruction& atomic, llvm::SyncScope::ID scope);
  Value LoadGlobal(LiftThread& thread, const Memory& memory, Term offset,
                   llvm::ArrayRef<Scalar> scalars, llvm::Type* type);
  ByteMemory* BytesAt(LiftThread& thread, uint32_t place, Term offset, int64_t& at);
  Value LoadBytes(LiftThread& thread, uint32_t place, Term offset, llvm::ArrayRef<Scalar> scalars,
                  llvm::Type* type);
  Value LoadConstant(const Memory& memory, Term offset, llvm::Type* type);
  Value FromCells(llvm::ArrayRef<Cell> cells, const Scalar& scalar);
  void StoreGlobal(LiftThread& thread, const Memory& memory, Term offset,
                   llvm::ArrayRef<Scalar> scalars, llvm::ArrayRef<Value> values);
  void StoreBytes(LiftThread& thread, uint32_t place, Term offset, llvm::ArrayRef<Scalar> scalars,
                  llvm::ArrayRef<Value> values);
  Value StoredIf(Term condition, const Cell& cell, const Value& old);
  Value Atomic(LiftThread& thread, const llvm::AtomicRMWInst& atomic);
  // compare_and_swap.cc
  Value Expected(const LiftFrame& frame, const SwapLoop& loop);
  Value CompareAndSwap(LiftThread& thread, const llvm::AtomicCmpXchgInst& swap);
  // Swaps of bytes of packed elements, which change one element.
  Term MergedPlace(Term choice, Term yes, Term no);
  // Packed elements as loads of the number `of`, which is not a buffer's.
  Value PackedBytes(const Memory& memory, int64_t of, Term offset, const Scalar& scalar);
  void SwapPacked(LiftThread& thread, const Memory& memory, int64_t of, Term offset,
                  const Scalar& scalar, const Value& desired);
  // The load number for packed elements that have not changed since the last store.
  int64_t KeptNumber(const Memory& memory) const;
  // The index of the element that a scalar covers exactly, or null.
  Term ElementAt(const Memory& memory, Term offset, const Scalar& scalar);
  Value Alloca(LiftThread& thread, const llvm::AllocaInst& alloca);
  void AddEffect(LiftThread& thread, Effect effect);
  Term StoredBefore(const LiftThread& thread, const Memory& memory, Term element);

  // calls.cc
  const Callee& CalleeOf(const llvm::Function& function);
  Value Call(LiftThread& thread, const llvm::CallBase& call, const Callee& callee);
  Value FloatClass(const llvm::CallBase& call, const Value& value);
  Value Intrinsic(LiftThread& thread, const llvm::CallBase& call);
  Value MathFunction(const llvm::CallBase& call, const Callee& callee);
  int32_t NumberOf(const llvm::Instruction& i, Licence licence);
  void Copy(LiftThread& thread, const llvm::CallBase& call);
  void ObligeApart(const llvm::CallBase& call, const Value::Pointer& to, const Value::Pointer& from,
                   Int128 count);
  void ObligeInRange(const llvm::ConstantRange& range, const Value& value);
  Value IntegerFunction(const llvm::CallBase& call);
  Value IntegerFunctionOf(const llvm::CallBase& call, llvm::ArrayRef<Value> operands);
  Value SmallFloats(const llvm::CallBase& call, const SmallFloatPair& pair);

  // ptx.cc
  const InlinePtx* PtxOf(const llvm::CallBase& call);
  Value InlineAssembly(LiftThread& thread, const llvm::CallBase& call);
  void ExecutePtxIf(LiftThread& thread, const PtxInstruction& instruction, PtxRegisters& registers);
  void ExecutePtx(LiftThread& thread, const PtxInstruction& instruction, PtxRegisters& registers);
  Value PtxSource(const PtxInstruction& instruction, size_t k, llvm::Type* to,
                  const PtxRegisters& registers);
  Value LowBits(const Value& value, llvm::Type* from, llvm::Type* to, unsigned bits);

  // copies.cc
  void StartCopy(LiftThread& thread, const PtxInstruction& instruction,
                 const PtxRegisters& registers);
  void WaitForCopies(LiftThread& thread, int64_t but);
  void ObligeUntouched(LiftThread& thread, const LiftedCopy& copy);
  void CheckOpenCopies(LiftThread& thread);
  bool MayCopy();
  // The condition under which the copy takes all of its bytes, and not none; null on failure.
  Term TakesBytes(const PtxInstruction& instruction, const PtxRegisters& registers, int64_t bytes);

  // block.cc
  bool RunBlock();
  bool RunWarp(llvm::MutableArrayRef<LiftThread> lanes);
  std::optional<uint32_t> MaskOf(const LiftThread& lane);
  bool ResumeGroup(llvm::MutableArrayRef<LiftThread> lanes);
  void Exchange(llvm::MutableArrayRef<LiftThread> lanes, llvm::ArrayRef<int> group);
  void SetResult(LiftThread& thread, const Value& value);
  bool Releases(llvm::MutableArrayRef<LiftThread> threads);
  void Shuffle(llvm::MutableArrayRef<LiftThread> lanes, llvm::ArrayRef<int> group);
  void ReduceLanes(llvm::MutableArrayRef<LiftThread> lanes, llvm::ArrayRef<int> group);
  // waves.cc
  bool ResumeWave(llvm::MutableArrayRef<LiftThread> lanes);
  void ExchangeInWave(llvm::MutableArrayRef<LiftThread> lanes, llvm::ArrayRef<int> group);
  Value Ballot(llvm::MutableArrayRef<LiftThread> lanes, llvm::ArrayRef<int> group);
  std::optional<uint32_t> IndexOf(LiftThread& lane, const WaveExchange& exchange);
  Value AddLanesBelow(const LiftFrame& frame, const llvm::CallBase& call);
  Term Lane(int64_t lanes);  // the thread's lane in a group of this size
  // matrices.cc
  void MoveMatrices(llvm::MutableArrayRef<LiftThread> lanes, llvm::ArrayRef<int> group);
  Value InRow(const Value& of, int64_t byte);
  Value MoveColumn(LiftThread& thread, const std::array<Value, 2>& rows, int64_t byte,
                   const std::optional<Value>& word);
  void MultiplyMatrices(llvm::MutableArrayRef<LiftThread> lanes, llvm::ArrayRef<int> group);
  void MultiplyShared(llvm::MutableArrayRef<LiftThread> lanes, const InlinePtx& ptx);
  bool ReadLines(LiftThread& thread, const MatrixProduct& of, hlo::PrimitiveType type,
                 const Value& descriptor, bool transposed, int64_t first,
                 std::vector<std::vector<Term>>& lines);
  void WaitForProducts(LiftThread& thread, int64_t but);
  void FollowOpenSums(LiftThread& thread, const llvm::Instruction& instruction);
  void JudgeSums(bool are_right);
  void StartInGroup(llvm::MutableArrayRef<LiftThread> lanes, const InlinePtx& ptx,
                    const std::vector<Value>& told);
  void CheckGroups(llvm::MutableArrayRef<LiftThread> threads);
  std::optional<uint32_t> OnlySharedMemory() const;
  Value AddressAsInteger(const Value& pointer);
  void StoreSums(llvm::MutableArrayRef<LiftThread> lanes, const InlinePtx& ptx,
                 llvm::function_ref<Term(int64_t lane, int64_t number)> added,
                 llvm::ArrayRef<std::vector<Term>> rows, llvm::ArrayRef<std::vector<Term>> columns);
  Value MatrixArgument(LiftThread& lane, const InlinePtx& ptx, int64_t source, llvm::Type*& type);
  Term MatrixElement(hlo::PrimitiveType type, const Value& value, llvm::Type* in, int64_t part);
  llvm::Type* ScalarTypeOf(hlo::PrimitiveType type) const;
  Term MatrixFactor(const MatrixProduct& of, hlo::PrimitiveType type, Term element);
  Term ZeroOf(hlo::PrimitiveType type);
  Term NearestTf32(Term number);
  Term Tf32Factor(Term element);
  Value MatrixSum(const MatrixProduct& of, Term added, llvm::ArrayRef<Term> row,
                  llvm::ArrayRef<Term> column);
  Value MatrixRegister(const MatrixProduct& of, llvm::ArrayRef<Value> sums, llvm::Type* type);

  const KernelIr& ir_;
  const Launch& launch_;
  terms::Pool& pool_;
  const LiftOptions& options_;
  terms::TermDecider decider_{{}};  // for conditions that ranges do not decide
  terms::Scope scope_;
  const llvm::DataLayout& layout_;
  bool by_block_ = false;
  int64_t lanes_ = kLanes;  // size of a warp or wave; 0: not known
  std::string error_;
  Term split_ = nullptr;  // the condition by which to split the execution
  int64_t steps_ = 0;
  int depth_of_merges_ = 0;
  llvm::BumpPtrAllocator lists_;
  std::vector<Memory> memories_;
  std::vector<Value> arguments_;  // the kernel's
  llvm::DenseMap<const llvm::GlobalVariable*, uint32_t> variables_;
  llvm::DenseMap<const llvm::Constant*, Value> constants_;
  llvm::DenseMap<const llvm::Function*, std::unique_ptr<FunctionInfo>> functions_;
  llvm::DenseMap<const llvm::Function*, Callee> callees_;
  llvm::DenseMap<const llvm::CallBase*, std::unique_ptr<InlinePtx>> ptx_;
  EffectAnalysis effect_analysis_;
  llvm::MapVector<llvm::AAMDNodes, std::vector<ScopedAccess>> scoped_accesses_;
  llvm::DenseMap<Term, uint8_t> leaves_;  // see BlockPart
  llvm::DenseMap<Term, uint8_t> marks_;   // see MarksOf
  FusedProducts products_;
  ChangedNans changed_nans_;
  FunctionLibraries libraries_;
  LoopOrders loop_orders_;
  std::optional<bool> cuts_to_tf32_;  // whether the first TF32 operand was truncated
  std::map<std::vector<const llvm::Instruction*>, int32_t> instructions_;
  bool may_be_unspecified_ = false, may_be_unsound_ = false;
  llvm::DenseMap<Term, bool> sound_;  // memo: conditions that hold at all values
  int64_t names_ = 0;                 // number of names for choices, in all cases
  int64_t packed_stores_ = 0;         // number of stores to packed elements, or more
  // State of the current execution.
  const llvm::Instruction* now_ = nullptr;
  LiftThread* thread_ = nullptr;
  std::vector<Term> guards_;
  std::vector<Term> loops_;                          // variables of open loops, outermost first
  int64_t num_loops_ = 0;                            // counts summarized loops and carried values
  llvm::DenseSet<const llvm::BasicBlock*> in_turn_;  // headers of loops without a summary
  Obligations obligations_;
  std::vector<Effect> effects_;
  std::vector<NamedChoice> choices_;
  std::vector<MemoryAccess> accesses_;  // if options_.list_accesses
  llvm::DenseMap<uint32_t, ByteMemory> shared_;
  SharedAccesses accesses_of_block_;
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_LIFTER_H_
