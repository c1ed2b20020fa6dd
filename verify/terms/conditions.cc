// Builds conditions in normal form: bounds and equations without a common factor, sorted
// conjunctions.
#include <algorithm>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "verify/terms/range.h"
#include "verify/terms/term.h"

namespace affirm::terms {

namespace {

Int128 CommonFactor(llvm::ArrayRef<Monomial> sum) {
  Int128 factor = 0;
  for (const Monomial& m : sum) factor = Gcd(factor, m.coefficient);
  return factor;
}

}  // namespace

// Recognizes p - 1 >= 0 and -p >= 0 for a predicate p: returns p, and whether it has to hold. Null
// for other integers.
static std::pair<Term, bool> AsPredicate(Term a) {
  if (a->kind != Kind::kSum || a->sum.size() != 1) return {};
  const Monomial& m = a->sum[0];
  if (m.atom->kind != Kind::kInteger || m.atom->args[0]->type != hlo::PrimitiveType::kPred)
    return {};
  if (m.coefficient == 1 && a->number == -1) return {m.atom->args[0], true};
  if (m.coefficient == -1 && a->number == 0) return {m.atom->args[0], false};
  return {};
}

Term Pool::AtLeastZero(Term a) {
  if (a->range.lo >= 0) return true_;
  if (a->range.hi < 0) return false_;
  if (const auto [predicate, holds] = AsPredicate(a); predicate)
    return holds ? Holds(predicate) : Not(Holds(predicate));
  if (a->kind == Kind::kSum) {
    Int128 factor = CommonFactor(a->sum);
    if (factor > 1) {
      llvm::SmallVector<Monomial, 8> reduced;
      for (const Monomial& m : a->sum) reduced.push_back({m.coefficient / factor, m.atom});
      return AtLeastZero(Sum(FloorDiv(a->number, factor), reduced));
    }
  }
  // x floordiv m + r >= 0 is x + m * r >= 0, and r - x floordiv m >= 0 is m * (r + 1) - 1 - x >= 0.
  llvm::ArrayRef<Monomial> monomials = a->sum;
  Monomial alone = {1, a};
  if (a->kind == Kind::kQuotient) monomials = alone;
  for (const Monomial& m : monomials) {
    bool once = m.coefficient == 1 || m.coefficient == -1;
    if (!once || m.atom->kind != Kind::kQuotient) continue;
    Term rest = Sum(0, {{1, a}, {-m.coefficient, m.atom}});
    Term scaled = Scale(rest, m.atom->number);
    Term bound = m.coefficient > 0
                     ? Add(m.atom->args[0], scaled)
                     : Subtract(Add(scaled, Number(m.atom->number - 1)), m.atom->args[0]);
    if (bound->kind != Kind::kUnknown) return AtLeastZero(bound);
  }
  return Make({.kind = Kind::kAtLeastZero, .args = {a}});
}

Term Pool::IsZero(Term a) {
  if (a->range.single() && a->range.lo == 0) return true_;
  if (a->range.lo > 0 || a->range.hi < 0) return false_;
  if (a->kind == Kind::kSum) {
    Int128 factor = CommonFactor(a->sum);
    if (a->sum[0].coefficient < 0) factor = -factor;
    if (a->number % factor != 0) return false_;
    if (factor != 1) {
      llvm::SmallVector<Monomial, 8> reduced;
      for (const Monomial& m : a->sum) reduced.push_back({m.coefficient / factor, m.atom});
      return IsZero(Sum(a->number / factor, reduced));
    }
  }
  // An equation at an end of the range is a bound.
  if (a->range.lo == 0) return AtLeastZero(Scale(a, -1));
  if (a->range.hi == 0) return AtLeastZero(a);
  return Make({.kind = Kind::kIsZero, .args = {a}});
}

Term Pool::Not(Term condition) {
  switch (condition->kind) {
    case Kind::kTrue:
      return false_;
    case Kind::kFalse:
      return true_;
    case Kind::kNot:
      return condition->args[0];
    case Kind::kAtLeastZero:
      return AtLeastZero(Subtract(Number(-1), condition->args[0]));
    default:
      return Make({.kind = Kind::kNot, .args = {condition}});
  }
}

Term Pool::And(llvm::ArrayRef<Term> conditions) {
  llvm::SmallVector<Term, 8> parts;
  for (Term c : conditions) {
    if (c->kind == Kind::kAnd)
      parts.append(c->args.begin(), c->args.end());
    else if (c != true_)
      parts.push_back(c);
  }
  llvm::sort(parts, [](Term a, Term b) { return a->id < b->id; });
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  for (Term c : parts) {
    if (c == false_ || llvm::is_contained(parts, Not(c))) return false_;
  }
  if (parts.empty()) return true_;
  if (parts.size() == 1) return parts[0];
  return Make({.kind = Kind::kAnd, .args = parts});
}

Term Pool::Or(llvm::ArrayRef<Term> conditions) {
  llvm::SmallVector<Term, 8> parts;
  for (Term c : conditions) parts.push_back(Not(c));
  return Not(And(parts));
}

Term Pool::Holds(Term predicate) {
  if (predicate->kind == Kind::kOfCondition) return predicate->args[0];
  if (predicate->kind == Kind::kOfInteger) return Not(IsZero(IntegerOf(predicate)));
  if (predicate->kind == Kind::kLiteral) return predicate->number != 0 ? true_ : false_;
  return Make({.kind = Kind::kHolds, .args = {predicate}});
}

}  // namespace affirm::terms
