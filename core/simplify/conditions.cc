// The conditions of a rule under bindings, and what is built from them.
#include <numeric>
#include <utility>

#include "core/simplify/expr_engine.h"
#include "core/simplify/match.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Compiler.h"

namespace affirm {
namespace {

std::optional<int64_t> CheckedGcd(int64_t a, int64_t b) {
  if (a == kInt64Min || b == kInt64Min) return std::nullopt;
  return std::gcd(a, b);
}

std::optional<int64_t> CheckedLcm(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  auto g = CheckedGcd(a, b);
  if (!g) return std::nullopt;
  return CheckedMul(std::abs(a) / *g, std::abs(b));
}

// Puts the value of a computation that may fail into `a`.
LLVM_ATTRIBUTE_ALWAYS_INLINE bool Set(int64_t& a, std::optional<int64_t> value) {
  if (value) a = *value;
  return value.has_value();
}

bool Compare(CompareOp op, int64_t a, int64_t b) {
  switch (op) {
    case CompareOp::kEq:
      return a == b;
    case CompareOp::kNe:
      return a != b;
    case CompareOp::kLt:
      return a < b;
    case CompareOp::kLe:
      return a <= b;
    case CompareOp::kGt:
      return a > b;
    case CompareOp::kGe:
      return a >= b;
  }
  return false;
}

}  // namespace

bool Matcher::ConditionsHold() {
  for (const CompiledCondition& c : rule_->conditions) {
    if (!c.scheduled && !Holds(c)) return false;
  }
  return true;
}

bool Matcher::Holds(const CompiledCondition& c) {
  int64_t a, b;
  switch (c.source->kind) {
    case ConditionKind::kCompare:
      return Constant(c.lhs, a) && Constant(c.rhs, b) && Compare(c.source->op, a, b);
    case ConditionKind::kDivides:
      return Constant(c.lhs, a) && Constant(c.rhs, b) && a != 0 && (a == -1 || b % a == 0);
    case ConditionKind::kLet: {
      if (!Constant(c.rhs, a)) return false;
      int64_t& name = constants_[c.source->lhs.metavariable];
      if (c.binds) name = a;
      return name == a;
    }
    case ConditionKind::kWithin:
      return Within(c.bounds);
    case ConditionKind::kIs: {
      SymbolicExpr x = Build(c.lhs), y = Build(c.rhs);
      return x && y && (x == y || x == engine_.Normalize(y));
    }
  }
  return false;
}

bool Matcher::Within(const CompiledBounds& bounds) {
  SymbolicExpr e = Build(bounds.expr);
  if (!e) return false;
  Interval r = ranges_.Of(e);
  int64_t v;
  if (!bounds.lower.empty()) {
    if (!r.HasLower() || !Constant(bounds.lower, v) || r.lower < v) return false;
  }
  if (!bounds.upper.empty()) {
    if (!r.HasUpper() || !Constant(bounds.upper, v) || r.upper > v) return false;
  }
  return true;
}

// A step over expressions. `c` and `e` point behind the tops of the stacks; `top` is the last
// constant.
LLVM_ATTRIBUTE_ALWAYS_INLINE bool Matcher::EvaluateExpr(const PostfixStep& s, int64_t& top,
                                                        int64_t*& c, SymbolicExpr*& e) {
  using Op = PostfixStep::Op;
  switch (s.op) {
    case Op::kLower:
    case Op::kUpper: {
      Interval r = ranges_.Of(*--e);
      bool lower = s.op == Op::kLower;
      if (lower ? !r.HasLower() : !r.HasUpper()) return false;
      *c++ = std::exchange(top, lower ? r.lower : r.upper);
      return true;
    }
    case Op::kExpr:
      *e++ = Value(s.metavariable);
      return true;
    case Op::kLift:
      *e++ = context_.Constant(std::exchange(top, *--c));
      return true;
    case Op::kScale:
      e[-1] = context_.Scale(e[-1], std::exchange(top, *--c));
      return true;
    default:
      e -= s.count;
      *e = BuildNode(s.kind, {e, s.count});
      return static_cast<bool>(*e++);
  }
}

template <bool kExprs>
bool Matcher::Evaluate(const Postfix& code) {
  using Op = PostfixStep::Op;
  int64_t top = 0;
  int64_t* c = constant_stack_;
  [[maybe_unused]] SymbolicExpr* e = expr_stack_;
  for (const PostfixStep& s : code) {
    int64_t second = s.metavariable >= 0 ? constants_[s.metavariable] : s.number;
    if (s.from_stack) second = std::exchange(top, *--c);
    bool ok = true;
    switch (s.op) {
      case Op::kPush:
        *c++ = std::exchange(top, second);
        break;
      case Op::kAbs:
        ok = top != kInt64Min;
        if (ok) top = std::abs(top);
        break;
      case Op::kAdd:
        ok = !__builtin_add_overflow(top, second, &top);
        break;
      case Op::kSubtract:
        ok = second != kInt64Min && !__builtin_sub_overflow(top, second, &top);
        break;
      case Op::kMul:
        ok = !__builtin_mul_overflow(top, second, &top);
        break;
      case Op::kFloorDiv:
        ok = Set(top, CheckedFloorDiv(top, second));
        break;
      case Op::kCeilDiv:
        ok = Set(top, CheckedCeilDiv(top, second));
        break;
      case Op::kMod:
        ok = Set(top, CheckedMod(top, second));
        break;
      case Op::kMin:
        top = std::min(top, second);
        break;
      case Op::kMax:
        top = std::max(top, second);
        break;
      case Op::kGcd:
        ok = Set(top, CheckedGcd(top, second));
        break;
      case Op::kLcm:
        ok = Set(top, CheckedLcm(top, second));
        break;
      default:
        if constexpr (kExprs) {
          ok = EvaluateExpr(s, top, c, e);
        } else {
          return Evaluate<true>(code);  // most terms get along without expressions
        }
    }
    if (!ok) return false;
  }
  constant_ = top;
  return true;
}

bool Matcher::EvaluateConstant(const Postfix& code, int64_t& value) {
  if (!Evaluate<false>(code)) return false;
  value = constant_;
  return true;
}

SymbolicExpr Matcher::EvaluateExpr(const Postfix& code) {
  return Evaluate<true>(code) ? expr_stack_[0] : SymbolicExpr();
}

SymbolicExpr Matcher::BuildNode(TermKind kind, llvm::ArrayRef<SymbolicExpr> ops) {
  switch (kind) {
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

std::optional<Constraint> Matcher::BuildFact(const CompiledBounds& p) {
  Constraint fact{Build(p.expr), Interval::All()};
  if (!fact.expr || (!p.lower.empty() && !Constant(p.lower, fact.bounds.lower)) ||
      (!p.upper.empty() && !Constant(p.upper, fact.bounds.upper))) {
    return std::nullopt;
  }
  // A computed end at a limit of int64 would turn into infinity.
  if (p.lower.empty() == fact.bounds.HasLower() || p.upper.empty() == fact.bounds.HasUpper()) {
    return std::nullopt;
  }
  return fact;
}

std::vector<RangeEnd> Matcher::range_ends() {
  std::vector<RangeEnd> out;
  for (const CompiledRangeEnd& end : rule_->range_ends) {
    SymbolicExpr e = Build(end.expr);
    Interval r = ranges_.Of(e);
    out.push_back({e, end.lower, end.lower ? r.lower : r.upper});
  }
  return out;
}

std::vector<Binding> Matcher::bindings() {
  const std::vector<Metavariable>& metavariables = rule_->rule->metavariables;
  std::vector<Binding> out(metavariables.size());
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].bound = true;
    if (metavariables[i].is_expr) {
      out[i].expr = Value(i);
    } else {
      out[i].constant = constants_[i];
    }
  }
  return out;
}

}  // namespace affirm
