// The conditions of a rule under bindings, and the terms built from them.
#include <numeric>

#include "core/simplify/match.h"
#include "llvm/ADT/STLExtras.h"

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

std::optional<int64_t> ApplyOperator(TermKind kind, int64_t a, int64_t b) {
  switch (kind) {
    case TermKind::kAdd:
      return CheckedAdd(a, b);
    case TermKind::kMul:
      return CheckedMul(a, b);
    case TermKind::kFloorDiv:
      return CheckedFloorDiv(a, b);
    case TermKind::kCeilDiv:
      return CheckedCeilDiv(a, b);
    case TermKind::kMod:
      return CheckedMod(a, b);
    case TermKind::kMin:
      return std::min(a, b);
    case TermKind::kMax:
      return std::max(a, b);
    case TermKind::kGcd:
      return CheckedGcd(a, b);
    case TermKind::kLcm:
      return CheckedLcm(a, b);
    default:
      return std::nullopt;
  }
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
  return llvm::all_of(compiled_->conditions, [&](const Condition* c) { return Holds(*c); });
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
      if (c.lhs.kind == TermKind::kSlot && c.rhs.kind == TermKind::kNumber && Bound(c.lhs.slot)) {
        return Compare(c.op, constants_[c.lhs.slot],
                       c.rhs.number);  // the usual case, and the first to fail
      }
      auto a = Constant(c.lhs), b = Constant(c.rhs);
      return a && b && Compare(c.op, *a, *b);
    }
  }
  return false;
}

bool Matcher::Let(const Condition& c) {
  auto v = Constant(c.rhs);
  if (!v) return false;
  int slot = c.lhs.slot;
  if (Bound(slot)) return constants_[slot] == *v;
  Bind(slot, *v);
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

std::optional<int64_t> Matcher::Combine(const Term& t) {
  if (t.kind == TermKind::kLower || t.kind == TermKind::kUpper) {
    SymbolicExpr e = Build(t.ops[0]);
    if (!e) return std::nullopt;
    Interval r = ranges_.Of(e);
    if (t.kind == TermKind::kLower) return r.HasLower() ? std::optional(r.lower) : std::nullopt;
    return r.HasUpper() ? std::optional(r.upper) : std::nullopt;
  }
  auto v = Constant(t.ops[0]);
  if (!v) return std::nullopt;
  if (t.kind == TermKind::kAbs) return *v < 0 ? CheckedSub(0, *v) : v;
  for (const Term& op : llvm::drop_begin(t.ops)) {
    auto w = Constant(op);
    if (!w || !(v = ApplyOperator(t.kind, *v, *w))) return std::nullopt;
  }
  return v;
}

bool Matcher::HasExpr(const Term& t) const {
  if (t.kind == TermKind::kSlot) return IsExpr(t.slot);
  return llvm::any_of(t.ops, [&](const Term& op) { return HasExpr(op); });
}

SymbolicExpr Matcher::BuildNode(const Term& t) {
  if (!HasExpr(t)) {
    auto v = Constant(t);
    return v ? context_.Constant(*v) : SymbolicExpr();
  }
  llvm::SmallVector<SymbolicExpr, 4> ops;
  for (const Term& op : t.ops) {
    ops.push_back(Build(op));
    if (!ops.back()) return {};
  }
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

}  // namespace affirm
