// Evaluation of the terms and conditions of rules in 128 bits; an overflow is a result of its own.
#include "verify/rules/evaluate.h"

#include <algorithm>

namespace affirm::rules {
namespace {

constexpr int128 kMin128 = int128{1} << 127;

int128 Gcd(int128 a, int128 b) {
  a = a < 0 ? -a : a;
  b = b < 0 ? -b : b;
  while (b != 0) std::swap(a %= b, b);
  return a;
}

TermValue Undefined() { return {TermValue::kUndefined}; }
TermValue TooLarge() { return {TermValue::kTooLarge}; }

TermValue Multiply(int128 a, int128 b) {
  int128 r;
  if (__builtin_mul_overflow(a, b, &r) || r == kMin128) return TooLarge();
  return {TermValue::kDefined, r};
}

// No operand is the least 128-bit number, so negation and division can't overflow.
TermValue Apply(TermKind kind, int128 a, int128 b) {
  int128 r = 0;
  switch (kind) {
    case TermKind::kAdd:
      if (__builtin_add_overflow(a, b, &r) || r == kMin128) return TooLarge();
      return {TermValue::kDefined, r};
    case TermKind::kMul:
      return Multiply(a, b);
    case TermKind::kFloorDiv:
      if (b == 0) return Undefined();
      return {TermValue::kDefined, FloorDivUnchecked(a, b)};
    case TermKind::kCeilDiv:
      if (b == 0) return Undefined();
      return {TermValue::kDefined, CeilDivUnchecked(a, b)};
    case TermKind::kMod:
      if (b <= 0) return Undefined();
      return {TermValue::kDefined, ModUnchecked(a, b)};
    case TermKind::kMin:
      return {TermValue::kDefined, std::min(a, b)};
    case TermKind::kMax:
      return {TermValue::kDefined, std::max(a, b)};
    case TermKind::kGcd:
      return {TermValue::kDefined, Gcd(a, b)};
    case TermKind::kLcm: {
      int128 g = Gcd(a, b);
      if (g == 0) return {TermValue::kDefined, 0};
      TermValue v = Multiply(a / g, b);
      v.value = v.value < 0 ? -v.value : v.value;
      return v;
    }
    default:
      return Undefined();
  }
}

}  // namespace

bool Mentions(const Term& term, int metavariable) {
  if (term.kind == TermKind::kMetavariable) return term.metavariable == metavariable;
  return std::any_of(term.ops.begin(), term.ops.end(),
                     [&](const Term& op) { return Mentions(op, metavariable); });
}

TermValue Evaluate(const Term& term, llvm::ArrayRef<int128> values) {
  if (term.kind == TermKind::kNumber) return {TermValue::kDefined, term.number};
  if (term.kind == TermKind::kMetavariable) {
    if (term.metavariable < 0 || static_cast<size_t>(term.metavariable) >= values.size())
      return Undefined();
    int128 v = values[term.metavariable];
    return v == kMin128 ? TooLarge() : TermValue{TermValue::kDefined, v};
  }
  if (term.ops.empty()) return Undefined();
  TermValue sum = Evaluate(term.ops[0], values);
  if (term.kind == TermKind::kAbs && sum.ok() && sum.value < 0) sum.value = -sum.value;
  if (term.kind == TermKind::kLower || term.kind == TermKind::kUpper) return Undefined();
  for (size_t i = 1; i < term.ops.size(); ++i) {
    TermValue next = Evaluate(term.ops[i], values);
    // Undefined wins: a value that is too large might still have been fine.
    if (sum.state == TermValue::kUndefined || next.state == TermValue::kUndefined)
      sum = Undefined();
    else if (!sum.ok() || !next.ok())
      sum = TooLarge();
    else
      sum = Apply(term.kind, sum.value, next.value);
  }
  return sum;
}

std::optional<bool> Holds(const Condition& condition, llvm::ArrayRef<int128> values) {
  if (condition.kind == ConditionKind::kLet && !condition.defines) return true;
  if (condition.kind == ConditionKind::kWithin)
    return Holds(BoundPattern{condition.lhs, condition.lower, condition.upper,
                              condition.lower_infinite, condition.upper_infinite},
                 values);
  TermValue a = Evaluate(condition.lhs, values);
  TermValue b = Evaluate(condition.rhs, values);
  if (!a.ok() || !b.ok()) return std::nullopt;
  if (condition.kind == ConditionKind::kDivides) return a.value != 0 && b.value % a.value == 0;
  if (condition.kind != ConditionKind::kCompare) return a.value == b.value;
  switch (condition.op) {
    case CompareOp::kEq:
      return a.value == b.value;
    case CompareOp::kNe:
      return a.value != b.value;
    case CompareOp::kLt:
      return a.value < b.value;
    case CompareOp::kLe:
      return a.value <= b.value;
    case CompareOp::kGt:
      return a.value > b.value;
    case CompareOp::kGe:
      return a.value >= b.value;
  }
  return std::nullopt;
}

std::optional<bool> Holds(const BoundPattern& fact, llvm::ArrayRef<int128> values) {
  TermValue e = Evaluate(fact.expr, values);
  if (!e.ok()) return std::nullopt;
  bool holds = true;
  if (!fact.lower_infinite) {
    TermValue l = Evaluate(fact.lower, values);
    if (!l.ok()) return std::nullopt;
    holds &= l.value <= e.value;
  }
  if (!fact.upper_infinite) {
    TermValue u = Evaluate(fact.upper, values);
    if (!u.ok()) return std::nullopt;
    holds &= e.value <= u.value;
  }
  return holds;
}

std::string ToDecimal(int128 v) {
  if (v == 0) return "0";
  std::string digits;
  bool negative = v < 0;
  for (; v != 0; v /= 10) digits += static_cast<char>('0' + (negative ? -(v % 10) : v % 10));
  if (negative) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace affirm::rules
