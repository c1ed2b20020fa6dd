#include "core/simplify/match.h"

#include <numeric>

#include "llvm/ADT/STLExtras.h"

namespace affirm {
namespace {

ExprKind KindOf(TermKind kind) {
  switch (kind) {
    case TermKind::kFloorDiv:
      return ExprKind::kFloorDiv;
    case TermKind::kCeilDiv:
      return ExprKind::kCeilDiv;
    case TermKind::kMod:
      return ExprKind::kMod;
    case TermKind::kMin:
      return ExprKind::kMin;
    case TermKind::kMax:
      return ExprKind::kMax;
    default:
      return ExprKind::kAdd;
  }
}

bool IsStructural(const Term& t) { return KindOf(t.kind) != ExprKind::kAdd; }

// gcd of |a| and |b|; 0 when the least int64 is involved.
int64_t Gcd(int64_t a, int64_t b) {
  if (a == kInt64Min || b == kInt64Min) return 0;
  return std::gcd(a, b);
}

std::optional<int64_t> CheckedLcm(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  int64_t g = Gcd(a, b);
  if (g == 0) return std::nullopt;
  return CheckedMul(std::abs(a) / g, std::abs(b));
}

}  // namespace

// ---------------------------------------------------------------- the rule as a whole

SymbolicExpr Matcher::Apply(SymbolicExpr e) {
  SymbolicExpr result;
  Match(rule_.lhs, e, [&] {
    if (!ConditionsHold()) return false;
    result = Build(rule_.rhs);
    if (result == e) result = {};
    return static_cast<bool>(result);
  });
  return result;
}

bool Matcher::MatchFact(const BoundPattern& p, const Constraint& fact, Continuation next) {
  if (p.lower_infinite != !fact.bounds.HasLower() || p.upper_infinite != !fact.bounds.HasUpper()) {
    return false;
  }
  auto upper = [&] {
    return p.upper_infinite ? next() : MatchConstant(p.upper, fact.bounds.upper, next);
  };
  return Match(p.expr, fact.expr, [&] {
    return p.lower_infinite ? upper() : MatchConstant(p.lower, fact.bounds.lower, upper);
  });
}

std::optional<Constraint> Matcher::BuildFact(const BoundPattern& p) {
  Constraint fact{Build(p.expr), Interval::All()};
  if (!fact.expr) return std::nullopt;
  if (!p.lower_infinite) {
    auto v = Constant(p.lower);
    if (!v) return std::nullopt;
    fact.bounds.lower = *v;
  }
  if (!p.upper_infinite) {
    auto v = Constant(p.upper);
    if (!v) return std::nullopt;
    fact.bounds.upper = *v;
  }
  return fact;
}

// ---------------------------------------------------------------- conditions

bool Matcher::ConditionsHold() {
  // Constants found by `let` are taken back when a later condition fails.
  llvm::SmallVector<int, 4> lets;
  bool ok = llvm::all_of(rule_.when, [&](const Condition& c) {
    if (c.kind != ConditionKind::kLet) return Holds(c);
    bool fresh = !bindings_[c.lhs.slot].bound;
    if (!Let(c)) return false;
    if (fresh) lets.push_back(c.lhs.slot);
    return true;
  });
  if (!ok) {
    for (int slot : lets) bindings_[slot].bound = false;
  }
  return ok;
}

bool Matcher::Let(const Condition& c) {
  auto v = Constant(c.rhs);
  if (!v) return false;
  Binding& b = bindings_[c.lhs.slot];
  if (b.bound) return b.constant == *v;
  b = {{}, *v, true};
  return true;
}

bool Matcher::Within(const Condition& c) {
  SymbolicExpr e = Build(c.lhs);
  if (!e) return false;
  Interval r = ranges_.Of(e);
  if (!c.lower_infinite) {
    auto v = Constant(c.lower);
    if (!v || !r.HasLower() || r.lower < *v) return false;
  }
  if (!c.upper_infinite) {
    auto v = Constant(c.upper);
    if (!v || !r.HasUpper() || r.upper > *v) return false;
  }
  return true;
}

bool Matcher::Holds(const Condition& c) {
  switch (c.kind) {
    case ConditionKind::kWithin:
      return Within(c);
    case ConditionKind::kLet:
      return Let(c);
    case ConditionKind::kIs: {
      SymbolicExpr a = Build(c.lhs), b = Build(c.rhs);
      return a && b && (a == b || a == normalize_(b));
    }
    case ConditionKind::kDivides: {
      auto a = Constant(c.lhs), b = Constant(c.rhs);
      return a && b && *a != 0 && (*a == -1 || *b % *a == 0);
    }
    case ConditionKind::kCompare: {
      auto a = Constant(c.lhs), b = Constant(c.rhs);
      if (!a || !b) return false;
      switch (c.op) {
        case CompareOp::kEq:
          return *a == *b;
        case CompareOp::kNe:
          return *a != *b;
        case CompareOp::kLt:
          return *a < *b;
        case CompareOp::kLe:
          return *a <= *b;
        case CompareOp::kGt:
          return *a > *b;
        case CompareOp::kGe:
          return *a >= *b;
      }
    }
  }
  return false;
}

// ---------------------------------------------------------------- building

std::optional<int64_t> Matcher::Constant(const Term& t) {
  switch (t.kind) {
    case TermKind::kNumber:
      return t.number;
    case TermKind::kSlot:
      if (rule_.slots[t.slot].is_expr || !bindings_[t.slot].bound) return std::nullopt;
      return bindings_[t.slot].constant;
    case TermKind::kLower:
    case TermKind::kUpper: {
      SymbolicExpr e = Build(t.ops[0]);
      if (!e) return std::nullopt;
      Interval r = ranges_.Of(e);
      if (t.kind == TermKind::kLower) return r.HasLower() ? std::optional(r.lower) : std::nullopt;
      return r.HasUpper() ? std::optional(r.upper) : std::nullopt;
    }
    default:
      break;
  }
  std::optional<int64_t> v;
  for (size_t i = 0; i < t.ops.size(); ++i) {
    auto w = Constant(t.ops[i]);
    if (!w) return std::nullopt;
    if (i == 0) {
      v = t.kind == TermKind::kAbs ? (*w < 0 ? CheckedSub(0, *w) : w) : w;
      continue;
    }
    switch (t.kind) {
      case TermKind::kAdd:
        v = CheckedAdd(*v, *w);
        break;
      case TermKind::kMul:
        v = CheckedMul(*v, *w);
        break;
      case TermKind::kFloorDiv:
        v = CheckedFloorDiv(*v, *w);
        break;
      case TermKind::kCeilDiv:
        v = CheckedCeilDiv(*v, *w);
        break;
      case TermKind::kMod:
        v = CheckedMod(*v, *w);
        break;
      case TermKind::kMin:
        v = std::min(*v, *w);
        break;
      case TermKind::kMax:
        v = std::max(*v, *w);
        break;
      case TermKind::kGcd:
        v = Gcd(*v, *w);
        break;
      case TermKind::kLcm:
        v = CheckedLcm(*v, *w);
        break;
      default:
        return std::nullopt;
    }
    if (!v) return std::nullopt;
  }
  return v;
}

bool Matcher::HasExprSlot(const Term& t, const Rule& rule) {
  if (t.kind == TermKind::kSlot) return rule.slots[t.slot].is_expr;
  return llvm::any_of(t.ops, [&](const Term& op) { return HasExprSlot(op, rule); });
}

SymbolicExpr Matcher::Build(const Term& t) {
  if (t.kind == TermKind::kSlot && rule_.slots[t.slot].is_expr) {
    return bindings_[t.slot].bound ? bindings_[t.slot].expr : SymbolicExpr();
  }
  if (!HasExprSlot(t, rule_)) {
    auto v = Constant(t);
    return v ? context_.Constant(*v) : SymbolicExpr();
  }
  llvm::SmallVector<SymbolicExpr, 4> ops;
  for (const Term& op : t.ops) ops.push_back(Build(op));
  switch (t.kind) {
    case TermKind::kAdd:
      return context_.Add(ops);
    case TermKind::kMul:
      return context_.Mul(ops);
    case TermKind::kFloorDiv:
      return context_.FloorDiv(ops[0], ops[1]);
    case TermKind::kCeilDiv:
      return context_.CeilDiv(ops[0], ops[1]);
    case TermKind::kMod:
      return context_.Mod(ops[0], ops[1]);
    case TermKind::kMin:
      return context_.Min(ops);
    case TermKind::kMax:
      return context_.Max(ops);
    default:
      return {};
  }
}

bool Matcher::BindExpr(int slot, SymbolicExpr e, Continuation next) {
  Binding& b = bindings_[slot];
  if (b.bound) return b.expr == e && next();
  b = {e, 0, true};
  if (next()) return true;
  bindings_[slot].bound = false;
  return false;
}

bool Matcher::BindConstant(int slot, int64_t v, Continuation next) {
  Binding& b = bindings_[slot];
  if (b.bound) return b.constant == v && next();
  b = {{}, v, true};
  if (next()) return true;
  bindings_[slot].bound = false;
  return false;
}

// ---------------------------------------------------------------- patterns

bool Matcher::MatchConstant(const Term& pattern, int64_t value, Continuation next) {
  if (pattern.kind == TermKind::kSlot) return BindConstant(pattern.slot, value, next);
  auto v = Constant(pattern);
  return v && *v == value && next();
}

bool Matcher::Match(const Term& pattern, SymbolicExpr e, Continuation next) {
  switch (pattern.kind) {
    case TermKind::kSlot:
      if (rule_.slots[pattern.slot].is_expr) return BindExpr(pattern.slot, e, next);
      return e.IsConstant() && BindConstant(pattern.slot, e.value(), next);
    case TermKind::kNumber:
      return e.IsConstant(pattern.number) && next();
    case TermKind::kFloorDiv:
    case TermKind::kCeilDiv:
    case TermKind::kMod:
      return e.kind() == KindOf(pattern.kind) && MatchBinary(pattern, e, next);
    case TermKind::kMin:
    case TermKind::kMax:
      return e.kind() == KindOf(pattern.kind) && e.ops().size() >= pattern.ops.size() &&
             MatchLattice(pattern, e.ops(), 0, e.kind(), next);
    case TermKind::kAdd: {
      Operands operands;
      for (const Term& op : pattern.ops) operands.push_back(Decompose(op));
      return MatchSum(operands, ToLinear(e), next);
    }
    case TermKind::kMul: {
      if (!HasExprSlot(pattern, rule_))
        return e.IsConstant() && MatchConstant(pattern, e.value(), next);
      return MatchSum({Decompose(pattern)}, ToLinear(e), next);
    }
    default:
      return false;
  }
}

// The divisor first: what it binds steers the numerator.
bool Matcher::MatchBinary(const Term& pattern, SymbolicExpr e, Continuation next) {
  int64_t outer = divisor_;
  bool matched = Match(pattern.ops[1], e.op(1), [&] {
    divisor_ = e.op(1).IsConstant() ? e.op(1).value() : 0;
    return Match(pattern.ops[0], e.op(0), next);
  });
  divisor_ = outer;
  return matched;
}

// Each pattern but the last takes one operand; the last takes the rest.
bool Matcher::MatchLattice(const Term& pattern, llvm::ArrayRef<SymbolicExpr> ops, size_t at,
                           ExprKind kind, Continuation next) {
  if (at + 1 == pattern.ops.size()) {
    SymbolicExpr rest = kind == ExprKind::kMin ? context_.Min(ops) : context_.Max(ops);
    return Match(pattern.ops[at], rest, next);
  }
  for (size_t i = 0; i < ops.size(); ++i) {
    llvm::SmallVector<SymbolicExpr, 8> others(ops.begin(), ops.end());
    others.erase(others.begin() + i);
    bool matched = Match(pattern.ops[at], ops[i],
                         [&] { return MatchLattice(pattern, others, at + 1, kind, next); });
    if (matched) return true;
  }
  return false;
}

Matcher::Operand Matcher::Decompose(const Term& pattern) {
  Operand out;
  if (pattern.kind != TermKind::kMul) {
    out.core = &pattern;
    return out;
  }
  for (const Term& op : pattern.ops) out.factors.push_back(&op);
  // The last factor carries the expression by the language's convention.
  out.core = out.factors.pop_back_val();
  return out;
}

Matcher::Linear Matcher::ToLinear(SymbolicExpr e) {
  Linear out;
  auto add = [&](SymbolicExpr term) {
    auto [c, atom] = term.SplitCoefficient();
    out.terms.push_back({atom, c});
  };
  if (e.IsConstant()) {
    out.constant = e.value();
  } else if (e.kind() == ExprKind::kAdd) {
    out.constant = e.value();
    for (SymbolicExpr op : e.ops()) add(op);
  } else {
    add(e);
  }
  return out;
}

SymbolicExpr Matcher::FromLinear(const Linear& sum) {
  llvm::SmallVector<SymbolicExpr, 8> ops;
  for (auto [atom, c] : sum.terms) ops.push_back(context_.Scale(atom, c));
  ops.push_back(context_.Constant(sum.constant));
  return context_.Add(ops);
}

// Solves factors = value, where at most one factor is a constant name without a value.
bool Matcher::MatchProduct(llvm::ArrayRef<const Term*> factors, int64_t value, Continuation next) {
  int unknown = -1;
  int64_t known = 1;
  for (const Term* f : factors) {
    if (f->kind == TermKind::kSlot && !rule_.slots[f->slot].is_expr && !bindings_[f->slot].bound) {
      if (unknown >= 0) return false;
      unknown = f->slot;
      continue;
    }
    auto v = Constant(*f);
    auto product = v ? CheckedMul(known, *v) : std::nullopt;
    if (!product) return false;
    known = *product;
  }
  if (unknown < 0) return known == value && next();
  if (known == 0 || (known == -1 && value == kInt64Min)) return false;
  return value % known == 0 && BindConstant(unknown, value / known, next);
}

bool Matcher::MatchSum(Operands operands, const Linear& sum, Continuation next) {
  if (operands.empty()) return sum.terms.empty() && sum.constant == 0 && next();
  auto take = [&](auto pred) -> std::optional<Operand> {
    auto it = llvm::find_if(operands, pred);
    if (it == operands.end()) return std::nullopt;
    Operand found = *it;
    operands.erase(it);
    return found;
  };
  auto is_expr = [&](const Operand& o) {
    return o.core->kind == TermKind::kSlot && rule_.slots[o.core->slot].is_expr;
  };
  if (auto o = take([&](const Operand& o) { return IsStructural(*o.core); })) {
    return PickTerm(*o, operands, sum, next);
  }
  if (auto o =
          take([&](const Operand& o) { return is_expr(o) && bindings_[o.core->slot].bound; })) {
    return Subtract(*o, operands, sum, next);
  }
  if (auto o = take([&](const Operand& o) { return is_expr(o) && !o.factors.empty(); })) {
    return Split(*o, operands, sum, next);
  }
  if (auto o = take([&](const Operand& o) { return !is_expr(o); })) {
    Linear rest = sum;
    rest.constant = 0;
    llvm::SmallVector<const Term*, 3> factors = o->factors;
    factors.push_back(o->core);
    return MatchProduct(factors, sum.constant, [&] { return MatchSum(operands, rest, next); });
  }
  // One free name for everything that is left.
  if (operands.size() != 1) return false;
  return BindExpr(operands[0].core->slot, FromLinear(sum), next);
}

bool Matcher::PickTerm(const Operand& o, const Operands& others, const Linear& sum,
                       Continuation next) {
  ExprKind kind = KindOf(o.core->kind);
  for (size_t i = 0; i < sum.terms.size(); ++i) {
    auto [atom, c] = sum.terms[i];
    if (atom.kind() != kind) continue;
    Linear rest = sum;
    rest.terms.erase(rest.terms.begin() + i);
    int64_t coefficient = c;
    bool matched = Match(*o.core, atom, [&] {
      return MatchProduct(o.factors, coefficient, [&] { return MatchSum(others, rest, next); });
    });
    if (matched) return true;
  }
  return false;
}

// Takes k * x out, provided that this brings every coefficient concerned closer to zero.
bool Matcher::Subtract(const Operand& o, const Operands& others, const Linear& sum,
                       Continuation next) {
  int64_t k = 1;
  for (const Term* f : o.factors) {
    auto v = Constant(*f);
    auto product = v ? CheckedMul(k, *v) : std::nullopt;
    if (!product) return false;
    k = *product;
  }
  Linear rest = sum;
  Linear x = ToLinear(bindings_[o.core->slot].expr);
  for (auto [atom, c] : x.terms) {
    auto amount = CheckedMul(k, c);
    auto it = llvm::find_if(rest.terms, [a = atom](const auto& t) { return t.first == a; });
    if (!amount || it == rest.terms.end()) return false;
    bool smaller = *amount > 0 ? it->second >= *amount : it->second <= *amount;
    if (!smaller) return false;
    it->second -= *amount;
    if (it->second == 0) rest.terms.erase(it);
  }
  auto constant = CheckedMul(k, x.constant);
  constant = constant ? CheckedSub(rest.constant, *constant) : std::nullopt;
  if (!constant) return false;
  rest.constant = *constant;
  return MatchSum(others, rest, next);
}

llvm::SmallVector<int64_t, 8> Matcher::SplitCandidates(const Linear& sum, bool has_rest) const {
  llvm::SmallVector<int64_t, 8> out;
  if (!has_rest) {
    int64_t g = sum.constant;
    for (auto& t : sum.terms) g = Gcd(g, t.second);
    if (!sum.terms.empty() && sum.terms[0].second < 0) g = -g;
    if (g != 0 && g != 1) out.push_back(g);
    return out;
  }
  llvm::SmallVector<int64_t, 8> magnitudes;
  for (auto& t : sum.terms) {
    if (t.second != kInt64Min) magnitudes.push_back(std::abs(t.second));
  }
  llvm::sort(magnitudes, std::greater<>());
  int64_t g = divisor_ == kInt64Min ? 0 : std::abs(divisor_);
  for (int64_t c : magnitudes) {
    g = std::gcd(g, c);
    if (g > 1 && (out.empty() || out.back() != g)) out.push_back(g);
  }
  return out;
}

bool Matcher::Split(const Operand& o, const Operands& others, const Linear& sum,
                    Continuation next) {
  bool free_factor = o.factors.size() == 1 && o.factors[0]->kind == TermKind::kSlot &&
                     !bindings_[o.factors[0]->slot].bound;
  if (free_factor) {
    int slot = o.factors[0]->slot;
    for (int64_t g : SplitCandidates(sum, !others.empty())) {
      if (BindConstant(slot, g, [&] { return SplitBy(g, o, others, sum, next); })) return true;
    }
    return false;
  }
  int64_t g = 1;
  for (const Term* f : o.factors) {
    auto v = Constant(*f);
    auto product = v ? CheckedMul(g, *v) : std::nullopt;
    if (!product) return false;
    g = *product;
  }
  return SplitBy(g, o, others, sum, next);
}

bool Matcher::SplitBy(int64_t g, const Operand& o, const Operands& others, const Linear& sum,
                      Continuation next) {
  if (g == 0 || g == -1 || g == kInt64Min) {
    if (g != -1 || !others.empty()) return false;
  }
  Linear multiples, rest;
  for (auto [atom, c] : sum.terms) {
    bool whole = g == -1 ? c != kInt64Min : c % g == 0;
    (whole ? multiples : rest).terms.push_back({atom, whole ? c / g : c});
  }
  if (multiples.terms.empty()) return false;
  if (others.empty()) {
    if (!rest.terms.empty() || sum.constant == kInt64Min || sum.constant % g != 0) return false;
    multiples.constant = sum.constant / g;
  } else {
    rest.constant = sum.constant;
    if (g > 0) {
      // Where the rest would lie if the constant were shared out by range.
      Linear bare{rest.terms, 0};
      Interval r = ranges_.Of(FromLinear(bare));
      if (r.IsBounded() && !r.IsEmpty() && int128{r.upper} - r.lower < g) {
        int64_t low = ModUnchecked(
            static_cast<int64_t>(ModUnchecked<int128>(int128{r.lower} + sum.constant, g)), g);
        if (int128{r.upper} - r.lower + low < g) {
          auto constant = Narrow(int128{low} - r.lower);
          auto moved = constant ? CheckedSub(sum.constant, *constant) : std::nullopt;
          if (moved) {
            rest.constant = *constant;
            multiples.constant = *moved / g;
          }
        }
      }
    }
  }
  return BindExpr(o.core->slot, FromLinear(multiples),
                  [&] { return MatchSum(others, rest, next); });
}

}  // namespace affirm
