// Executes matching programs, with backtracking where a step has several alternatives.
#include "core/simplify/match.h"

#include <numeric>
#include <utility>

#include "llvm/ADT/STLExtras.h"

namespace affirm {
namespace {

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

SymbolicExpr Matcher::Apply(const CompiledRule& rule, SymbolicExpr e) {
  rule_ = &rule;
  SymbolicExpr result;
  auto accept = [&] {
    if (!ConditionsHold()) return false;
    result = Build(rule_->rhs);
    return result && !(result == e);
  };
  return Match(rule.programs[0], e, accept) ? result : SymbolicExpr();
}

bool Matcher::MatchFact(const CompiledRule& rule, size_t i, const Constraint& fact,
                        Continuation next) {
  rule_ = &rule;
  const Program& p = rule.programs[i];
  if (!p.Fits(fact)) return false;
  if (p.lower >= 0) constants_[p.lower] = fact.bounds.lower;
  if (p.upper >= 0) constants_[p.upper] = fact.bounds.upper;
  return Match(p, fact.expr, next);
}

bool Matcher::Match(const Program& program, SymbolicExpr e, Continuation accept) {
  Continuation outer = std::exchange(accept_, accept);
  exprs_[program.root] = e;
  bool matched = Run(program.steps.data());
  accept_ = outer;
  return matched;
}

bool Matcher::Run(const Step* step) {
  for (;; ++step) {
    switch (step->op) {
      case Step::Op::kQuotient: {
        SymbolicExpr e = exprs_[step->at];
        if (e.kind() != step->kind) return false;
        exprs_[step->to[0]] = e.op(1);
        exprs_[step->to[1]] = e.op(0);
        continue;
      }
      case Step::Op::kMinMax: {
        SymbolicExpr e = exprs_[step->at];
        return e.kind() == step->kind && e.ops().size() >= step->parts && MinMax(*step, 0, e.ops());
      }
      case Step::Op::kSame:
        if (!(exprs_[step->at] == Value(step->to[0]))) return false;
        continue;
      case Step::Op::kConstant:
        if (!exprs_[step->at].IsConstant()) return false;
        constants_[step->value] = exprs_[step->at].value();
        continue;
      case Step::Op::kSolve:
        if (!Solve(*step)) return false;
        continue;
      case Step::Op::kCheck:
        if (!Holds(rule_->conditions[step->condition])) return false;
        continue;
      case Step::Op::kSum:
        OpenSum(*step);
        continue;
      case Step::Op::kPick:
        return Pick(*step);
      case Step::Op::kSubtract:
        if (!Subtract(*step)) return false;
        continue;
      case Step::Op::kFactor:
        return Factor(*step);
      case Step::Op::kProduct:
        if (!Constant(step->factors, constants_[step->value])) return false;
        continue;
      case Step::Op::kSplit:
        return Split(*step);
      case Step::Op::kSplitNearest:
        return SplitNearest(*step);
      case Step::Op::kTakeConstant:
        return TakeConstant(*step);
      case Step::Op::kRest:
        SetPending(*step);
        continue;
      case Step::Op::kNothingLeft:
        if (!NothingLeft(sums_[step->sum])) return false;
        continue;
      case Step::Op::kMatched:
        return accept_();
    }
  }
}

bool Matcher::MinMax(const Step& step, size_t part, llvm::ArrayRef<SymbolicExpr> ops) {
  if (part + 1 == step.parts) {
    exprs_[step.to[part]] = step.kind == ExprKind::kMin ? context_.Min(ops) : context_.Max(ops);
    return Run(&step + 1);
  }
  for (size_t i = 0; i < ops.size(); ++i) {
    llvm::SmallVector<SymbolicExpr, 8> others(ops.begin(), ops.end());
    others.erase(others.begin() + i);
    exprs_[step.to[part]] = ops[i];
    if (MinMax(step, part + 1, others)) return true;
  }
  return false;
}

bool Matcher::Solve(const Step& step) {
  int64_t known;
  if (!Constant(step.factors, known)) return false;
  int64_t value = constants_[step.value];
  if (step.free < 0) return known == value;
  if (known == 0 || (known == -1 && value == kInt64Min) || value % known != 0) return false;
  constants_[step.free] = value / known;
  return true;
}

// ---------------------------------------------------------------- sums

void Matcher::OpenSum(const Step& step) {
  const SymbolicExpr& e = exprs_[step.at];
  Sum& sum = sums_[step.sum];
  bool single = e.kind() != ExprKind::kAdd && !e.IsConstant();
  sum.terms = single ? llvm::ArrayRef(e) : e.ops();
  sum.constant = single ? 0 : e.value();
  sum.FreeAll();
  sum.own.clear();
  sum.found = sum.shared = false;
}

bool Matcher::NothingLeft(const Sum& sum) {
  return sum.constant == 0 && !llvm::is_contained(sum.use, Sum::kFree);
}

bool Matcher::Pick(const Step& step) {
  Sum& sum = sums_[step.sum];
  SymbolicExpr wanted = step.known ? Build(step.term) : SymbolicExpr();
  if (step.known && !wanted) return false;
  // A coefficient that is known beforehand rules most terms out at once.
  int64_t coefficient = 0;
  if (step.factors_known && !Constant(step.factors, coefficient)) return false;
  for (size_t i = 0; i < sum.terms.size(); ++i) {
    if (!sum.Free(i)) continue;
    SymbolicExpr atom = SingleFactor(sum.terms[i]);
    if (atom.kind() != step.kind || (wanted && !(atom == wanted))) continue;
    int64_t c = atom == sum.terms[i] ? 1 : sum.terms[i].value();
    if (step.factors_known && coefficient != c) continue;
    exprs_[step.to[0]] = atom;
    constants_[step.value] = c;
    sum.use[i] = Sum::kPicked;
    if (Run(&step + 1)) return true;
    sum.use[i] = Sum::kFree;
  }
  return false;
}

bool Matcher::Subtract(const Step& step) {
  const Sum& sum = sums_[step.sum];
  Sum& left = sums_[step.left];
  int64_t k;
  if (!Constant(step.factors, k)) return false;
  SymbolicExpr x = Value(step.to[0]);
  left.own.clear();
  for (size_t i = 0; i < sum.terms.size(); ++i) {
    if (sum.Free(i)) left.own.push_back(sum.terms[i]);
  }
  auto take = [&](SymbolicExpr term) {
    auto [c, atom] = term.SplitCoefficient();
    auto amount = CheckedMul(k, c);
    if (!amount) return false;
    for (SymbolicExpr& t : left.own) {
      if (!t) continue;
      auto [have, other] = t.SplitCoefficient();
      if (!(other == atom)) continue;
      if (*amount > 0 ? have < *amount : have > *amount) return false;
      t = have == *amount ? SymbolicExpr() : context_.Scale(atom, have - *amount);
      return true;
    }
    return false;
  };
  bool is_sum = x.kind() == ExprKind::kAdd || x.IsConstant();
  if (is_sum ? !llvm::all_of(x.ops(), take) : !take(x)) return false;
  auto amount = CheckedMul(k, is_sum ? x.value() : 0);
  auto constant = amount ? CheckedSub(sum.constant, *amount) : std::nullopt;
  if (!constant) return false;
  llvm::erase_if(left.own, [](SymbolicExpr t) { return !t; });
  left.terms = left.own;
  left.constant = *constant;
  left.FreeAll();
  left.found = left.shared = false;
  return true;
}

std::optional<int64_t> Matcher::MovedConstant(int64_t g, const Sum& sum) {
  Interval r = Interval::Point(0);
  for (size_t i = 0; i < sum.terms.size(); ++i) {
    if (!sum.Free(i) || Divides(g, CoefficientOf(sum.terms[i]))) continue;
    r = r + ranges_.Of(sum.terms[i]);
  }
  if (!r.IsBounded() || r.IsEmpty() || int128{r.upper} - r.lower >= g) return std::nullopt;
  int128 low = ModUnchecked<int128>(int128{r.lower} + sum.constant, g);
  if (int128{r.upper} - r.lower + low >= g) return std::nullopt;
  // The rest keeps low - r.lower of the constant; what moves is a multiple of g.
  auto kept = Narrow(low - r.lower);
  return kept ? CheckedSub(sum.constant, *kept) : std::nullopt;
}

bool Matcher::Factor(const Step& step) {
  if (step.last) return FactorOfAll(step);
  Sum& sum = sums_[step.sum];
  llvm::SmallVector<int64_t, 8> magnitudes;
  for (size_t i = 0; i < sum.terms.size(); ++i) {
    int64_t c = CoefficientOf(sum.terms[i]);
    if (sum.Free(i) && c != kInt64Min && c != 1 && c != -1) magnitudes.push_back(std::abs(c));
  }
  llvm::sort(magnitudes, std::greater<>());
  int64_t g = 0;
  if (step.divisor >= 0 && exprs_[step.divisor].IsConstant()) {
    g = Gcd(exprs_[step.divisor].value(), 0);
  }
  int64_t last = 1;
  for (int64_t c : magnitudes) {
    g = std::gcd(g, c);
    if (g <= 1) break;
    if (g == last) continue;
    last = g;
    auto moved = MovedConstant(g, sum);
    if (!moved) continue;
    constants_[step.value] = g;
    sum.factor = g;
    sum.moved = *moved;
    sum.found = true;
    if (Run(&step + 1)) return true;
    sum.found = false;
  }
  return false;
}

// Nothing may be left over: only the greatest factor of all coefficients makes sense.
bool Matcher::FactorOfAll(const Step& step) {
  const Sum& sum = sums_[step.sum];
  int64_t g = sum.constant;
  for (SymbolicExpr t : sum.terms) g = Gcd(g, CoefficientOf(t));
  if (!sum.terms.empty() && CoefficientOf(sum.terms[0]) < 0) g = -g;
  if (g == 0 || g == 1) return false;
  constants_[step.value] = g;
  return Run(&step + 1);
}

bool Matcher::Split(const Step& step) {
  Sum& sum = sums_[step.sum];
  int64_t g = constants_[step.value], constant = sum.constant, moved = constant;
  if (g == 0 || g == kInt64Min) return false;
  if (step.last && !Divides(g, constant)) return false;
  if (sum.found) {
    moved = sum.moved;
  } else if (!step.last) {
    moved = g > 1 ? MovedConstant(g, sum).value_or(0) : 0;
  }
  auto kept = CheckedSub(constant, moved);
  if (!kept) return false;
  bool any = false;
  for (size_t i = 0; i < sum.terms.size(); ++i) {
    if (!sum.Free(i) || !Divides(g, CoefficientOf(sum.terms[i]))) continue;
    sum.use[i] = Sum::kMultiple;
    any = true;
  }
  if (!any) return false;
  sum.constant = *kept;
  sum.factor = g;
  sum.moved = moved;
  SetPending(step);
  if (Run(&step + 1)) return true;
  sum.constant = constant;
  llvm::replace(sum.use, Sum::kMultiple, Sum::kFree);
  return false;
}

bool Matcher::SplitNearest(const Step& step) {
  Sum& sum = sums_[step.sum];
  int64_t g = constants_[step.value];
  bool found = g > 1 && ChooseNearestMultiples(sum.terms, sum.constant, g, ranges_, nearest_);
  if (!found) return Split(step);
  sum.shared = true;
  sum.factor = g;
  SetPending(step);
  // The parts are built after a match, from the sum as it is then.
  if (Run(&step + 1)) return true;
  sum.shared = false;
  return false;
}

bool Matcher::TakeConstant(const Step& step) {
  Sum& sum = sums_[step.sum];
  // A constant beyond int64 is split into several terms; one of them alone is not the summand.
  if (llvm::any_of(sum.terms, [](SymbolicExpr t) { return t.IsConstant(); })) return false;
  int64_t constant = std::exchange(sum.constant, 0);
  constants_[step.value] = constant;
  if (Run(&step + 1)) return true;
  sum.constant = constant;
  return false;
}

SymbolicExpr Matcher::Multiples(const Sum& sum) {
  if (sum.shared) return NearestQuotients(sum);
  llvm::SmallVector<SymbolicExpr, 8> terms;
  for (size_t i = 0; i < sum.terms.size(); ++i) {
    if (sum.use[i] != Sum::kMultiple) continue;
    auto [c, factor] = sum.terms[i].SplitCoefficient();
    terms.push_back(context_.Scale(factor, c / sum.factor));
  }
  return context_.Add(terms, sum.moved / sum.factor);
}

SymbolicExpr Matcher::Rest(const Sum& sum) {
  if (sum.shared) return NearestRest(sum);
  llvm::SmallVector<SymbolicExpr, 8> terms;
  for (size_t i = 0; i < sum.terms.size(); ++i) {
    if (sum.Free(i)) terms.push_back(sum.terms[i]);
  }
  return sum.own.empty() ? context_.PartOfSum(terms, sum.constant)
                         : context_.Add(terms, sum.constant);
}

SymbolicExpr Matcher::NearestQuotients(const Sum& sum) {
  llvm::SmallVector<SymbolicExpr, 8> terms;
  for (auto [term, quotient] : llvm::zip(sum.terms, nearest_.quotients)) {
    if (quotient != 0) terms.push_back(context_.Scale(term.SplitCoefficient().second, quotient));
  }
  return context_.Add(terms, nearest_.constant);
}

SymbolicExpr Matcher::NearestRest(const Sum& sum) {
  llvm::SmallVector<SymbolicExpr, 8> terms;
  for (auto [term, quotient] : llvm::zip(sum.terms, nearest_.quotients)) {
    auto [coefficient, atom] = term.SplitCoefficient();
    const int128 rest = coefficient - int128{quotient} * sum.factor;
    if (rest != 0) terms.push_back(context_.Scale(atom, static_cast<int64_t>(rest)));
  }
  return context_.Add(terms, sum.constant - nearest_.constant * sum.factor);
}

}  // namespace affirm
