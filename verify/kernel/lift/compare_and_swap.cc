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
// The swap may be of a word that contains the element (word_swap.h).
//
// Soundness: for any number of iterations, at the successful swap memory held some x and now holds
// the value computed from x. The first expected value does not matter. The old value must not be
// used after the loop, since it belongs to this swap alone.
#include <functional>

#include "verify/kernel/lift/lifter.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::kernel {

namespace {

// The old values at compare-and-swaps are loads of this number, which is no buffer's.
constexpr int64_t kAtSwap = -1000;

// The block's loop, if it is one.
std::optional<SwapLoop> SwapLoopOf(const llvm::BasicBlock& block) {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  if (!branch || !branch->isConditional()) return std::nullopt;
  if ((branch->getSuccessor(0) == &block) == (branch->getSuccessor(1) == &block))
    return std::nullopt;
  SwapLoop loop;
  for (const llvm::Instruction& instruction : block) {
    // The value that a swap finds must not be used outside of the loop.
    const bool leaves = llvm::any_of(instruction.users(), [&](const llvm::User* user) {
      const auto* by = llvm::dyn_cast<llvm::Instruction>(user);
      return by == nullptr || by->getParent() != &block;
    });
    if (leaves) return std::nullopt;
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
  // The branch repeats the loop if the swap failed: by the flag, or its negation.
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
  loop.word = WordSwapOf(*loop.expected, *loop.swap);
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
    // Other memory may be unwritten, or written by other threads.
    if (llvm::getLoadStorePointerOperand(&load) != loop->swap->getPointerOperand()) return false;
  }
  return true;
}

Term Lifter::ElementAt(const Memory& memory, Term offset, const Scalar& scalar) {
  if (ElementBytes(*memory.param) != scalar.size || memory.stored_as) return nullptr;
  Term element = scope_.Quotient(offset, scalar.size);
  auto whole = Decide(pool_.IsZero(pool_.Subtract(offset, pool_.Scale(element, scalar.size))));
  return whole == true ? element : nullptr;
}

// The old value of the element, at the successful swap.
Value Lifter::Expected(const LiftFrame& frame, const SwapLoop& loop) {
  const Value::Pointer pointer =
      RequirePointer(Get(frame, loop.word ? loop.word->address : loop.swap->getPointerOperand()));
  if (failed()) return {};
  llvm::SmallVector<Scalar, 1> scalars;
  llvm::Type* type = loop.word ? loop.word->found->getType() : loop.expected->getType();
  if (!Scalars(type, 0, scalars)) return {};
  const bool global =
      pointer.memory < memories_.size() && memories_[pointer.memory].kind == Memory::Kind::kParam;
  if (!global || scalars.size() != 1)
    return Fail(*loop.swap, "a compare-and-swap outside of buffers");
  const Memory& memory = memories_[pointer.memory];
  if (ElementBytes(*memory.param) == 0)
    return PackedBytes(memory, kAtSwap - memory.buffer, pointer.offset, scalars[0]);
  Term element = ElementAt(memory, pointer.offset, scalars[0]);
  if (!element) return Fail(*loop.swap, "a compare-and-swap of no whole element");
  Term old =
      pool_.Load(kAtSwap - memory.buffer, element, terms::TermType(memory.param->shape.type));
  return FromElement(old, memory.param->shape.type, 0, scalars[0]);
}

Value Lifter::CompareAndSwap(LiftThread& thread, const llvm::AtomicCmpXchgInst& swap) {
  const LiftFrame& frame = thread.frames.back();
  auto loop = frame.function->swap_loops.find(swap.getParent());
  if (loop == frame.function->swap_loops.end())
    return Fail(swap, "a compare-and-swap that is no loop's");
  const std::optional<WordSwap>& word = loop->second.word;
  const Value::Pointer pointer =
      RequirePointer(Get(frame, word ? word->address : swap.getPointerOperand()));
  Value expected = Get(frame, swap.getCompareOperand());
  const llvm::Value* next = word ? word->stored : swap.getNewValOperand();
  Value desired = Get(frame, next);
  llvm::SmallVector<Scalar, 1> scalars;
  if (failed() || !Scalars(next->getType(), 0, scalars)) return {};
  Inside(pointer, scalars[0].size,
         word ? scalars[0].size : static_cast<int64_t>(swap.getAlign().value()));
  if (failed()) return {};
  if (pointer.memory >= memories_.size() ||
      memories_[pointer.memory].kind != Memory::Kind::kParam || scalars.size() != 1) {
    return Fail(swap, "a compare-and-swap outside of buffers");
  }
  Memory& memory = memories_[pointer.memory];
  memory.swapped = memory.swapped || word || ElementBytes(*memory.param) == 0;
  if (memory.swapped && memory.stored_in_parts)
    Unproved(Obligation::Claim::kRaces, kSwapsAlone, "");
  // The word lies inside of the allocation if the allocation begins at a multiple of its size.
  if (word && memory.alignment % static_cast<int64_t>(swap.getAlign().value()) != 0)
    return Fail(swap, "a word that may begin before its buffer");
  if (!memory.written)
    Unproved(Obligation::Claim::kRaces, "only buffers of results are written", "an operand's is");
  ObligeScope(swap, swap.getSyncScopeID());
  ObligeNoPoison(desired);
  if (ElementBytes(*memory.param) == 0) {
    SwapPacked(thread, memory, kAtSwap - memory.buffer, pointer.offset, scalars[0], desired);
    ++packed_stores_;
    return failed() ? Value{} : ListOf({expected, Value(Value::Condition(pool_.True()))});
  }
  const hlo::PrimitiveType type = memory.param->shape.type;
  Term element = ElementAt(memory, pointer.offset, scalars[0]);
  if (!element) return Fail(swap, "a compare-and-swap of no whole element");
  Term value = ToElement({{scalars[0], desired}}, type);
  if (failed()) return {};
  AddEffect(thread, {.kind = Effect::Kind::kAtomic,
                     .buffer = memory.buffer,
                     .element = element,
                     .value = value,
                     .old = pool_.Load(kAtSwap - memory.buffer, element, terms::TermType(type))});
  return ListOf({expected, Value(Value::Condition(pool_.True()))});
}

namespace {

// An undecided condition on indices of a pick in the integer, or null.
Term OpenChoiceOf(terms::Scope& scope, Term integer) {
  Term found = nullptr;
  terms::ForEachPart(integer, [&](Term part) {
    if (found) return terms::Visit::kStop;
    if (part->kind != terms::Kind::kPick || scope.Decide(part->args[0])) return terms::Visit::kInto;
    const bool of_data =
        terms::AnyPart(part->args[0], [](Term in) { return in->sort() == terms::Sort::kValue; });
    if (!of_data) found = part->args[0];
    return terms::Visit::kInto;
  });
  return found;
}

}  // namespace

// The index that is `yes` if `choice` holds, else `no`; without a pick where possible. If `choice`
// is x = 0, the difference of the indices may be x itself.
Term Lifter::MergedPlace(Term choice, Term yes, Term no) {
  auto same = [&](Term condition, Term a, Term b) {
    const size_t saved = scope_.Save();
    const bool possible = scope_.Assume(condition);
    const bool holds = !possible || Decide(pool_.Equal(a, b)) == true;
    scope_.Restore(saved);
    return holds;
  };
  if (same(choice, yes, no)) return no;
  if (same(pool_.Not(choice), yes, no)) return yes;
  if (choice->kind == terms::Kind::kIsZero || choice->kind == terms::Kind::kAtLeastZero) {
    for (int sign : {1, -1}) {
      Term place = scope_.Simplify(pool_.Add(yes, pool_.Scale(choice->args[0], sign)));
      if (same(choice, place, yes) && same(pool_.Not(choice), place, no)) return place;
    }
  }
  return scope_.Pick(choice, yes, no);
}

// The position of the changed element in its byte may depend on picks by indices.
void Lifter::SwapPacked(LiftThread& thread, const Memory& memory, int64_t of, Term offset,
                        const Scalar& scalar, const Value& desired) {
  constexpr int kMostCases = 8;
  const hlo::PrimitiveType type = memory.param->shape.type;
  const int64_t width = hlo::BitWidth(type), count = scalar.size * 8 / width;
  const int64_t elements = memory.param->shape.NumElements();
  Term first = pool_.Scale(offset, 8 / width);
  Term element = nullptr, value = nullptr;
  int cases = 0;
  auto fail = [&](const char* why) {
    Fail(*now_, why);
    return false;
  };
  // The element that the swap changes under the current facts, and its new value.
  auto changed = [&](Term bits) {
    Term at = nullptr, stored = nullptr;
    for (int64_t k = 0; k < count; ++k) {
      Term part = terms::Congruent(pool_, scope_.Quotient(bits, Int128{1} << (k * width)), width);
      Term now = scope_.Simplify(terms::WithBits(
          pool_, pool_.OfInteger(part, terms::IntegerType(width)), terms::TermType(type)));
      Term here = pool_.Add(first, pool_.Number(k));
      Term old = pool_.Load(of, here, terms::TermType(type));
      if (now == scope_.Simplify(old)) continue;
      if (at) return fail("a compare-and-swap of several packed elements");
      at = here, stored = now;
    }
    if (!at) return fail("a compare-and-swap that changes nothing");
    const bool of_old = terms::AnyPart(
        stored, [&](Term part) { return part->kind == terms::Kind::kLoad && part->number == of; });
    if (of_old) return fail("an update of packed elements");
    if (Decide(pool_.AtLeastZero(pool_.Subtract(pool_.Number(elements - 1), at))) != true)
      return fail("a packed element that may not exist");
    element = at, value = stored;
    return true;
  };
  std::function<bool(Term)> visit = [&](Term bits) {
    bits = scope_.Simplify(bits);
    Term choice = OpenChoiceOf(scope_, bits);
    if (!choice) return changed(bits);
    if (++cases > kMostCases) return fail("packed elements in too many places");
    Term places[2] = {nullptr, nullptr}, values[2] = {nullptr, nullptr};
    for (int side : {0, 1}) {
      const size_t saved = scope_.Save();
      const bool possible = scope_.Assume(side == 0 ? choice : pool_.Not(choice));
      element = value = nullptr;
      const bool known = !possible || visit(bits);
      scope_.Restore(saved);
      if (!known) return false;
      places[side] = element, values[side] = value;
    }
    for (int side : {0, 1}) {
      if (!places[side]) places[side] = places[1 - side], values[side] = values[1 - side];
    }
    if (!places[0]) return fail("a compare-and-swap that never is");
    element = MergedPlace(choice, places[0], places[1]);
    value = scope_.Select(choice, values[0], values[1]);
    return true;
  };
  Term bits = BitsOf(desired, scalar.type);
  if (failed() || !visit(terms::Unsigned(scope_, bits, scalar.size * 8))) return;
  AddEffect(
      thread,
      {.kind = Effect::Kind::kStore, .buffer = memory.buffer, .element = element, .value = value});
}

}  // namespace affirm::kernel
