// Control flow: blocks, branches and calls.
#include <utility>

#include "llvm/IR/Function.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "verify/kernel/lane_reduction.h"
#include "verify/kernel/lift/lifter.h"

namespace affirm::kernel {

namespace {

constexpr size_t kMostFrames = 64;

}  // namespace

FunctionInfo::FunctionInfo(const llvm::Function& function, bool with_loops)
    : joins(const_cast<llvm::Function&>(function)),  // does not modify it
      swap_loops(SwapLoopsOf(function)),
      wave_loops(function) {
  if (with_loops) loops = CountedLoopsOf(function);
  for (const auto& [block, loop] : swap_loops) {
    if (!loop.word) continue;
    for (const llvm::Instruction* part : loop.word->parts)
      word_parts[part] = part == loop.word->found ? loop.expected : nullptr;
  }
  for (const llvm::Argument& argument : function.args())
    numbers.try_emplace(&argument, numbers.size());
  for (const llvm::BasicBlock& block : function) {
    for (const llvm::Instruction& instruction : block) {
      if (!instruction.getType()->isVoidTy()) numbers.try_emplace(&instruction, numbers.size());
    }
  }
}

const llvm::BasicBlock* FunctionInfo::JoinOf(const llvm::BasicBlock* branch) const {
  auto* node = joins.getNode(const_cast<llvm::BasicBlock*>(branch));
  auto* join = node ? node->getIDom() : nullptr;
  return join ? join->getBlock() : nullptr;
}

bool IsArbitrary(Term root) {
  return terms::AnyPart(root, [](Term term) { return term->kind == terms::Kind::kArbitrary; });
}

const FunctionInfo& Lifter::InfoOf(const llvm::Function& function) {
  auto& info = functions_[&function];
  if (!info)
    info = std::make_unique<FunctionInfo>(function,
                                          options_.summarize_loops && !options_.list_accesses);
  return *info;
}

std::optional<bool> Lifter::Decide(Term condition) {
  if (condition == pool_.True()) return true;
  if (condition == pool_.False()) return false;
  return scope_.Decide(condition);
}

Term Lifter::Guard() { return pool_.And(guards_); }

void Lifter::SetPhis(LiftFrame& frame, const llvm::BasicBlock* block,
                     llvm::ArrayRef<Value> values) {
  size_t i = 0;
  for (const llvm::PHINode& phi : block->phis())
    frame.registers[frame.function->numbers.lookup(&phi)] = values[i++];
  auto loop = frame.function->loops.find(block);
  const bool begins =
      loop != frame.function->loops.end() && !loop->second.blocks.contains(frame.block);
  frame.begins = begins ? &loop->second : nullptr;
  if (const WaveLoops& waves = frame.function->wave_loops; waves.IsHeader(block)) {
    int64_t& rounds = frame.rounds[block];
    rounds = waves.Repeats(frame.block, block) ? rounds + 1 : 0;
  }
  frame.block = block;
  frame.at = block->getFirstNonPHIIt();
}

std::optional<Lifter::Outcome> Lifter::Enter(LiftThread& thread, const llvm::BasicBlock* to,
                                             size_t depth, const llvm::BasicBlock* stop) {
  LiftFrame& frame = thread.frames.back();
  // Phis are set together: one may read another.
  llvm::SmallVector<Value, 4> values;
  for (const llvm::PHINode& phi : to->phis()) {
    if (auto loop = frame.function->swap_loops.find(to); loop != frame.function->swap_loops.end()) {
      // The swap may take the first value too, at more than one use.
      const llvm::Value* first = phi.getIncomingValueForBlock(frame.block);
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(first);
      const bool is_unread = load != nullptr && IsFirstExpectation(*load);
      if (frame.block != to && !is_unread) ObligeDefined(GetAny(frame, first));
      values.push_back(Expected(frame, loop->second));
      continue;
    }
    values.push_back(Licensed(phi, Get(frame, phi.getIncomingValueForBlock(frame.block))));
    ObligeResult(phi, values.back());
  }
  if (failed()) return Outcome::kFailed;
  thread.sums.Enter(*to, frame.block);
  if (to == stop && thread.frames.size() == depth + 1) {
    thread.arrived.assign(values.begin(), values.end());
    return Outcome::kArrived;
  }
  SetPhis(frame, to, values);
  return std::nullopt;
}

std::optional<Lifter::Outcome> Lifter::Return(LiftThread& thread, const llvm::ReturnInst& ret,
                                              size_t depth, bool inside) {
  LiftFrame& frame = thread.frames.back();
  Value value = ret.getReturnValue() ? Get(frame, ret.getReturnValue()) : Value{};
  if (ret.getReturnValue() && thread.sums.Has(*ret.getReturnValue()))
    Fail(ret, "a function that returns sums which are not waited for");
  if (failed()) return Outcome::kFailed;
  if (inside && thread.frames.size() == depth + 1) {
    thread.arrived.assign(1, value);
    return Outcome::kReturned;
  }
  return ReturnToCaller(thread, value);
}

std::optional<Lifter::Outcome> Lifter::ReturnToCaller(LiftThread& thread, Value value) {
  const llvm::CallBase* call = thread.frames.back().call;
  LeaveFunction(thread);
  if (thread.frames.empty()) {
    thread.ended = true;
    return Outcome::kEnded;
  }
  LiftFrame& caller = thread.frames.back();
  now_ = call;
  SetRegister(thread, *call, value);
  ++caller.at;
  return std::nullopt;
}

void Lifter::EnterFunction(LiftThread& thread, const llvm::CallBase& call,
                           const llvm::Function& callee) {
  if (thread.frames.size() >= kMostFrames) {
    Fail(call, "calls inside each other");
    return;
  }
  const FunctionInfo* info = &InfoOf(callee);
  LiftFrame frame;
  frame.function = info;
  frame.registers.resize(info->numbers.size());
  for (const llvm::Argument& argument : callee.args()) {
    if (argument.getArgNo() >= call.arg_size()) break;
    if (argument.hasByValAttr() || argument.hasStructRetAttr()) {
      Fail(call, "an argument that is passed in memory");
      return;
    }
    const llvm::Value& given = *call.getArgOperand(argument.getArgNo());
    if (thread.sums.Has(given)) Fail(call, "a function of sums that are not waited for");
    Value value = Get(thread.frames.back(), &given);
    if (failed()) return;
    frame.registers[info->numbers.lookup(&argument)] = value;
  }
  frame.block = &callee.getEntryBlock();
  frame.at = frame.block->begin();
  frame.call = &call;
  frame.first_memory = thread.own.next();
  thread.frames.push_back(std::move(frame));
}

// Pops the frame, and ends the function's allocas.
void Lifter::LeaveFunction(LiftThread& thread) {
  thread.own.EndFrom(thread.frames.back().first_memory);
  thread.frames.pop_back();
}

std::optional<Lifter::Outcome> Lifter::Branch(LiftThread& thread, Term condition,
                                              const llvm::BasicBlock* yes,
                                              const llvm::BasicBlock* no, size_t depth,
                                              const llvm::BasicBlock* stop, bool inside) {
  if (by_block_) {
    if (Term part = BlockPart(condition)) {
      split_ = part;
      return Outcome::kFailed;
    }
  }
  return Merge(thread, condition, yes, no, depth, stop, inside);
}

std::optional<Lifter::Outcome> Lifter::ConditionalBranch(LiftThread& thread,
                                                         const llvm::BranchInst& branch,
                                                         size_t depth, const llvm::BasicBlock* stop,
                                                         bool inside) {
  const llvm::BasicBlock *yes = branch.getSuccessor(0), *no = branch.getSuccessor(1);
  const Value on = Get(thread.frames.back(), branch.getCondition());
  ObligeNoPoison(on);
  Term condition = RequireCondition(on);
  if (failed()) return Outcome::kFailed;
  const auto decided = Decide(condition);
  if (!decided && yes != no) return Branch(thread, condition, yes, no, depth, stop, inside);
  // A branch on undef or poison is undefined behavior (LangRef, "br").
  if (!decided) ObligeDefined(on);
  if (decided) changed_nans_.NoteUse(on, Value::Condition(pool_.True()));
  return Enter(thread, decided == false ? no : yes, depth, stop);
}

std::optional<Lifter::Outcome> Lifter::Switch(LiftThread& thread, const llvm::SwitchInst& choice,
                                              size_t depth, const llvm::BasicBlock* stop,
                                              bool inside) {
  const Value on = Get(thread.frames.back(), choice.getCondition());
  if (failed()) return Outcome::kFailed;
  // Undefined behavior on poison and undef (LangRef, "switch").
  ObligeDefined(on);
  llvm::Type* type = choice.getCondition()->getType();
  const llvm::BasicBlock* otherwise = choice.getDefaultDest();
  // The only case that may be taken, with its condition; more than one is not supported.
  Term open = nullptr;
  const llvm::BasicBlock* to = nullptr;
  for (const auto& option : choice.cases()) {
    const Value label = ConstantValue(option.getCaseValue());
    Term equal = type->isIntegerTy(1)
                     ? pool_.IsZero(pool_.Subtract(UnsignedOf(on, type), UnsignedOf(label, type)))
                     : CompareIntegers(llvm::CmpInst::ICMP_EQ, RequireInteger(on),
                                       RequireInteger(label), type->getIntegerBitWidth());
    if (failed()) return Outcome::kFailed;
    const auto decided = Decide(equal);
    if (decided) changed_nans_.NoteUse(on, Value::Condition(pool_.True()));
    if (decided == true) return Enter(thread, option.getCaseSuccessor(), depth, stop);
    if (decided == false) continue;
    if (open) {
      Fail(choice, "a switch of which several cases are open");
      return Outcome::kFailed;
    }
    open = equal;
    to = option.getCaseSuccessor();
  }
  if (open && to != otherwise) return Branch(thread, open, to, otherwise, depth, stop, inside);
  return Enter(thread, otherwise, depth, stop);
}

// The operands of an operation that computes with integers, conditions or addresses, or chooses by
// one. A function that moves or exchanges values is none: it takes no bits of them.
static llvm::SmallVector<const llvm::Value*, 2> IntegersTaken(const llvm::Instruction& i) {
  if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(&i)) return {select->getCondition()};
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  const bool computes =
      intrinsic != nullptr && (!intrinsic->isConvergent() || ReductionOf(*intrinsic) ||
                               intrinsic->getIntrinsicID() == llvm::Intrinsic::amdgcn_ballot);
  if (!llvm::isa<llvm::BinaryOperator, llvm::ICmpInst, llvm::GetElementPtrInst>(i) && !computes)
    return {};
  llvm::SmallVector<const llvm::Value*, 2> taken;
  for (const llvm::Value* operand : i.operand_values()) {
    if (operand->getType()->isIntOrIntVectorTy() || operand->getType()->isPtrOrPtrVectorTy())
      taken.push_back(operand);
  }
  return taken;
}

void Lifter::SetRegister(LiftThread& thread, const llvm::Instruction& instruction,
                         const Value& value) {
  LiftFrame& frame = thread.frames.back();
  if (failed()) return;
  ObligeResult(instruction, value);
  FollowOpenSums(thread, instruction);
  if (instruction.getType()->isVoidTy()) return;
  // Parts of a word in a loop around a compare-and-swap have no value (WordSwap).
  auto part = frame.function->word_parts.find(&instruction);
  const bool is_unread = part != frame.function->word_parts.end() && !part->second;
  if (!is_unread && !IsOfType(value, instruction.getType())) {
    Fail(instruction, "a result that is no value of its type");
    return;
  }
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  const llvm::Function* called = call != nullptr ? call->getCalledFunction() : nullptr;
  changed_nans_.Note(instruction, called ? &CalleeOf(*called) : nullptr, value);
  for (const llvm::Value* operand : IntegersTaken(instruction)) {
    const auto number = frame.function->numbers.find(operand);
    if (number != frame.function->numbers.end())
      changed_nans_.NoteUse(frame.registers[number->second], value);
  }
  frame.registers[frame.function->numbers.lookup(&instruction)] = Licensed(instruction, value);
}

// Executes a call that enters a function or waits for other threads; nullopt after other calls.
std::optional<Lifter::Outcome> Lifter::ExecuteCall(LiftThread& thread, const llvm::CallBase& call) {
  ObligeArguments(thread, call);
  if (failed()) return Outcome::kFailed;
  if (const llvm::Function* function = call.getCalledFunction()) {
    const Callee& callee = CalleeOf(*function);
    if (callee.kind == Callee::Kind::kDefined) {
      EnterFunction(thread, call, *function);
      return std::nullopt;
    }
    if (callee.kind == Callee::Kind::kWait) {
      thread.waits = &call;
      return Outcome::kWaits;
    }
  }
  if (call.isInlineAsm() && WaitsForWarp(call)) {
    thread.waits = &call;
    return Outcome::kWaits;
  }
  SetRegister(thread, call, Result(thread, call));
  ++thread.frames.back().at;
  return std::nullopt;
}

// The value of an instruction that neither leaves its block nor waits.
Value Lifter::Result(LiftThread& thread, const llvm::Instruction& instruction) {
  const LiftFrame& frame = thread.frames.back();
  if (auto part = frame.function->word_parts.find(&instruction);
      part != frame.function->word_parts.end()) {
    return part->second ? Get(frame, part->second) : Value{};
  }
  switch (instruction.getOpcode()) {
    case llvm::Instruction::Call: {
      const auto& call = llvm::cast<llvm::CallInst>(instruction);
      if (call.isInlineAsm()) return InlineAssembly(thread, call);
      const llvm::Function* function = call.getCalledFunction();
      return function ? Call(thread, call, CalleeOf(*function))
                      : Fail(instruction, "a call of no function");
    }
    case llvm::Instruction::Load: {
      const auto& load = llvm::cast<llvm::LoadInst>(instruction);
      return Load(thread, Get(frame, load.getPointerOperand()), load.getType(),
                  static_cast<int64_t>(load.getAlign().value()));
    }
    case llvm::Instruction::Store: {
      const auto& store = llvm::cast<llvm::StoreInst>(instruction);
      const Value pointer = Get(frame, store.getPointerOperand()),
                  value = Get(frame, store.getValueOperand());
      Store(thread, pointer, store.getValueOperand()->getType(), value,
            static_cast<int64_t>(store.getAlign().value()));
      return {};
    }
    case llvm::Instruction::AtomicRMW:
      return Atomic(thread, llvm::cast<llvm::AtomicRMWInst>(instruction));
    case llvm::Instruction::AtomicCmpXchg:
      return CompareAndSwap(thread, llvm::cast<llvm::AtomicCmpXchgInst>(instruction));
    case llvm::Instruction::Alloca:
      return Alloca(thread, llvm::cast<llvm::AllocaInst>(instruction));
    default:
      return Compute(instruction, frame);
  }
}

// Runs the thread until it ends or waits or, inside of a branch at this depth of frames, until it
// reaches the block `stop`.
Lifter::Outcome Lifter::Run(LiftThread& thread, size_t depth, const llvm::BasicBlock* stop,
                            bool inside) {
  thread_ = &thread;
  while (true) {
    if (const CountedLoop* loop = std::exchange(thread.frames.back().begins, nullptr)) {
      if (RunLoop(thread, *loop)) {
        auto left = Enter(thread, loop->exit, depth, stop);
        if (left) return *left;
        continue;
      }
      if (failed()) return Outcome::kFailed;
    }
    const llvm::Instruction& instruction = *thread.frames.back().at;
    now_ = &instruction;
    ++steps_;
    if (++thread.steps > options_.max_thread_steps || steps_ > options_.max_steps) {
      Fail(instruction, "more instructions than the budget has");
      return Outcome::kFailed;
    }
    std::optional<Outcome> outcome;
    switch (instruction.getOpcode()) {
      case llvm::Instruction::Br: {
        const auto& branch = llvm::cast<llvm::BranchInst>(instruction);
        outcome = branch.isConditional() ? ConditionalBranch(thread, branch, depth, stop, inside)
                                         : Enter(thread, branch.getSuccessor(0), depth, stop);
        break;
      }
      case llvm::Instruction::Switch:
        outcome = Switch(thread, llvm::cast<llvm::SwitchInst>(instruction), depth, stop, inside);
        break;
      case llvm::Instruction::Ret:
        outcome = Return(thread, llvm::cast<llvm::ReturnInst>(instruction), depth, inside);
        break;
      case llvm::Instruction::Unreachable:
        Unproved(Obligation::Claim::kIntegers, "the place is never reached", "");
        if (by_block_ && !inside) Fail(instruction, "a place that is never reached");
        return Outcome::kDead;
      case llvm::Instruction::Call:
        outcome = ExecuteCall(thread, llvm::cast<llvm::CallBase>(instruction));
        break;
      default:
        if (instruction.isTerminator()) {
          Fail(instruction, "a way out of a block of this kind");
          return Outcome::kFailed;
        }
        SetRegister(thread, instruction, Result(thread, instruction));
        ++thread.frames.back().at;
    }
    if (failed()) return Outcome::kFailed;
    if (outcome) return *outcome;
  }
}

}  // namespace affirm::kernel
