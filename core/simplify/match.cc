#include "core/simplify/match.h"

#include <numeric>

#include "llvm/ADT/STLExtras.h"

namespace affirm {
namespace {

int64_t CoefficientOf(SymbolicExpr term) {
  return term.kind() == ExprKind::kMul ? term.value() : 1;
}

// The term without its coefficient, when it's a single factor; else the term.
SymbolicExpr SingleFactor(SymbolicExpr term) {
  return term.kind() == ExprKind::kMul && term.ops().size() == 1 ? term.op(0) : term;
}

// Whether g divides c, without a division where the sizes tell; g is not 0.
bool Divides(int64_t g, int64_t c) {
  if (g == -1) return c != kInt64Min;
  if (c < g && c > -g && c != 0) return false;
  return c % g == 0;
}

// gcd of |a| and |b|; 0 when the least int64 is involved.
int64_t Gcd(int64_t a, int64_t b) {
  if (a == kInt64Min || b == kInt64Min) return 0;
  return std::gcd(a, b);
}

}  // namespace

SymbolicExpr Matcher::Apply(SymbolicExpr e) {
  SymbolicExpr result;
  Match(compiled_->lhs, e, [&] {
    uint32_t saved = bound_;
    if (!ConditionsHold()) return OrUndo(saved, false);
    result = Build(rule_->rhs);
    if (result == e) result = {};
    if (!result) return OrUndo(saved, false);
    for (size_t i = 0; i < rule_->slots.size(); ++i) {
      if (IsExpr(i) && Bound(i)) Value(i);  // for the trace, while the sums are at hand
    }
    return true;
  });
  return result;
}

bool Matcher::MatchFact(size_t i, const Constraint& fact, Continuation next) {
  const BoundPattern& p = rule_->premises[i];
  if (p.lower_infinite != !fact.bounds.HasLower() || p.upper_infinite != !fact.bounds.HasUpper()) {
    return false;
  }
  auto upper = [&] {
    return p.upper_infinite ? next() : MatchConstant(p.upper, fact.bounds.upper, next);
  };
  auto lower = [&] {
    return p.lower_infinite ? upper() : MatchConstant(p.lower, fact.bounds.lower, upper);
  };
  return Match(compiled_->premises[i], fact.expr, lower);
}

std::optional<Constraint> Matcher::BuildFact(const BoundPattern& p) {
  Constraint fact{Build(p.expr), Interval::All()};
  auto lower = p.lower_infinite ? kInt64Min : Constant(p.lower);
  auto upper = p.upper_infinite ? kInt64Max : Constant(p.upper);
  if (!fact.expr || !lower || !upper) return std::nullopt;
  fact.bounds = {*lower, *upper};
  // A computed end at a limit of int64 would turn into infinity.
  if (p.lower_infinite == fact.bounds.HasLower() || p.upper_infinite == fact.bounds.HasUpper()) {
    return std::nullopt;
  }
  return fact;
}

std::vector<Binding> Matcher::bindings() {
  std::vector<Binding> out(rule_->slots.size());
  for (size_t i = 0; i < out.size(); ++i) {
    if (!Bound(i)) continue;
    out[i].bound = true;
    if (IsExpr(i)) {
      out[i].expr = Value(i);
    } else {
      out[i].constant = constants_[i];
    }
  }
  return out;
}

// ---------------------------------------------------------------- patterns

bool Matcher::MatchConstant(const Term& t, int64_t value, Continuation next) {
  if (t.kind == TermKind::kSlot && !Bound(t.slot)) {
    uint32_t saved = bound_;
    Bind(t.slot, value);
    return OrUndo(saved, next());
  }
  auto v = Constant(t);
  return v && *v == value && next();
}

bool Matcher::Match(const Pattern& p, SymbolicExpr e, Continuation next) {
  switch (p.op) {
    case Pattern::Op::kBind: {
      uint32_t saved = bound_;
      Bind(p.slot, e);
      return OrUndo(saved, next());
    }
    case Pattern::Op::kSame:
      return Value(p.slot) == e && next();
    case Pattern::Op::kConstant: {
      if (!e.IsConstant()) return false;
      auto checked = [&] {
        return llvm::all_of(p.checks, [&](const Condition* c) { return Holds(*c); }) && next();
      };
      return p.checks.empty() ? MatchConstant(*p.term, e.value(), next)
                              : MatchConstant(*p.term, e.value(), checked);
    }
    case Pattern::Op::kQuotient:
      return e.kind() == p.kind && MatchQuotient(p, e, next);
    case Pattern::Op::kLattice:
      return e.kind() == p.kind && e.ops().size() >= p.parts.size() &&
             MatchLattice(p, e.ops(), 0, next);
    case Pattern::Op::kSum:
      return MatchSum(p, e, next);
  }
  return false;
}

bool Matcher::MatchQuotient(const Pattern& p, SymbolicExpr e, Continuation next) {
  int64_t outer = divisor_;
  bool matched = Match(p.parts[0], e.op(1), [&] {
    divisor_ = e.op(1).IsConstant() ? e.op(1).value() : 0;
    return Match(p.parts[1], e.op(0), next);
  });
  divisor_ = outer;
  return matched;
}

bool Matcher::MatchLattice(const Pattern& p, llvm::ArrayRef<SymbolicExpr> ops, size_t at,
                           Continuation next) {
  if (at + 1 == p.parts.size()) {
    SymbolicExpr rest = p.kind == ExprKind::kMin ? context_.Min(ops) : context_.Max(ops);
    return Match(p.parts[at], rest, next);
  }
  for (size_t i = 0; i < ops.size(); ++i) {
    llvm::SmallVector<SymbolicExpr, 8> others(ops.begin(), ops.end());
    others.erase(others.begin() + i);
    if (Match(p.parts[at], ops[i], [&] { return MatchLattice(p, others, at + 1, next); })) {
      return true;
    }
  }
  return false;
}

bool Matcher::MatchSum(const Pattern& p, SymbolicExpr e, Continuation next) {
  Sum sum;
  if (e.kind() == ExprKind::kAdd) {
    sum.terms = e.ops();
    sum.constant = e.value();
  } else if (e.IsConstant()) {
    sum.constant = e.value();
  } else {
    sum.terms = e;
  }
  llvm::SmallVector<uint8_t, 32> taken(sum.terms.size(), 0);
  sum.taken = taken;
  return MatchOperand(p, 0, sum, next);
}

bool Matcher::MatchOperand(const Pattern& p, size_t at, const Sum& sum, Continuation next) {
  if (at == p.operands.size()) {
    return sum.constant == 0 && !llvm::is_contained(sum.taken, 0) && next();
  }
  const SumOperand& o = p.operands[at];
  switch (o.op) {
    case SumOperand::Op::kPick:
      return Pick(p, at, sum, next);
    case SumOperand::Op::kSubtract:
      return Subtract(p, at, sum, next);
    case SumOperand::Op::kSplit:
      return Split(p, at, sum, next);
    case SumOperand::Op::kConstant: {
      // A constant that does not fit into int64 stands in pieces; one of them is no summand.
      if (!sum.terms.empty() && sum.terms.back().IsConstant()) return false;
      Sum rest = sum;
      rest.constant = 0;
      return MatchCoefficient(o, sum.constant, [&] { return MatchOperand(p, at + 1, rest, next); });
    }
    case SumOperand::Op::kRest: {
      uint32_t saved = bound_;
      Bind(o.slot, SymbolicExpr());
      pending_[o.slot] = &sum;
      return OrUndo(saved, next());
    }
  }
  return false;
}

std::optional<int64_t> Matcher::Known(const SumOperand& o) {
  int64_t known = 1;
  for (const Term* f : o.factors) {
    if (f->kind == TermKind::kSlot && f->slot == o.free_factor) continue;
    auto v = Constant(*f);
    auto product = v ? CheckedMul(known, *v) : std::nullopt;
    if (!product) return std::nullopt;
    known = *product;
  }
  return known;
}

bool Matcher::MatchCoefficient(const SumOperand& o, int64_t value, Continuation next) {
  auto known = Known(o);
  if (!known) return false;
  if (o.free_factor < 0) return *known == value && next();
  if (*known == 0 || (*known == -1 && value == kInt64Min) || value % *known != 0) return false;
  uint32_t saved = bound_;
  Bind(o.free_factor, value / *known);
  return OrUndo(saved, next());
}

bool Matcher::Pick(const Pattern& p, size_t at, const Sum& sum, Continuation next) {
  const SumOperand& o = p.operands[at];
  SymbolicExpr wanted;
  if (o.core_known && !(wanted = Build(*o.core.term))) return false;
  // A coefficient that is known beforehand rules most terms out at once.
  std::optional<int64_t> coefficient;
  if (o.factors_known && !(coefficient = Known(o))) return false;
  for (size_t i = 0; i < sum.terms.size(); ++i) {
    if (sum.taken[i]) continue;
    SymbolicExpr atom = SingleFactor(sum.terms[i]);
    if (atom.kind() != o.core.kind || (wanted && !(atom == wanted))) continue;
    int64_t c = atom == sum.terms[i] ? 1 : sum.terms[i].value();
    if (coefficient && *coefficient != c) continue;
    sum.taken[i] = 1;
    auto rest = [&] {
      return MatchCoefficient(o, c, [&] { return MatchOperand(p, at + 1, sum, next); });
    };
    if (wanted ? rest() : Match(o.core, atom, rest)) return true;
    sum.taken[i] = 0;
  }
  return false;
}

bool Matcher::Subtract(const Pattern& p, size_t at, const Sum& sum, Continuation next) {
  const SumOperand& o = p.operands[at];
  auto k = Known(o);
  if (!k || o.free_factor >= 0) return false;
  SymbolicExpr x = Value(o.slot);
  llvm::SmallVector<SymbolicExpr, 8> left;
  for (size_t i = 0; i < sum.terms.size(); ++i) {
    if (!sum.taken[i]) left.push_back(sum.terms[i]);
  }
  auto take = [&](SymbolicExpr term) {
    auto [c, atom] = term.SplitCoefficient();
    auto amount = CheckedMul(*k, c);
    if (!amount) return false;
    for (SymbolicExpr& t : left) {
      if (!t) continue;
      auto [have, other] = t.SplitCoefficient();
      if (!(other == atom)) continue;
      if (*amount > 0 ? have < *amount : have > *amount) return false;
      t = have == *amount ? SymbolicExpr() : context_.Scale(atom, have - *amount);
      return true;
    }
    return false;
  };
  int64_t constant = 0;
  if (x.kind() == ExprKind::kAdd) {
    if (!llvm::all_of(x.ops(), take)) return false;
    constant = x.value();
  } else if (x.IsConstant()) {
    constant = x.value();
  } else if (!take(x)) {
    return false;
  }
  auto amount = CheckedMul(*k, constant);
  auto new_constant = amount ? CheckedSub(sum.constant, *amount) : std::nullopt;
  if (!new_constant) return false;
  llvm::erase_if(left, [](SymbolicExpr t) { return !t; });
  llvm::SmallVector<uint8_t, 32> taken(left.size(), 0);
  return MatchOperand(p, at + 1, Sum{left, taken, *new_constant, false}, next);
}

std::optional<int64_t> Matcher::MovedConstant(int64_t g, const Sum& sum) {
  Interval r = Interval::Point(0);
  for (size_t i = 0; i < sum.terms.size(); ++i) {
    if (sum.taken[i] || Divides(g, CoefficientOf(sum.terms[i]))) continue;
    r = r + ranges_.Of(sum.terms[i]);
  }
  if (!r.IsBounded() || r.IsEmpty() || int128{r.upper} - r.lower >= g) return std::nullopt;
  int128 low = ModUnchecked<int128>(int128{r.lower} + sum.constant, g);
  if (int128{r.upper} - r.lower + low >= g) return std::nullopt;
  // The rest keeps low - r.lower of the constant; what moves is a multiple of g.
  auto kept = Narrow(low - r.lower);
  return kept ? CheckedSub(sum.constant, *kept) : std::nullopt;
}

bool Matcher::Split(const Pattern& p, size_t at, const Sum& sum, Continuation next) {
  const SumOperand& o = p.operands[at];
  if (o.free_factor < 0) {
    auto g = Known(o);
    return g && SplitBy(*g, p, at, sum, next);
  }
  auto attempt = [&](int64_t g) {
    uint32_t saved = bound_;
    Bind(o.free_factor, g);
    return OrUndo(saved, SplitBy(g, p, at, sum, next));
  };
  bool has_rest = at + 1 < p.operands.size();
  if (!has_rest) {
    int64_t g = sum.constant;
    for (SymbolicExpr t : sum.terms) g = Gcd(g, CoefficientOf(t));
    if (!sum.terms.empty() && CoefficientOf(sum.terms[0]) < 0) g = -g;
    return g != 0 && g != 1 && attempt(g);
  }
  llvm::SmallVector<int64_t, 8> magnitudes;
  for (size_t i = 0; i < sum.terms.size(); ++i) {
    int64_t c = CoefficientOf(sum.terms[i]);
    if (!sum.taken[i] && c != kInt64Min && c != 1 && c != -1) magnitudes.push_back(std::abs(c));
  }
  llvm::sort(magnitudes, std::greater<>());
  int64_t g = divisor_ == kInt64Min ? 0 : std::abs(divisor_);
  int64_t last = 1;
  for (int64_t c : magnitudes) {
    g = std::gcd(g, c);
    if (g <= 1) break;
    if (g != last && MovedConstant(g, sum) && attempt(g)) return true;
    last = g;
  }
  return false;
}

bool Matcher::SplitBy(int64_t g, const Pattern& p, size_t at, const Sum& sum, Continuation next) {
  if (g == 0 || g == kInt64Min) return false;
  llvm::SmallVector<SymbolicExpr, 8> multiples;
  llvm::SmallVector<uint8_t, 32> taken(sum.taken.begin(), sum.taken.end());
  for (size_t i = 0; i < sum.terms.size(); ++i) {
    if (taken[i]) continue;
    auto c = CoefficientOf(sum.terms[i]);
    if (!Divides(g, c)) continue;
    taken[i] = 1;
    multiples.push_back(context_.Scale(sum.terms[i].SplitCoefficient().second, c / g));
  }
  if (multiples.empty()) return false;
  Sum rest{sum.terms, taken, 0, sum.in_order};
  bool has_rest = at + 1 < p.operands.size();
  if (!has_rest) {
    if (!Divides(g, sum.constant)) return false;
    multiples.push_back(context_.Constant(sum.constant / g));
  } else {
    int64_t moved = g > 1 ? MovedConstant(g, sum).value_or(0) : 0;
    auto kept = CheckedSub(sum.constant, moved);
    if (!kept) return false;
    rest.constant = *kept;
    if (moved != 0) multiples.push_back(context_.Constant(moved / g));
  }
  uint32_t saved = bound_;
  Bind(p.operands[at].slot, context_.Add(multiples));
  return OrUndo(saved, MatchOperand(p, at + 1, rest, next));
}

SymbolicExpr Matcher::Rest(const Sum& sum) {
  llvm::SmallVector<SymbolicExpr, 8> terms;
  for (size_t i = 0; i < sum.terms.size(); ++i) {
    if (!sum.taken[i]) terms.push_back(sum.terms[i]);
  }
  if (sum.in_order) return context_.PartOfSum(terms, sum.constant);
  terms.push_back(context_.Constant(sum.constant));
  return context_.Add(terms);
}

}  // namespace affirm
