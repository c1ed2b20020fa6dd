// The way through a function: blocks, branches and where they meet, calls.
#include <algorithm>
#include <utility>
#include <vector>

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Function.h"
#include "verify/kernel/lift/lifter.h"
#include "verify/kernel/lift/saturation.h"
#include "verify/kernel/lift/small_floats.h"

namespace affirm::kernel {

namespace {

// Branches inside each other that nothing decides. A loop whose end depends on data has no end.
constexpr int kMostMerges = 100;
constexpr size_t kMostFrames = 64;

}  // namespace

FunctionInfo::FunctionInfo(const llvm::Function& function, bool with_loops)
    : joins(const_cast<llvm::Function&>(function)),  // which it does not change
      swap_loops(SwapLoopsOf(function)) {
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

Value Lifter::Choose(Term condition, const Value& a, const Value& b) {
  return ChooseIn(scope_, condition, a, b);
}

Value Lifter::ChooseIn(terms::Scope& scope, Term condition, const Value& a, const Value& b) {
  if (a == b) return a;
  if (auto decided = scope.Decide(condition)) return *decided ? a : b;
  if (a.sound || b.sound) return ChooseIn(scope, condition, WithoutPoison(a), WithoutPoison(b));
  if (a.kind == Value::Kind::kNone) return b;
  if (b.kind == Value::Kind::kNone) return a;
  if (a.kind != b.kind) return Fail(*now_, "a choice between values of two kinds");
  switch (a.kind) {
    case Value::Kind::kInteger: {
      if (Term small = ChosenSmallFloat(scope, condition, a.term, b.term))
        return Value::Integer(small);
      Term chosen = scope.Pick(condition, a.term, b.term);
      if (Term small = ConversionByInstruction(scope, chosen)) return Value::Integer(small);
      Term saturated = Saturated(pool_, chosen);
      return Value::Integer(saturated ? saturated : chosen);
    }
    case Value::Kind::kCondition:
      return Value::Condition(
          pool_.Or({pool_.And({condition, a.term}), pool_.And({pool_.Not(condition), b.term})}));
    case Value::Kind::kData:
      return Value::Data(scope.Select(condition, a.term, b.term));
    case Value::Kind::kPointer:
      if (a.place != b.place) return Fail(*now_, "a pointer into one of two memories");
      return Value::Pointer(a.place, scope.Pick(condition, a.term, b.term));
    case Value::Kind::kList: {
      std::vector<Value> parts;
      for (size_t i = 0; i < a.list().size(); ++i)
        parts.push_back(ChooseIn(scope, condition, a.list()[i], b.list()[i]));
      return ListOf(parts);
    }
    case Value::Kind::kNone:
      break;
  }
  return {};
}

Term Lifter::BlockPart(Term condition) {
  llvm::SmallDenseSet<Term> seen;
  return BlockPart(condition, seen);
}

Term Lifter::BlockPart(Term condition, llvm::SmallDenseSet<Term>& seen) {
  if (condition->kind == terms::Kind::kNot) return BlockPart(condition->args[0], seen);
  if (condition->kind == terms::Kind::kAnd) {
    // Parts have each other as parts.
    if (!seen.insert(condition).second) return nullptr;
    for (Term part : condition->args) {
      if (Term found = BlockPart(part, seen)) return found;
    }
    return nullptr;
  }
  if (Decide(condition)) return nullptr;
  // Whether there is anything but variables of the block in it: 1: no, 2: yes.
  auto mixed = [&](auto& self, Term term) -> bool {
    auto [it, fresh] = leaves_.try_emplace(term, 0);
    if (!fresh) return it->second == 2;
    bool found = term->sort() == terms::Sort::kValue || term->kind == terms::Kind::kUnknown ||
                 llvm::is_contained(loops_, term);
    for (const terms::Monomial& m : term->sum) found = found || self(self, m.atom);
    for (Term arg : term->args) found = found || self(self, arg);
    leaves_[term] = found ? 2 : 1;
    return found;
  };
  return mixed(mixed, condition) ? nullptr : condition;
}

void Lifter::SetPhis(LiftFrame& frame, const llvm::BasicBlock* block,
                     llvm::ArrayRef<Value> values) {
  size_t i = 0;
  for (const llvm::PHINode& phi : block->phis())
    frame.registers[frame.function->numbers.lookup(&phi)] = values[i++];
  auto loop = frame.function->loops.find(block);
  const bool begins =
      loop != frame.function->loops.end() && !loop->second.blocks.contains(frame.block);
  frame.begins = begins ? &loop->second : nullptr;
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
      values.push_back(Expected(frame, loop->second));
      continue;
    }
    values.push_back(Licensed(phi, Get(frame, phi.getIncomingValueForBlock(frame.block))));
    ObligeResult(phi, values.back());
  }
  if (failed()) return Outcome::kFailed;
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
  if (failed()) return Outcome::kFailed;
  if (inside && thread.frames.size() == depth + 1) {
    thread.arrived.assign(1, value);
    return Outcome::kReturned;
  }
  const llvm::CallBase* call = frame.call;
  LeaveFunction(thread);
  if (thread.frames.empty()) {
    thread.ended = true;
    return Outcome::kEnded;
  }
  LiftFrame& caller = thread.frames.back();
  now_ = call;
  ObligeResult(*call, value);
  if (!call->getType()->isVoidTy())
    caller.registers[caller.function->numbers.lookup(call)] = Licensed(*call, value);
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
    Value value = Get(thread.frames.back(), call.getArgOperand(argument.getArgNo()));
    if (failed()) return;
    frame.registers[info->numbers.lookup(&argument)] = value;
  }
  frame.block = &callee.getEntryBlock();
  frame.at = frame.block->begin();
  frame.call = &call;
  frame.first_memory = thread.own.next();
  thread.frames.push_back(std::move(frame));
}

// Memory of the thread, after one side or the other.
void Lifter::MergeOwn(LiftThread& thread, Term condition, const LocalMemories& yes,
                      const LocalMemories& no) {
  auto merge = [&](const ByteMemory& a, const ByteMemory& b) {
    ByteMemory merged = a;
    if (a.bytes() != b.bytes() || a.alignment() != b.alignment()) {
      Fail(*now_, "memory of the thread that differs in size or alignment");
      return merged;
    }
    // Where only one of the sides has stored, or another type, nothing is known.
    for (const auto& [offset, cell] : a.cells()) {
      auto other = b.cells().find(offset);
      if (other != b.cells().end() && other->second == cell) continue;
      if (other == b.cells().end() || other->second.type != cell.type) {
        merged.Erase(offset);
        continue;
      }
      Cell chosen = cell;
      chosen.value = Choose(condition, cell.value, other->second.value);
      merged.Store(chosen);
    }
    return merged;
  };
  thread.own = LocalMemories::Merged(yes, no, merge);
}

// The function returns, and its memory ends.
void Lifter::LeaveFunction(LiftThread& thread) {
  thread.own.EndFrom(thread.frames.back().first_memory);
  thread.frames.pop_back();
}

// Runs both sides of a branch up to where they meet, and goes on there.
std::optional<Lifter::Outcome> Lifter::Merge(LiftThread& thread, Term condition,
                                             const llvm::BasicBlock* yes,
                                             const llvm::BasicBlock* no, size_t depth,
                                             const llvm::BasicBlock* stop, bool inside) {
  const llvm::Instruction& branch = *now_;
  if (IsArbitrary(condition)) {
    Fail(branch, "a branch on an unspecified value");
    return Outcome::kFailed;
  }
  if (++depth_of_merges_ > kMostMerges) {
    Fail(branch, "a loop whose end depends on data, or branches inside each other");
    return Outcome::kFailed;
  }
  size_t at = thread.frames.size() - 1;
  const llvm::BasicBlock* from = thread.frames[at].block;
  const llvm::BasicBlock* join = thread.frames[at].function->JoinOf(from);
  struct Side {
    bool alive = false, returned = false;
    std::vector<Value> arrived;
    LocalMemories own;
  };
  const LocalMemories before = thread.own;
  auto run = [&](Term fact, const llvm::BasicBlock* to) {
    Side side;
    size_t saved = scope_.Save();
    if (scope_.Assume(fact)) {
      guards_.push_back(fact);
      thread.frames[at].block = from;
      auto outcome = Enter(thread, to, at, join);
      if (!outcome) outcome = Run(thread, at, join, true);
      guards_.pop_back();
      if (*outcome == Outcome::kWaits) {
        Fail(*now_, "a thread waits for others under a condition on data");
      }
      side.alive = *outcome == Outcome::kArrived || *outcome == Outcome::kReturned;
      side.returned = *outcome == Outcome::kReturned;
      side.arrived = std::move(thread.arrived);
      side.own = std::move(thread.own);
      thread.own = before;
      thread.frames.erase(thread.frames.begin() + at + 1, thread.frames.end());
    }
    scope_.Restore(saved);
    return side;
  };
  Side a = run(condition, yes);
  if (failed()) return Outcome::kFailed;
  Side b = run(pool_.Not(condition), no);
  if (failed()) return Outcome::kFailed;
  --depth_of_merges_;
  now_ = &branch;
  if (!a.alive && !b.alive) return Outcome::kDead;
  if (a.alive && b.alive) {
    if (a.returned != b.returned) {
      Fail(branch, "a branch of which one side returns");
      return Outcome::kFailed;
    }
    MergeOwn(thread, condition, a.own, b.own);
    for (size_t i = 0; i < a.arrived.size(); ++i)
      a.arrived[i] = Choose(condition, a.arrived[i], b.arrived[i]);
    if (failed()) return Outcome::kFailed;
  }
  Side& result = a.alive ? a : b;
  if (!(a.alive && b.alive)) thread.own = std::move(result.own);
  thread.arrived = std::move(result.arrived);
  if (result.returned) {
    if (inside && thread.frames.size() == depth + 1) return Outcome::kReturned;
    Value value = thread.arrived[0];
    const llvm::CallBase* call = thread.frames.back().call;
    LeaveFunction(thread);
    if (thread.frames.empty()) {
      thread.ended = true;
      return Outcome::kEnded;
    }
    LiftFrame& caller = thread.frames.back();
    now_ = call;
    ObligeResult(*call, value);
    if (!call->getType()->isVoidTy())
      caller.registers[caller.function->numbers.lookup(call)] = Licensed(*call, value);
    ++caller.at;
    return std::nullopt;
  }
  if (join == stop && at == depth) return Outcome::kArrived;
  thread.frames[at].block = from;
  SetPhis(thread.frames[at], join, thread.arrived);
  return std::nullopt;
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

// Runs until the thread ends or waits or, inside a branch at this depth of frames, until it comes
// to the stop.
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
    LiftFrame& frame = thread.frames.back();
    const llvm::Instruction& instruction = *frame.at;
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
        const llvm::BasicBlock* to = branch.getSuccessor(0);
        if (branch.isConditional()) {
          Value on = Get(frame, branch.getCondition());
          if (failed()) return Outcome::kFailed;
          ObligeNoPoison(on);
          Term condition = on.term;
          auto decided = Decide(condition);
          if (!decided && branch.getSuccessor(0) != branch.getSuccessor(1)) {
            outcome = Branch(thread, condition, branch.getSuccessor(0), branch.getSuccessor(1),
                             depth, stop, inside);
            break;
          }
          if (decided == false) to = branch.getSuccessor(1);
        }
        outcome = Enter(thread, to, depth, stop);
        break;
      }
      case llvm::Instruction::Switch: {
        const auto& choice = llvm::cast<llvm::SwitchInst>(instruction);
        Value on = Get(frame, choice.getCondition());
        if (failed()) return Outcome::kFailed;
        ObligeNoPoison(on);
        Term term = on.term;
        const llvm::BasicBlock* to = choice.getDefaultDest();
        bool known = true;
        for (const auto& option : choice.cases()) {
          Value value = ConstantValue(option.getCaseValue());
          auto decided = Decide(CompareIntegers(llvm::CmpInst::ICMP_EQ, term, value.term,
                                                option.getCaseValue()->getBitWidth()));
          known = known && decided.has_value();
          if (decided == true) to = option.getCaseSuccessor();
        }
        if (!known) {
          Fail(instruction, "a switch that nothing decides");
          return Outcome::kFailed;
        }
        outcome = Enter(thread, to, depth, stop);
        break;
      }
      case llvm::Instruction::Ret:
        outcome = Return(thread, llvm::cast<llvm::ReturnInst>(instruction), depth, inside);
        break;
      case llvm::Instruction::Unreachable:
        Unproved(Obligation::Claim::kIntegers, "the place is never reached", "");
        if (by_block_ && !inside) Fail(instruction, "a place that is never reached");
        return Outcome::kDead;
      case llvm::Instruction::Call: {
        const auto& call = llvm::cast<llvm::CallBase>(instruction);
        const llvm::Function* function = call.getCalledFunction();
        ObligeArguments(thread, call);
        if (failed()) return Outcome::kFailed;
        if (function) {
          const Callee& callee = CalleeOf(*function);
          if (callee.kind == Callee::Kind::kDefined) {
            EnterFunction(thread, call, *function);
            break;
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
        [[fallthrough]];
      }
      default: {
        Value value;
        if (auto part = frame.function->word_parts.find(&instruction);
            part != frame.function->word_parts.end()) {
          if (part->second) value = Get(frame, part->second);
        } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
          const llvm::Function* function = call->getCalledFunction();
          if (call->isInlineAsm())
            value = InlineAssembly(thread, *call);
          else
            value = function ? Call(thread, *call, CalleeOf(*function))
                             : Fail(instruction, "a call of no function");
        } else if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
          value = Load(thread, Get(frame, load->getPointerOperand()), load->getType(),
                       static_cast<int64_t>(load->getAlign().value()));
        } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
          Store(thread, Get(frame, store->getPointerOperand()), store->getValueOperand()->getType(),
                Get(frame, store->getValueOperand()),
                static_cast<int64_t>(store->getAlign().value()));
        } else if (const auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
          value = Atomic(thread, *atomic);
        } else if (const auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
          value = CompareAndSwap(thread, *swap);
        } else if (const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
          value = Alloca(thread, *alloca);
        } else {
          value = Compute(instruction, frame);
        }
        if (failed()) return Outcome::kFailed;
        ObligeResult(instruction, value);
        if (!instruction.getType()->isVoidTy())
          frame.registers[frame.function->numbers.lookup(&instruction)] =
              Licensed(instruction, value);
        ++frame.at;
      }
    }
    if (failed()) return Outcome::kFailed;
    if (outcome) return *outcome;
  }
}

}  // namespace affirm::kernel
