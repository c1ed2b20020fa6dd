// Writes the terms and conditions of a rule as polynomial facts, with a new variable for each
// quotient, choice and greatest common divisor.
#include "verify/rules/system.h"

#include "verify/rules/theorem.h"

namespace affirm::rules {

PolyFact AtLeast(const Poly& a, const Poly& b) { return {a - b, false}; }
PolyFact Equal(const Poly& a, const Poly& b) { return {a - b, true}; }

int System::NewVariable(VarRole role, std::string name) {
  roles.push_back(role);
  names.push_back(std::move(name));
  return static_cast<int>(roles.size()) - 1;
}

void System::ForEachPoly(llvm::function_ref<void(Poly&)> fn) {
  for (PolyFact& f : facts) fn(f.p);
  for (Alternatives& split : splits)
    for (auto& alternative : split)
      for (PolyFact& f : alternative) fn(f.p);
  for (QuotientDef& q : quotients) {
    fn(q.value);
    fn(q.numerator);
    fn(q.divisor);
  }
  for (GcdDef& g : gcds) {
    fn(g.g);
    fn(g.a_cofactor);
    fn(g.b_cofactor);
  }
}

void System::UseEquality(int v, const Poly& by) {
  ForEachPoly([&](Poly& p) {
    if (auto replaced = p.SmallSubstitute(v, by)) p = std::move(*replaced);
  });
}

void System::Negate(int v) {
  const Poly negative = -Poly::Variable(v);
  ForEachPoly([&](Poly& p) { p = p.Substitute(v, negative); });
}

RuleEncoder::RuleEncoder(const Rule& rule) : rule_(rule) {
  for (const Metavariable& metavariable : rule.metavariables)
    system_.NewVariable(metavariable.is_expr ? VarRole::kExpression : VarRole::kConstant,
                        metavariable.name);
}

Poly RuleEncoder::Choose(const std::vector<Poly>& ops, bool least) {
  Poly m = Poly::Variable(
      system_.NewVariable(VarRole::kChoice, "m" + std::to_string(system_.roles.size())));
  Alternatives picks;
  for (const Poly& op : ops) {
    system_.facts.push_back(least ? AtLeast(op, m) : AtLeast(m, op));
    picks.push_back({Equal(m, op)});
  }
  system_.splits.push_back(std::move(picks));
  return m;
}

Poly RuleEncoder::OrUnknown(Poly p) {
  if (!p.IsLarge()) return p;
  return Poly::Variable(
      system_.NewVariable(VarRole::kCofactor, "large" + std::to_string(system_.roles.size())));
}

Poly RuleEncoder::Times(const Poly& a, const Poly& b) {
  if (auto product = a.SmallProduct(b)) return *product;
  return Poly::Variable(
      system_.NewVariable(VarRole::kCofactor, "large" + std::to_string(system_.roles.size())));
}

Poly RuleEncoder::AbsoluteValue(const Poly& p) {
  Poly m = Poly::Variable(
      system_.NewVariable(VarRole::kChoice, "m" + std::to_string(system_.roles.size())));
  system_.splits.push_back(
      {{AtLeast(p, Poly(0)), Equal(m, p)}, {AtLeast(Poly(-1), p), Equal(m, -p)}});
  return m;
}

int RuleEncoder::GcdIndex(const Poly& a, const Poly& b) {
  for (size_t i = 0; i < gcd_of_.size(); ++i)
    if (gcd_of_[i] == std::pair(a, b)) return static_cast<int>(i);
  auto fresh = [&](const char* name, VarRole role = VarRole::kCofactor) {
    return Poly::Variable(system_.NewVariable(role, name));
  };
  Poly u = fresh("u", VarRole::kBezout), v = fresh("v", VarRole::kBezout);
  GcdDef d{fresh("gcd"), fresh("a'"), fresh("b'")};
  system_.facts.push_back(AtLeast(d.g, Poly(0)));
  system_.facts.push_back(Equal(a, d.g * d.a_cofactor));
  system_.facts.push_back(Equal(b, d.g * d.b_cofactor));
  // Bezout's identity says that the cofactors have no common divisor.
  system_.splits.push_back(
      {{AtLeast(d.g, Poly(1)), Equal(u * d.a_cofactor + v * d.b_cofactor, Poly(1))},
       {Equal(d.g, Poly(0)), Equal(a, Poly(0)), Equal(b, Poly(0))}});
  system_.gcds.push_back(d);
  gcd_of_.push_back({a, b});
  return static_cast<int>(gcd_of_.size()) - 1;
}

Poly RuleEncoder::Gcd(const Poly& a, const Poly& b) { return system_.gcds[GcdIndex(a, b)].g; }

Poly RuleEncoder::Divide(TermKind kind, const Poly& a, const Poly& b,
                         std::vector<System>* obligations) {
  bool mod = kind == TermKind::kMod;
  if (auto d = b.AsConstant(); d && (mod ? *d <= 0 : *d == 0)) {
    // Illegal whatever the values: as a hypothesis it is false, as an obligation it fails.
    if (obligations) obligations->push_back(system_);
    system_.facts.push_back(Equal(Poly(1), Poly(0)));
    return Poly(0);
  }
  if (!b.AsConstant()) {
    if (obligations) {
      System negated = system_;
      negated.facts.push_back(mod ? AtLeast(Poly(0), b) : Equal(b, Poly(0)));
      obligations->push_back(std::move(negated));
    }
    if (mod)
      system_.facts.push_back(AtLeast(b, Poly(1)));
    else
      system_.splits.push_back({{AtLeast(b, Poly(1))}, {AtLeast(Poly(-1), b)}});
  }
  bool ceil = kind == TermKind::kCeilDiv;
  auto result = [&](const Poly& q) { return mod ? OrUnknown(a - b * q) : q; };
  for (const QuotientDef& known : system_.quotients)
    if (known.numerator == a && known.divisor == b && known.ceil == ceil)
      return result(known.value);
  Poly q = Poly::Variable(
      system_.NewVariable(VarRole::kQuotient, "q" + std::to_string(system_.roles.size())));
  system_.quotients.push_back({q, a, b, ceil});
  return result(q);
}

Poly RuleEncoder::Encode(const Term& term, std::vector<System>* obligations,
                         CheckedDivisors checked) {
  std::vector<Poly> ops;
  ops.reserve(term.ops.size());
  for (const Term& op : term.ops) ops.push_back(Encode(op, obligations, checked));
  switch (term.kind) {
    case TermKind::kNumber:
      return Poly(term.number);
    case TermKind::kMetavariable:
      return Poly::Variable(term.metavariable);
    case TermKind::kAdd: {
      Poly sum;
      for (const Poly& op : ops) sum = sum + op;
      return OrUnknown(std::move(sum));
    }
    case TermKind::kMul: {
      Poly product(1);
      for (const Poly& op : ops) product = Times(product, op);
      return product;
    }
    case TermKind::kFloorDiv:
    case TermKind::kCeilDiv:
    case TermKind::kMod: {
      bool shown = checked == CheckedDivisors::kAllDivisors || HasExpression(term.ops[1], rule_);
      return Divide(term.kind, ops[0], ops[1], shown ? obligations : nullptr);
    }
    case TermKind::kMin:
    case TermKind::kMax:
      return Choose(ops, term.kind == TermKind::kMin);
    case TermKind::kGcd:
      return Gcd(ops[0], ops[1]);
    case TermKind::kLcm: {
      const GcdDef& d = system_.gcds[GcdIndex(ops[0], ops[1])];
      return AbsoluteValue(Times(Times(d.g, d.a_cofactor), d.b_cofactor));
    }
    case TermKind::kAbs:
      return AbsoluteValue(ops[0]);
    case TermKind::kLower:
    case TermKind::kUpper:
      // An end that the theorem doesn't know.
      return Poly::Variable(system_.NewVariable(VarRole::kConstant, "end"));
  }
  return Poly::Variable(system_.NewVariable(VarRole::kCofactor, "unknown"));
}

void RuleEncoder::Assume(const BoundPattern& fact, std::vector<System>* obligations) {
  Poly e = Encode(fact.expr, obligations, CheckedDivisors::kExpressionDivisors);
  if (!fact.lower_infinite) {
    Poly lower = Encode(fact.lower);
    // A residue is never negative; said at once, a residue of at most 0 is seen to be 0.
    auto number = lower.AsConstant();
    if (fact.expr.kind == TermKind::kMod && number && *number < 0) lower = Poly(0);
    system_.facts.push_back(AtLeast(e, lower));
  }
  if (!fact.upper_infinite) system_.facts.push_back(AtLeast(Encode(fact.upper), e));
}

void RuleEncoder::AssumeNegation(const BoundPattern& fact, std::vector<System>& goals) {
  Poly e = Encode(fact.expr, &goals);
  auto add = [&](const PolyFact& f) {
    System s = system_;
    s.facts.push_back(f);
    goals.push_back(std::move(s));
  };
  if (!fact.lower_infinite) add(AtLeast(Encode(fact.lower, &goals) - Poly(1), e));
  if (!fact.upper_infinite) add(AtLeast(e, Encode(fact.upper, &goals) + Poly(1)));
}

void RuleEncoder::Assume(const Condition& c, std::vector<System>& obligations) {
  if (c.kind == ConditionKind::kLet && !c.defines) return;
  if (c.kind == ConditionKind::kWithin) {
    Assume(BoundPattern{c.lhs, c.lower, c.upper, c.lower_infinite, c.upper_infinite}, &obligations);
    return;
  }
  Poly a = Encode(c.lhs, &obligations, CheckedDivisors::kExpressionDivisors);
  Poly b = Encode(c.rhs, &obligations, CheckedDivisors::kExpressionDivisors);
  if (c.kind == ConditionKind::kDivides) {
    Poly cofactor = Poly::Variable(system_.NewVariable(VarRole::kCofactor, "c'"));
    system_.facts.push_back(Equal(b, a * cofactor));
    if (!a.AsConstant())
      system_.splits.push_back({{AtLeast(a, Poly(1))}, {AtLeast(Poly(-1), a)}});
    else if (*a.AsConstant() == 0)
      system_.facts.push_back(Equal(Poly(1), Poly(0)));
    return;
  }
  CompareOp op = c.kind == ConditionKind::kCompare ? c.op : CompareOp::kEq;
  switch (op) {
    case CompareOp::kEq:
      system_.facts.push_back(Equal(a, b));
      return;
    case CompareOp::kNe:
      system_.splits.push_back({{AtLeast(a, b + Poly(1))}, {AtLeast(b, a + Poly(1))}});
      return;
    case CompareOp::kLt:
      system_.facts.push_back(AtLeast(b, a + Poly(1)));
      return;
    case CompareOp::kLe:
      system_.facts.push_back(AtLeast(b, a));
      return;
    case CompareOp::kGt:
      system_.facts.push_back(AtLeast(a, b + Poly(1)));
      return;
    case CompareOp::kGe:
      system_.facts.push_back(AtLeast(a, b));
      return;
  }
}

}  // namespace affirm::rules
