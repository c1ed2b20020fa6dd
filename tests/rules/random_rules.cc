// Random rules for tests of the prover: small terms, and conditions that fit them more often than
// not.
#include "tests/rules/random_rules.h"

#include <vector>

#include "core/symbolic/context.h"

namespace affirm {

std::string RandomText::Operand(int depth) {
  // K * core: the core a name, or what can be picked out of a sum.
  std::string core = depth > 0 && choices_.OneIn(3) ? Pattern(depth - 1) : Name();
  switch (choices_.Below(6)) {
    case 0:
      return ConstantName() + " * (" + core + ")";
    case 1:
      return std::to_string(choices_.Between(-3, 5)) + " * (" + core + ")";
    case 2:
      return choices_.Pick<std::string>({"a * b", "a * c", "-1 * a", "-1 * b * c"}) + " * (" +
             core + ")";
    default:
      return core;
  }
}

std::string RandomText::Pattern(int depth) {
  auto operand = [&] { return "(" + (depth > 0 ? Pattern(depth - 1) : Name()) + ")"; };
  auto divisor = [&] {
    return choices_.OneIn(5)   ? operand()
           : choices_.OneIn(3) ? std::to_string(choices_.Between(2, 6))
                               : ConstantName();
  };
  switch (choices_.Below(depth > 0 ? 9 : 3)) {
    case 0:
      return Operand(depth) + " + " + Operand(depth);
    case 1:
      return operand() + choices_.Pick<const char*>({" floordiv ", " mod "}) + divisor();
    case 2:
      return choices_.Pick<std::string>({"min(", "max("}) + operand() + ", " + operand() + ")";
    case 3:
      return Operand(depth) + " + " + Operand(depth) + " + " + ConstantName();
    case 4:
      return Operand(depth) + " + " + Operand(depth) + " + " + Operand(depth);
    case 5:
      return "(" + Operand(depth) + " + " + Operand(depth) + ")" +
             choices_.Pick<const char*>({" floordiv ", " mod ", " ceildiv "}) + divisor();
    case 6:
      return choices_.Pick<std::string>({"min(", "max("}) + operand() + ", " + operand() + ", " +
             operand() + ")";
    case 7:
      return choices_.Pick<std::string>({"min(", "max("}) + Operand(depth) + " + " +
             Operand(depth) + ", " + operand() + ")";
    default:
      return operand() + choices_.Pick<const char*>({" floordiv ", " mod ", " ceildiv "}) +
             divisor();
  }
}

std::string RandomText::Expression(int depth) {
  if (depth == 0) return choices_.OneIn(3) ? ConstantName() : Name();
  std::string a = "(" + Expression(depth - 1) + ")";
  switch (choices_.Below(7)) {
    case 0:
      return a;
    case 1:
      return a + " + " + Expression(depth - 1);
    case 2:
      return Constant(1) + " * " + a;
    case 3:
      return a + choices_.Pick<const char*>({" floordiv ", " mod "}) + ConstantName();
    case 4:
      return "min(" + a + ", " + Expression(depth - 1) + ")";
    case 5:
      return a + " - " + ConstantName();
    default:
      return Name();
  }
}

std::string RandomText::Constant(int depth) {
  if (depth == 0 || choices_.OneIn(2)) {
    return choices_.OneIn(3) ? std::to_string(choices_.Between(-2, 8)) : ConstantName();
  }
  std::string a = Constant(depth - 1), b = Constant(depth - 1);
  return "(" + a + choices_.Pick<const char*>({" + ", " - ", " * ", " floordiv ", " mod "}) + b +
         ")";
}

std::string RandomText::Condition() {
  std::string a = Constant(1), b = Constant(1);
  switch (choices_.Below(12)) {
    case 8:
      return Expression(2) + " is " + Expression(2);
    case 9:
      return "let k = " + a + choices_.Pick<const char*>({"", " + lower(x)", " * upper(y)"}) +
             ", k >= " + b;
    case 0:
      return a + " divides " + b;
    case 1:
      return a + choices_.Pick<const char*>({" == ", " != ", " <= "}) + b;
    case 2:
      return "range(" + Name() + ") within [0, " + a + "]";
    case 3:
      return "range(" + Expression(1) + ") within [" + a + ", inf]";
    case 4:
      return "range(" + Expression(2) + ") within [" + a + ", " + b + "]";
    case 5:
      return "lower(" + Expression(1) + ")" + choices_.Pick<const char*>({" >= ", " > ", " == "}) +
             a;
    case 6:
      return "upper(" + Expression(1) + ")" + choices_.Pick<const char*>({" <= ", " < "}) + a;
    default:
      return ConstantName() + " > " + std::to_string(choices_.Between(-1, 1));
  }
}

std::string RandomText::Conditions(int most) {
  std::string text;
  for (int i = static_cast<int>(choices_.Below(most + 1)); i > 0; --i) text += ", " + Condition();
  return text;
}

namespace {

// Instantiates a pattern: replaces its names by expressions.
class Instance {
 public:
  Instance(const Rule& rule, fuzz::Choices& choices, Context& context)
      : rule_(rule), choices_(choices), context_(context), names_(rule.metavariables.size()) {
    for (size_t i = 0; i < names_.size(); ++i) names_[i] = Fresh(rule.metavariables[i].is_expr);
  }

  // Null where a constant divisor is not legal.
  SymbolicExpr Of(const Term& t) {
    if (t.kind == TermKind::kNumber) return context_.Constant(t.number);
    if (t.kind == TermKind::kMetavariable) {
      if (choices_.OneIn(8)) return Fresh(rule_.metavariables[t.metavariable].is_expr);
      return names_[t.metavariable];
    }
    std::vector<SymbolicExpr> ops;
    for (const Term& op : t.ops) ops.push_back(Of(op));
    for (SymbolicExpr op : ops)
      if (!op) return {};
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

  Interval Bounds(const BoundPattern& p) {
    Interval r = Interval::All();
    int64_t low = choices_.Between(-3, 9);
    if (!p.lower_infinite) r.lower = low;
    if (!p.upper_infinite) r.upper = choices_.OneIn(3) ? low : low + choices_.Between(0, 9);
    return r;
  }

 private:
  SymbolicExpr Fresh(bool is_expr) {
    if (!is_expr) return context_.Constant(choices_.Between(-2, 6));
    SymbolicExpr d0 = context_.Dim(0), d1 = context_.Dim(1), s0 = context_.Range(0);
    SymbolicExpr e = choices_.Pick({d0, d1, s0});
    switch (choices_.Below(8)) {
      case 0:
        return e * choices_.Between(-4, 6);
      case 1:
        return e + choices_.Between(-4, 6);
      case 2:
        return e * choices_.Between(2, 5) + choices_.Pick({d0, d1, s0});
      case 3:
        return e.FloorDiv(choices_.Between(2, 4));
      case 4:
        return e.Mod(choices_.Between(2, 4));
      default:
        return e;
    }
  }

  const Rule& rule_;
  fuzz::Choices& choices_;
  Context& context_;
  std::vector<SymbolicExpr> names_;
};

Interval SmallBounds(fuzz::Choices& choices) {
  int64_t low = choices.OneIn(2) ? 0 : choices.Between(-4, 3);
  return {low, low + choices.Between(0, 4)};
}

// Whether all divisors that are expressions are known not to be zero.
bool IsLegal(const IndexingMap& map) {
  bool legal = true;
  auto look = [&](SymbolicExpr e) {
    bool mod = e.kind() == ExprKind::kMod;
    if (!mod && e.kind() != ExprKind::kFloorDiv && e.kind() != ExprKind::kCeilDiv) return;
    Interval r = map.RangeOf(e.op(1));
    legal &= r.lower > 0 || (!mod && r.upper < 0);
  };
  for (SymbolicExpr e : map.results()) e.Walk(look);
  for (const Constraint& c : map.constraints()) c.expr.Walk(look);
  return legal;
}

}  // namespace

IndexingMap MapLike(const Rule& rule, fuzz::Choices& choices, Context& context) {
  std::vector<Variable> dims = {{SmallBounds(choices), "", {}}, {SmallBounds(choices), "", {}}};
  std::vector<Variable> ranges = {{SmallBounds(choices), "", {}}};
  std::vector<SymbolicExpr> results = {context.Dim(0), context.Dim(1)};
  std::vector<Constraint> constraints;
  Instance instance(rule, choices, context);
  if (!rule.is_constraint_rule) {
    SymbolicExpr e = instance.Of(rule.lhs);
    if (e) results.push_back(e);
  }
  for (const BoundPattern& p : rule.premises) {
    SymbolicExpr e = instance.Of(p.expr);
    if (e) constraints.push_back({e, instance.Bounds(p)});
  }
  if (choices.OneIn(4)) {
    constraints.push_back({context.Dim(0) + context.Range(0), SmallBounds(choices)});
  }
  SymbolicMap map(2, 1, 0, results);
  IndexingMap out(context, map, dims, ranges, {}, constraints);
  return IsLegal(out) ? out : IndexingMap::KnownEmpty(context);
}

}  // namespace affirm
