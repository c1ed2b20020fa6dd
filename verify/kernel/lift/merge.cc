// Executes both sides of an undecided branch, and merges their states at the join.
#include <utility>
#include <vector>

#include "llvm/ADT/DenseSet.h"
#include "verify/kernel/lift/lifter.h"
#include "verify/kernel/lift/saturation.h"
#include "verify/terms/small_floats.h"

namespace affirm::kernel {

namespace {

// The most nested undecided branches: a loop with a data-dependent exit would nest without end.
constexpr int kMostMerges = 100;

}  // namespace

Value Lifter::Choose(Term condition, const Value& a, const Value& b) {
  return ChooseIn(scope_, condition, a, b);
}

Value Lifter::ChooseIn(terms::Scope& scope, Term condition, const Value& a, const Value& b) {
  if (a == b) return a;
  if (auto decided = scope.Decide(condition)) return *decided ? a : b;
  if (a.sound() || b.sound()) return ChooseIn(scope, condition, WithoutPoison(a), WithoutPoison(b));
  if (!a.IsSameKind(b)) return Fail(*now_, "a choice between values of two kinds");
  return a.Visit(Visitor{
      [&](const Value::None&) { return Fail(*now_, "a choice between no values"); },
      [&](const Value::Integer& yes) -> Value {
        Term no = RequireInteger(b);
        if (Term small = terms::ChosenSmallFloat(scope, condition, yes.term, no))
          return Value::Integer(small);
        Term chosen = scope.Pick(condition, yes.term, no);
        if (Term small = terms::ConversionByInstruction(scope, chosen))
          return Value::Integer(small);
        Term saturated = Saturated(pool_, chosen);
        return Value::Integer(saturated ? saturated : chosen);
      },
      [&](const Value::Condition& yes) -> Value {
        Term no = RequireCondition(b);
        return Value::Condition(
            pool_.Or({pool_.And({condition, yes.term}), pool_.And({pool_.Not(condition), no})}));
      },
      [&](const Value::Wide& yes) -> Value {
        const auto [low, high] = RequireWide(b);
        return Value::Wide(scope.Pick(condition, yes.low, low),
                           scope.Pick(condition, yes.high, high));
      },
      [&](const Value::Data& yes) -> Value {
        const auto no = b.As<Value::Data>();
        if (!no || no->term->type != yes.term->type)
          return Fail(*now_, "a choice between floats of two types");
        return Value::Data(scope.Select(condition, yes.term, no->term));
      },
      [&](const Value::Pointer& yes) -> Value {
        const Value::Pointer no = RequirePointer(b);
        if (yes.memory != no.memory) return Fail(*now_, "a pointer into one of two memories");
        return Value::Pointer(yes.memory, scope.Pick(condition, yes.offset, no.offset));
      },
      [&](const Value::List& yes) -> Value {
        const llvm::ArrayRef<Value> no = RequireParts(b, yes.parts.size());
        std::vector<Value> parts;
        parts.reserve(yes.parts.size());
        for (size_t i = 0; i < yes.parts.size(); ++i)
          parts.push_back(ChooseIn(scope, condition, yes.parts[i], no[i]));
        return failed() ? Value{} : ListOf(parts);
      }});
}

Term Lifter::BlockPart(Term condition) {
  llvm::SmallDenseSet<Term> seen;
  return BlockPart(condition, seen);
}

Term Lifter::BlockPart(Term condition, llvm::SmallDenseSet<Term>& seen) {
  if (condition->kind == terms::Kind::kNot) return BlockPart(condition->args[0], seen);
  if (condition->kind == terms::Kind::kAnd) {
    // Conditions share parts, so each is visited once.
    if (!seen.insert(condition).second) return nullptr;
    for (Term part : condition->args) {
      if (Term found = BlockPart(part, seen)) return found;
    }
    return nullptr;
  }
  if (Decide(condition)) return nullptr;
  // Whether the term contains anything but variables of the block; memoized as 1: no, 2: yes.
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

// Merges the thread's allocas after both sides.
void Lifter::MergeOwn(LiftThread& thread, Term condition, const LocalMemories& yes,
                      const LocalMemories& no) {
  auto merge = [&](const ByteMemory& a, const ByteMemory& b) {
    ByteMemory merged = a;
    if (a.bytes() != b.bytes() || a.alignment() != b.alignment()) {
      Fail(*now_, "memory of the thread that differs in size or alignment");
      return merged;
    }
    if (!b.is_alive()) merged.End();
    // A cell that exists on one side alone, or with different types, becomes unknown.
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

// Runs both sides of a branch up to their join, and continues there.
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
    return ReturnToCaller(thread, thread.arrived[0]);
  }
  if (join == stop && at == depth) return Outcome::kArrived;
  thread.frames[at].block = from;
  SetPhis(thread.frames[at], join, thread.arrived);
  return std::nullopt;
}

}  // namespace affirm::kernel
