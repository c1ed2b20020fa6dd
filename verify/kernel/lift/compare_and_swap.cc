// Loops around a compare-and-swap, which update one element atomically.
//
//   loop:
//     %expected = phi i64 [ %loaded, %entry ], [ %found, %loop ]
//     %new = ...                        ; of %expected and values from outside
//     %pair = cmpxchg ptr %p, i64 %expected, i64 %new
//     %found = extractvalue { i64, i1 } %pair, 0
//     %done = extractvalue { i64, i1 } %pair, 1
//     br i1 %done, label %exit, label %loop
//
// However often it goes round: when it leaves, memory held some x, and holds what is computed of x.
// What the loop expected at first does not matter.
#include "verify/kernel/lift/lifter.h"
#include "verify/terms/machine.h"

namespace affirm::kernel {

namespace {

// Loads of what elements hold at a compare-and-swap are of no buffer.
constexpr int64_t kAtSwap = -1000;

// The block's loop, if it is one.
std::optional<SwapLoop> SwapLoopOf(const llvm::BasicBlock& block) {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  if (!branch || !branch->isConditional()) return std::nullopt;
  if ((branch->getSuccessor(0) == &block) == (branch->getSuccessor(1) == &block))
    return std::nullopt;
  SwapLoop loop;
  for (const llvm::Instruction& instruction : block) {
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
      if (loop.expected) return std::nullopt;
      loop.expected = phi;
    } else if (const auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
      if (loop.swap) return std::nullopt;
      loop.swap = swap;
    } else if (instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects()) {
      return std::nullopt;
    }
  }
  if (!loop.expected || !loop.swap || loop.swap->getCompareOperand() != loop.expected)
    return std::nullopt;
  // The address is the same each time, and what is expected next is what was found.
  const auto* pointer = llvm::dyn_cast<llvm::Instruction>(loop.swap->getPointerOperand());
  if (pointer && pointer->getParent() == &block) return std::nullopt;
  auto is_part = [&](const llvm::Value* value, unsigned which) {
    const auto* part = llvm::dyn_cast<llvm::ExtractValueInst>(value);
    return part && part->getAggregateOperand() == loop.swap && part->getNumIndices() == 1 &&
           part->getIndices()[0] == which;
  };
  if (loop.expected->getBasicBlockIndex(&block) < 0 ||
      !is_part(loop.expected->getIncomingValueForBlock(&block), 0)) {
    return std::nullopt;
  }
  // It goes round where the swap has failed: by the flag, or its negation.
  const llvm::Value* condition = branch->getCondition();
  bool leaves_when = branch->getSuccessor(1) == &block;
  if (const auto* negation = llvm::dyn_cast<llvm::BinaryOperator>(condition)) {
    const auto* one = llvm::dyn_cast<llvm::ConstantInt>(negation->getOperand(1));
    if (negation->getOpcode() != llvm::Instruction::Xor || !one || !one->isOne())
      return std::nullopt;
    condition = negation->getOperand(0);
    leaves_when = !leaves_when;
  }
  if (!leaves_when || !is_part(condition, 1)) return std::nullopt;
  return loop;
}

}  // namespace

llvm::DenseMap<const llvm::BasicBlock*, SwapLoop> SwapLoopsOf(const llvm::Function& function) {
  llvm::DenseMap<const llvm::BasicBlock*, SwapLoop> loops;
  for (const llvm::BasicBlock& block : function) {
    if (auto loop = SwapLoopOf(block)) loops[&block] = *loop;
  }
  return loops;
}

bool IsFirstExpectation(const llvm::Instruction& load) {
  if (load.use_empty()) return false;
  for (const llvm::User* user : load.users()) {
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
    if (!phi) return false;
    auto loop = SwapLoopOf(*phi->getParent());
    if (!loop || loop->expected != phi) return false;
  }
  return true;
}

Term Lifter::ElementAt(const Memory& memory, Term offset, const Scalar& scalar) {
  if (ElementBytes(*memory.param) != scalar.size) return nullptr;
  Term element = scope_.Quotient(offset, scalar.size);
  auto whole = Decide(pool_.IsZero(pool_.Subtract(offset, pool_.Scale(element, scalar.size))));
  return whole == true ? element : nullptr;
}

// What the element holds when the swap succeeds.
Value Lifter::Expected(const LiftFrame& frame, const SwapLoop& loop) {
  Value pointer = Get(frame, loop.swap->getPointerOperand());
  if (failed()) return {};
  llvm::SmallVector<Scalar, 1> scalars;
  llvm::Type* type = loop.expected->getType();
  if (!Scalars(type, 0, scalars)) return {};
  const bool global = pointer.kind == Value::Kind::kPointer && pointer.place < memories_.size() &&
                      memories_[pointer.place].kind == Memory::Kind::kParam;
  if (!global || scalars.size() != 1)
    return Fail(*loop.swap, "a compare-and-swap outside of buffers");
  const Memory& memory = memories_[pointer.place];
  Term element = ElementAt(memory, pointer.term, scalars[0]);
  if (!element) return Fail(*loop.swap, "a compare-and-swap of no whole element");
  Term old =
      pool_.Load(kAtSwap - memory.buffer, element, terms::TermType(memory.param->shape.type));
  return FromElement(old, memory.param->shape.type, 0, scalars[0]);
}

Value Lifter::CompareAndSwap(LiftThread& thread, const llvm::AtomicCmpXchgInst& swap) {
  const LiftFrame& frame = thread.frames.back();
  if (!frame.function->swap_loops.contains(swap.getParent()))
    return Fail(swap, "a compare-and-swap that is no loop's");
  Value pointer = Get(frame, swap.getPointerOperand());
  Value expected = Get(frame, swap.getCompareOperand());
  Value desired = Get(frame, swap.getNewValOperand());
  llvm::SmallVector<Scalar, 1> scalars;
  if (failed() || !Scalars(swap.getNewValOperand()->getType(), 0, scalars)) return {};
  Inside(pointer, scalars[0].size, static_cast<int64_t>(swap.getAlign().value()));
  if (failed()) return {};
  const Memory& memory = memories_[pointer.place];
  if (!memory.written)
    Unproved(Obligation::Claim::kRaces, "only buffers of results are written", "an operand's is");
  ObligeScope(swap, swap.getSyncScopeID());
  ObligeNoPoison(desired);
  const hlo::PrimitiveType type = memory.param->shape.type;
  Term element = ElementAt(memory, pointer.term, scalars[0]);
  Term value = ToElement({{scalars[0], desired}}, type);
  if (failed()) return {};
  AddEffect(thread, {.kind = Effect::Kind::kAtomic,
                     .buffer = memory.buffer,
                     .element = element,
                     .value = value,
                     .operation = "update",
                     .old = pool_.Load(kAtSwap - memory.buffer, element, terms::TermType(type))});
  return ListOf({expected, Value::Condition(pool_.True())});
}

}  // namespace affirm::kernel
