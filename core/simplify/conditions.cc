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

// a = a op b
LLVM_ATTRIBUTE_ALWAYS_INLINE bool Fold(TermKind kind, int64_t& a, int64_t b) {
  std::optional<int64_t> v;
  switch (kind) {
    case TermKind::kAdd:
      return !__builtin_add_overflow(a, b, &a);
    case TermKind::kMul:
      return !__builtin_mul_overflow(a, b, &a);
    case TermKind::kFloorDiv:
      v = CheckedFloorDiv(a, b);
      break;
    case TermKind::kCeilDiv:
      v = CheckedCeilDiv(a, b);
      break;
    case TermKind::kMod:
      v = CheckedMod(a, b);
      break;
    case TermKind::kMin:
      v = std::min(a, b);
      break;
    case TermKind::kMax:
      v = std::max(a, b);
      break;
    case TermKind::kGcd:
      v = CheckedGcd(a, b);
      break;
    case TermKind::kLcm:
      v = CheckedLcm(a, b);
      break;
    default:
      break;
  }
  if (v) a = *v;
  return v.has_value();
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
  return llvm::all_of(rule_->conditions,
                      [&](const CompiledCondition& c) { return c.scheduled || Holds(c); });
}

bool Matcher::Holds(const CompiledCondition& c) {
  switch (c.source->kind) {
    case ConditionKind::kWithin:
      return Within(c.bounds);
    case ConditionKind::kLet: {
      auto v = Constant(c.rhs);
      int64_t& name = constants_[c.source->lhs.slot];
      if (v && c.binds) name = *v;
      return v && name == *v;
    }
    case ConditionKind::kIs: {
      SymbolicExpr a = Build(c.lhs), b = Build(c.rhs);
      return a && b && (a == b || a == engine_.Normalize(b));
    }
    case ConditionKind::kDivides: {
      auto a = Constant(c.lhs), b = Constant(c.rhs);
      return a && b && *a != 0 && (*a == -1 || *b % *a == 0);
    }
    case ConditionKind::kCompare: {
      auto a = Constant(c.lhs), b = Constant(c.rhs);
      return a && b && Compare(c.source->op, *a, *b);
    }
  }
  return false;
}

bool Matcher::Within(const CompiledBounds& bounds) {
  SymbolicExpr e = Build(bounds.expr);
  if (!e) return false;
  Interval r = ranges_.Of(e);
  if (!bounds.lower.empty()) {
    auto v = Constant(bounds.lower);
    if (!v || !r.HasLower() || r.lower < *v) return false;
  }
  if (!bounds.upper.empty()) {
    auto v = Constant(bounds.upper);
    if (!v || !r.HasUpper() || r.upper > *v) return false;
  }
  return true;
}

// A step over expressions. `c` and `e` are the free places of the stacks; `top` is the last
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
      *e++ = Value(s.slot);
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
    switch (s.op) {
      case Op::kNumber:
        *c++ = std::exchange(top, s.number);
        break;
      case Op::kName:
        *c++ = std::exchange(top, constants_[s.slot]);
        break;
      case Op::kAbs:
        if (top == kInt64Min) return false;
        top = std::abs(top);
        break;
      case Op::kFold:
      case Op::kFoldNumber:
      case Op::kFoldName: {
        int64_t second = s.op == Op::kFoldName     ? constants_[s.slot]
                         : s.op == Op::kFoldNumber ? s.number
                                                   : std::exchange(top, *--c);
        if (!Fold(s.kind, top, second)) return false;
        break;
      }
      default:
        if constexpr (kExprs) {
          if (!EvaluateExpr(s, top, c, e)) return false;
        } else {
          return Evaluate<true>(code);  // most terms get along without expressions
        }
    }
  }
  constant_ = top;
  return true;
}

std::optional<int64_t> Matcher::EvaluateConstant(const Postfix& code) {
  return Evaluate<false>(code) ? std::optional(constant_) : std::nullopt;
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
  auto lower = p.lower.empty() ? kInt64Min : Constant(p.lower);
  auto upper = p.upper.empty() ? kInt64Max : Constant(p.upper);
  if (!fact.expr || !lower || !upper) return std::nullopt;
  fact.bounds = {*lower, *upper};
  // A computed end at a limit of int64 would turn into infinity.
  if (p.lower.empty() == fact.bounds.HasLower() || p.upper.empty() == fact.bounds.HasUpper()) {
    return std::nullopt;
  }
  return fact;
}

std::vector<Binding> Matcher::bindings() {
  const std::vector<Slot>& slots = rule_->rule->slots;
  std::vector<Binding> out(slots.size());
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].bound = true;
    if (slots[i].is_expr) {
      out[i].expr = Value(i);
    } else {
      out[i].constant = constants_[i];
    }
  }
  return out;
}

}  // namespace affirm
