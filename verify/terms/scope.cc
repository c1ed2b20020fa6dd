#include "verify/terms/scope.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"
#include "verify/terms/linear_part.h"
#include "verify/terms/range.h"

namespace affirm::terms {

namespace {

// Bloom mask of the leaves that a fact constrains. A predicate has its own bit, since it is opaque:
// that it holds constrains no leaf of its operands. For a conjunction, which is known as a whole,
// the mask of one part suffices.
uint64_t LeavesOfFact(Term fact, llvm::SmallDenseMap<Term, uint64_t>& known) {
  switch (fact->kind) {
    case Kind::kNot:
      return LeavesOfFact(fact->args[0], known);
    case Kind::kHolds:
      return fact->args[0]->OwnBit();
    case Kind::kAnd: {
      // Memoized: conditions of an exchange network share parts exponentially often.
      if (const auto found = known.find(fact); found != known.end()) return found->second;
      uint64_t fewest = UINT64_MAX;
      for (Term part : fact->args) {
        const uint64_t leaves = LeavesOfFact(part, known);
        if (llvm::popcount(leaves) < llvm::popcount(fewest)) fewest = leaves;
      }
      known[fact] = fewest;
      return fewest;
    }
    default:
      return fact->leaves;
  }
}

}  // namespace

void Scope::Forget() {
  ranges_.now.clear();
  decided_.now.clear();
  simplified_.now.clear();
  quotients_.now.clear();
}

void Scope::Record(Undo::Kind kind, Term key, std::optional<Range> range, Term about) {
  undo_.push_back({kind, key, range, leaves_of_facts_});
  llvm::SmallDenseMap<Term, uint64_t> known;
  leaves_of_facts_ |= LeavesOfFact(about, known);
}

void Scope::Bound(Term linear, Range range) {
  auto [it, fresh] = bounds_.try_emplace(linear, kAnything);
  Record(Undo::Kind::kBound, linear, fresh ? std::nullopt : std::optional<Range>(it->second),
         linear);
  it->second = Intersect(it->second, range);
}

std::optional<Range> Scope::BoundOf(Term linear) {
  auto found = bounds_.find(linear);
  if (found == bounds_.end()) return std::nullopt;
  ++uses_of_facts_;
  return found->second;
}

// Derives bounds of each summand of a short sum from the bounds of the sum and the other summands.
void Scope::BoundSummands(Term linear) {
  constexpr size_t kMostBounded = 4;
  if (linear->kind != Kind::kSum || linear->sum.size() > kMostBounded) return;
  const Range bounds = bounds_.lookup(linear);
  for (const Monomial& m : linear->sum) {
    Range others = {0, 0};
    for (const Monomial& other : linear->sum) {
      if (other.atom != m.atom)
        others = terms::Add(others, terms::Scale(RangeOfAtom(other.atom, 0), other.coefficient));
    }
    // m.coefficient * m.atom, and with the coefficient positive.
    Range product = terms::Add(bounds, terms::Scale(others, -1));
    const Int128 factor = m.coefficient < 0 ? -m.coefficient : m.coefficient;
    if (m.coefficient < 0) product = terms::Scale(product, -1);
    Range range = kAnything;
    if (!IsInfinite(product.lo)) range.lo = -FloorDiv(-product.lo, factor);
    if (!IsInfinite(product.hi)) range.hi = FloorDiv(product.hi, factor);
    const Range before = RangeOfAtom(m.atom, 0);
    if (Intersect(before, range) != before) Bound(m.atom, range);
  }
}

bool Scope::Assume(Term condition) {
  auto decided = Decide(condition);
  if (decided.has_value()) return *decided;
  switch (condition->kind) {
    case Kind::kAnd:
      for (Term part : condition->args) {
        if (!Assume(part)) return false;
      }
      return true;
    case Kind::kAtLeastZero: {
      // factor * linear + constant >= 0.
      LinearPart part = LinearPartOf(pool_, condition->args[0]);
      Bound(part.linear, part.factor > 0
                             ? Range{-FloorDiv(part.constant, part.factor), kInfinity}
                             : Range{kMinusInfinity, FloorDiv(part.constant, -part.factor)});
      BoundSummands(part.linear);
      break;
    }
    case Kind::kIsZero: {
      LinearPart part = LinearPartOf(pool_, condition->args[0]);
      if (part.constant % part.factor != 0) return false;
      Int128 value = -part.constant / part.factor;
      Bound(part.linear, {value, value});
      BoundSummands(part.linear);
      break;
    }
    default: {
      // x != 0 at an end of the range of x makes the range smaller.
      if (condition->kind == Kind::kNot && condition->args[0]->kind == Kind::kIsZero) {
        Term x = condition->args[0]->args[0];
        Range range = RangeOf(x);
        // Records the disequality too, since the bound may be normalized to other summands.
        if (range.lo == 0 || range.hi == 0) {
          known_[condition->args[0]] = false;
          Record(Undo::Kind::kKnown, condition->args[0], std::nullopt, condition);
          Forget();
        }
        if (range.lo == 0) return Assume(pool_.AtLeastZero(pool_.Add(x, pool_.Number(-1))));
        if (range.hi == 0) return Assume(pool_.AtLeastZero(pool_.Subtract(pool_.Number(-1), x)));
      }
      bool holds = condition->kind != Kind::kNot;
      Term key = holds ? condition : condition->args[0];
      known_[key] = holds;
      Record(Undo::Kind::kKnown, key, std::nullopt, key);
    }
  }
  facts_.push_back(condition);
  numbers_.push_back(++last_number_);
  Record(Undo::Kind::kKnown, nullptr, std::nullopt, condition);  // one of facts_
  Forget();
  return true;
}

bool Scope::RestateFacts(Term condition) {
  const std::vector<Term> before = facts_;
  for (Term fact : before) {
    const bool of_integer = fact->kind == Kind::kAtLeastZero || fact->kind == Kind::kIsZero;
    if (!of_integer || (fact->leaves & condition->leaves) == 0) continue;
    const Term integer = fact->args[0];
    if (integer->kind != Kind::kSum) continue;
    // Simplifies each summand by itself: the fact would simplify the whole sum to its own bound.
    Term now = pool_.Number(integer->number);
    for (const Monomial& m : integer->sum) {
      now = pool_.Add(now, pool_.Scale(Simplify(m.atom), m.coefficient));
    }
    if (now == integer) continue;
    const bool is_zero = fact->kind == Kind::kIsZero;
    if (!Assume(is_zero ? pool_.IsZero(now) : pool_.AtLeastZero(now))) return false;
  }
  return true;
}

void Scope::Restore(size_t saved) {
  if (undo_.size() == saved) return;
  while (undo_.size() > saved) {
    const Undo& undo = undo_.back();
    if (!undo.key) {
      facts_.pop_back();
      numbers_.pop_back();
    } else if (undo.kind == Undo::Kind::kKnown) {
      known_.erase(undo.key);
    } else if (undo.range) {
      bounds_[undo.key] = *undo.range;
    } else {
      bounds_.erase(undo.key);
    }
    leaves_of_facts_ = undo.leaves;
    undo_.pop_back();
  }
  Forget();
}

std::optional<bool> Scope::Decide(Term condition) { return Decide(condition, kRangeDepth); }

std::optional<bool> Scope::Decide(Term condition, int depth) {
  if (condition->kind != Kind::kNot && condition->kind != Kind::kAnd)
    return DecideNew(condition, depth);
  return Find<std::pair<Term, int>, std::optional<bool>>(
      decided_, condition, {condition, depth}, [&] { return DecideNew(condition, depth); });
}

std::optional<bool> Scope::DecideNew(Term condition, int depth) {
  if (pool_.IsSpent() && condition->kind != Kind::kTrue && condition->kind != Kind::kFalse)
    return std::nullopt;
  switch (condition->kind) {
    case Kind::kTrue:
      return true;
    case Kind::kFalse:
      return false;
    case Kind::kNot: {
      auto inner = Decide(condition->args[0], depth);
      if (inner) return !*inner;
      return std::nullopt;
    }
    case Kind::kAnd: {
      bool all = true;
      for (Term part : condition->args) {
        auto decided = Decide(part, depth);
        if (decided == false) return false;
        all &= decided.has_value();
      }
      if (all) return true;
      break;
    }
    case Kind::kAtLeastZero: {
      Range range = RangeOf(condition->args[0], depth);
      if (range.lo >= 0) return true;
      if (range.hi < 0) return false;
      break;
    }
    case Kind::kIsZero: {
      Range range = RangeOf(condition->args[0], depth);
      if (range.single() && range.lo == 0) return true;
      if (range.lo > 0 || range.hi < 0) return false;
      break;
    }
    default:
      break;
  }
  auto found = known_.find(condition);
  if (found == known_.end()) return std::nullopt;
  ++uses_of_facts_;
  return found->second;
}

}  // namespace affirm::terms
