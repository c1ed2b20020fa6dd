#include "verify/kernel/lift/loops.h"

#include <vector>

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "verify/kernel/lift/lifter.h"
#include "verify/terms/fold_laws.h"
#include "verify/terms/machine.h"

namespace affirm::kernel {

using terms::Int128;
using terms::Kind;
using terms::Op;
using terms::Term;

namespace {

// Loops with at most this many iterations are unrolled, unless blocks run in order.
constexpr Int128 kMostInTurn = 16;

// Matches a loop whose header has nothing but phis, the comparison and the branch.
std::optional<CountedLoop> CountedLoopOf(const llvm::Loop& loop) {
  CountedLoop counted;
  counted.header = loop.getHeader();
  const llvm::BasicBlock* latch = loop.getLoopLatch();
  counted.exit = loop.getExitBlock();
  if (!latch || !counted.exit || loop.getExitingBlock() != counted.header) return std::nullopt;
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(counted.header->getTerminator());
  if (!branch || !branch->isConditional() || branch->getSuccessor(1) != counted.exit)
    return std::nullopt;
  const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  if (!compare || compare->getPredicate() != llvm::CmpInst::ICMP_SLT || compare->hasSameSign() ||
      !compare->hasOneUse() || &*counted.header->getFirstNonPHIIt() != compare ||
      compare->getNextNode() != branch) {
    return std::nullopt;
  }
  counted.counter = llvm::dyn_cast<llvm::PHINode>(compare->getOperand(0));
  counted.end = compare->getOperand(1);
  if (!counted.counter || counted.counter->getParent() != counted.header ||
      !loop.isLoopInvariant(counted.end)) {
    return std::nullopt;
  }
  const auto* next =
      llvm::dyn_cast<llvm::BinaryOperator>(counted.counter->getIncomingValueForBlock(latch));
  if (!next || next->getOpcode() != llvm::Instruction::Add ||
      next->getOperand(0) != counted.counter)
    return std::nullopt;
  const auto* step = llvm::dyn_cast<llvm::ConstantInt>(next->getOperand(1));
  if (!step || step->getBitWidth() > 64 || step->getSExtValue() < 1) return std::nullopt;
  counted.step = step->getSExtValue();
  counted.blocks.insert(loop.block_begin(), loop.block_end());
  return counted;
}

// Whether a fold by the operation is determined by the multiset of its values.
bool IsFolded(Op operation) {
  return operation == Op::kAdd || operation == Op::kMultiply || operation == Op::kMaximum ||
         operation == Op::kMinimum || operation == Op::kAnd || operation == Op::kOr ||
         operation == Op::kXor;
}

// A value that an iteration combines with the carried one, if a condition holds.
struct Combined {
  Term condition, value;
};

class Combination {
 public:
  Combination(terms::Pool& pool, Term carried, const llvm::DenseSet<Term>& others)
      : pool_(pool), carried_(carried), others_(others) {}

  // Collects the values that an iteration combines; false if it is no reduction by one operation.
  bool Read(Term after, Term condition) {
    if (after == carried_) return true;
    // A fold leaves the order open, so the mark of an open order is dropped.
    if (after->kind == Kind::kApply) {
      opens_zero_sign_ |= after->op() == Op::kOpenZeroSign;
      is_licensed_ |= after->op() == Op::kOpenZeroSign || after->op() == Op::kInSomeOrder;
    }
    after = terms::InItsOrder(after);
    if (after->kind == Kind::kSelect && IsFree(after->args[0])) {
      Term chosen = after->args[0];
      return Read(after->args[1], pool_.And({condition, chosen})) &&
             Read(after->args[2], pool_.And({condition, pool_.Not(chosen)}));
    }
    const bool applies = after->kind == Kind::kApply && after->args.size() == 2 &&
                         after->type == carried_->type && IsFolded(after->op()) &&
                         (operation_ == Op::kNone || operation_ == after->op());
    if (!applies) return false;
    for (int k : {0, 1}) {
      Term value = terms::WithoutRounding(after->args[1 - k]);
      if (!IsFree(value)) continue;
      operation_ = after->op();
      values_.push_back({condition, value});
      return Read(after->args[k], condition);
    }
    return false;
  }

  Op operation() const { return operation_; }
  bool opens_zero_sign() const { return opens_zero_sign_; }
  bool is_licensed() const { return is_licensed_; }
  const std::vector<Combined>& values() const { return values_; }

 private:
  // Whether the term contains no loop-carried symbol.
  bool IsFree(Term term) const {
    return !terms::AnyPart(term,
                           [&](Term part) { return part == carried_ || others_.contains(part); });
  }

  terms::Pool& pool_;
  Term carried_;
  const llvm::DenseSet<Term>& others_;
  Op operation_ = Op::kNone;
  bool opens_zero_sign_ = false, is_licensed_ = false;
  std::vector<Combined> values_;
};

}  // namespace

llvm::DenseMap<const llvm::BasicBlock*, CountedLoop> CountedLoopsOf(
    const llvm::Function& function) {
  llvm::DominatorTree dominators(const_cast<llvm::Function&>(function));  // does not modify it
  const llvm::LoopInfo loops(dominators);
  llvm::DenseMap<const llvm::BasicBlock*, CountedLoop> counted;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (auto found = CountedLoopOf(*loop)) counted.try_emplace(loop->getHeader(), *found);
  }
  return counted;
}

CarriedValue AfterLoop(terms::Scope& scope, Term carried, Term after, Term initial, Term variable,
                       Term runs, const llvm::DenseSet<Term>& others) {
  terms::Pool& pool = scope.pool();
  Combination combination(pool, carried, others);
  if (!combination.Read(after, pool.True())) return {};
  Term result = initial;
  for (const auto& [condition, value] : combination.values()) {
    // An inner fold by the same operation contributes its values one by one.
    std::vector<Term> variables = {variable};
    Term counts = pool.And({runs, condition}), of = value;
    if (value->kind == Kind::kFold && value->op() == combination.operation()) {
      counts = pool.And({counts, value->args[0]});
      of = value->args[1];
      variables.insert(variables.end(), value->args.begin() + 2, value->args.end());
    }
    Term fold = pool.Fold(combination.operation(), counts, of, variables);
    result = pool.Apply(combination.operation(), carried->type, {result, fold});
  }
  const size_t count = combination.values().size();
  if (combination.opens_zero_sign())
    result = pool.Apply(Op::kOpenZeroSign, carried->type, {result});
  return {result, count, combination.is_licensed()};
}

Term LoopOrders::InOneOrder(terms::Scope& scope, const CarriedValue& carried, int32_t loop) {
  const Term sum = carried.value;
  Term form = terms::WithNumberedVariables(scope, terms::InItsOrder(sum));
  if (carried.values == 0 || !terms::RoundsInOrder(form->op(), form->type)) return sum;
  // Numbers the carried symbols of outer loops by position, so that equal loops have equal keys.
  llvm::DenseMap<Term, Term> by_number;
  terms::ForEachPart(form, [&](Term part) {
    if (part->kind == Kind::kLoad && part->number <= kCarried) {
      const auto number = kCarried - static_cast<int64_t>(by_number.size());
      by_number.try_emplace(part, scope.pool().Load(number, part->args[0], part->type));
    }
    return terms::Visit::kInto;
  });
  if (!by_number.empty()) form = scope.Substitute(form, by_number);
  const std::pair way(carried.values, carried.is_licensed ? loop : 0);
  const bool is_first = combined_.try_emplace(form, way).first->second == way;
  return is_first ? sum : WithLicence(scope.pool(), sum, Licence::kValue, loop);
}

// Soundness of executing a loop once, for a symbolic iteration: an iteration must not depend on
// earlier ones, except through the reductions of AfterLoop and written buffers, whose accesses are
// effects. Other threads do not interfere: without a barrier in the loop, shared memory does not
// change during it, or there is a race.
struct Lifter::BeforeLoop {
  LiftThread thread;
  size_t effects, facts, guards;
  int merges;
};

bool Lifter::RunLoop(LiftThread& thread, const CountedLoop& loop) {
  const size_t at = thread.frames.size() - 1;
  if (in_turn_.contains(loop.header)) return false;
  auto bounds = BoundsOf(thread.frames[at], loop);
  if (!bounds) return false;
  BeforeLoop before{thread, effects_.size(), scope_.Save(), guards_.size(), depth_of_merges_};
  obligations_.Begin();
  loops_.push_back(bounds->variable);
  const bool done = RunIteration(thread, loop, *bounds, before);
  loops_.pop_back();
  guards_.resize(before.guards);
  depth_of_merges_ = before.merges;
  scope_.Restore(before.facts);
  if (done) obligations_.Keep();
  if (done) return true;
  // Restores the state, and executes the loop iteration by iteration; other threads then skip the
  // attempt. Inside of another loop the attempt may fail because of that loop's variable alone.
  if (!ir_.in_order && loops_.empty() && split_ == nullptr) in_turn_.insert(loop.header);
  error_.clear();
  effects_.resize(before.effects);
  obligations_.Forget();
  constants_.clear();
  thread = std::move(before.thread);
  return false;
}

// The bounds of the loop's counter; nullopt if they are unknown, or the loop is too short to be
// summarized.
std::optional<Lifter::LoopBounds> Lifter::BoundsOf(const LiftFrame& frame,
                                                   const CountedLoop& loop) {
  const auto width = static_cast<int64_t>(loop.counter->getType()->getIntegerBitWidth());
  if (width > 64) return std::nullopt;
  const Value start = Get(frame, loop.counter), end = Get(frame, loop.end);
  // An unspecified bound may differ in each iteration, or be undefined behavior.
  if (failed() || width < 2 || MarksOf(start) != 0 || MarksOf(end) != 0) return std::nullopt;
  LoopBounds bounds;
  bounds.first = terms::Signed(scope_, RequireInteger(start), width);
  bounds.end = terms::Signed(scope_, RequireInteger(end), width);
  if (failed()) return std::nullopt;
  const terms::Range first = scope_.RangeOf(bounds.first), last = scope_.RangeOf(bounds.end);
  constexpr Int128 kMostIterations = Int128{1} << 40;
  // The counter must not wrap.
  const Int128 largest = (Int128{1} << (width - 1)) - 1;
  if (last.hi > largest - loop.step || first.lo < -largest || last.hi - first.lo > kMostIterations)
    return std::nullopt;
  const bool known = first.single() && last.single();
  const Int128 count = (last.hi - first.lo + loop.step - 1) / loop.step;
  // An unrolled loop has a term for each element, so it can be compared in any form.
  if (count <= (ir_.in_order ? 1 : kMostInTurn)) return std::nullopt;
  // max(0, ceil((end - first) / step)) iterations. Built before the loop's guard becomes a fact.
  Term iterations = scope_.Quotient(
      pool_.Add(scope_.Max(pool_.Subtract(bounds.end, bounds.first), pool_.Number(0)),
                pool_.Number(loop.step - 1)),
      loop.step);
  bounds.after = pool_.Add(bounds.first, pool_.Scale(iterations, loop.step));
  const std::string name = "i" + std::to_string(num_loops_++);
  if (known) {
    bounds.variable = pool_.Variable(name, {0, count - 1});
    bounds.counter = pool_.Add(bounds.first, pool_.Scale(bounds.variable, loop.step));
    bounds.runs = pool_.True();
    return bounds;
  }
  if (loop.step == 1) {
    bounds.variable = bounds.counter = pool_.Variable(name, {first.lo, last.hi - 1});
  } else {
    bounds.variable = pool_.Variable(name, {0, count - 1});
    bounds.counter = pool_.Add(bounds.first, pool_.Scale(bounds.variable, loop.step));
  }
  bounds.runs = pool_.And({pool_.AtLeast(bounds.counter, bounds.first),
                           pool_.AtLeast(bounds.end, pool_.Add(bounds.counter, pool_.Number(1)))});
  return bounds;
}

// Executes the body once, and sets the header's phis to the values after the last iteration. False
// if they have no summary.
bool Lifter::RunIteration(LiftThread& thread, const CountedLoop& loop, const LoopBounds& bounds,
                          const BeforeLoop& before) {
  const size_t at = thread.frames.size() - 1;
  if (bounds.runs != pool_.True()) {
    if (!scope_.Assume(bounds.runs)) return false;
    guards_.push_back(bounds.runs);
  }
  // Each phi becomes a fresh symbol.
  std::vector<const llvm::PHINode*> phis;
  std::vector<Term> carried;
  llvm::DenseSet<Term> all;
  for (const llvm::PHINode& phi : loop.header->phis()) {
    phis.push_back(&phi);
    carried.push_back(nullptr);
    Value& held = RegisterOf(thread, at, &phi);
    if (&phi == loop.counter) {
      held = Value::Integer(bounds.counter);
      continue;
    }
    const auto initial = held.As<Value::Data>();
    if (!initial || held.sound() || MarksOf(held) != 0) return false;
    carried.back() = pool_.Load(kCarried - num_loops_++, pool_.Number(0), initial->term->type);
    all.insert(carried.back());
    held = Value::Data(carried.back());
  }
  LiftFrame& frame = thread.frames[at];
  frame.block = loop.header;
  frame.at = loop.header->getFirstNonPHIIt();
  // Other iterations may store before and after this one.
  ++packed_stores_;
  const Outcome outcome = Run(thread, at, loop.header, true);
  ++packed_stores_;
  if (failed() || outcome != Outcome::kArrived || thread.arrived.size() != phis.size())
    return false;
  // The body must not change allocas from before the loop; its own ones end.
  const uint32_t next = before.thread.own.next();
  if (!LocalMemories::SameBelow(next, thread.own, before.thread.own)) return false;
  thread.own.EndFrom(next);
  thread.frames.erase(thread.frames.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                      thread.frames.end());
  const std::vector<Value> after = std::move(thread.arrived);
  thread.arrived.clear();
  std::vector<Value> final(phis.size());
  for (size_t k = 0; k < phis.size(); ++k) {
    if (!carried[k]) {
      final[k] = Value::Integer(bounds.after);
      continue;
    }
    const LiftFrame& outside = before.thread.frames[at];
    const auto initial =
        outside.registers[outside.function->numbers.lookup(phis[k])].As<Value::Data>();
    const auto left = after[k].As<Value::Data>();
    if (!initial || !left || after[k].sound() || MarksOf(after[k]) != 0) return false;
    const CarriedValue value =
        AfterLoop(scope_, carried[k], left->term, initial->term, bounds.variable, bounds.runs, all);
    if (!value.value) return false;
    final[k] =
        Value::Data(loop_orders_.InOneOrder(scope_, value, NumberOf(*phis[k], Licence::kOrder)));
  }
  // Effects must not mention the carried symbols.
  for (size_t k = before.effects; k < effects_.size() && !all.empty(); ++k) {
    for (Term term : {effects_[k].element, effects_[k].value, effects_[k].guard}) {
      if (term && terms::AnyPart(term, [&](Term part) { return all.contains(part); })) return false;
    }
  }
  for (size_t k = 0; k < phis.size(); ++k) RegisterOf(thread, at, phis[k]) = final[k];
  thread.frames[at].block = loop.header;
  return true;
}

}  // namespace affirm::kernel
