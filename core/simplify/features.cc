// The bits of a set. Any expression is a sum, if only of one term:
//   0..8    a term of that ExprKind, its coefficient aside
//   9       a constant summand other than 0
//   10      a term with a coefficient beyond -1 and 1
//   11      no two values in the range
//   12      a term with a coefficient other than 1, or nothing but a constant
//   13      two quotients that round down
// A quotient or residue has the same of its numerator, 16 bits higher, and
//   32..40  the numerator is of that ExprKind
//   48..52  the divisor is a constant; positive; negative; 1; above 1
//   53      a coefficient of the numerator is a multiple of the divisor
//   54      a coefficient of the numerator has a factor above 1 in common with the divisor
#include "core/simplify/features.h"

#include <numeric>

#include "core/simplify/program.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm {
namespace {

constexpr Features Bit(unsigned i) { return Features{1} << i; }
constexpr Features Bit(ExprKind kind) { return Bit(static_cast<unsigned>(kind)); }

constexpr Features kHasConstant = Bit(9), kScaled = Bit(10), kNotOne = Bit(12),
                   kTwoQuotients = Bit(13);
constexpr unsigned kOfNumerator = 16, kNumeratorIs = 32;
constexpr Features kConstantDivisor = Bit(48), kPositive = Bit(49), kNegative = Bit(50),
                   kOne = Bit(51), kAboveOne = Bit(52), kMultiple = Bit(53),
                   kCommonFactor = Bit(54);

Features OfTerm(SymbolicExpr t) {
  if (t.kind() != ExprKind::kMul && !t.IsConstant()) return Bit(t.kind());
  Features coefficient = t.value() == 1 ? 0 : t.value() == -1 ? kNotOne : kNotOne | kScaled;
  return Bit(t.ops().size() == 1 ? t.op(0).kind() : t.kind()) | coefficient;
}

Features OfSum(SymbolicExpr e) {
  if (e.IsConstant()) return kNotOne | (e.value() != 0 ? kHasConstant : 0);
  if (e.kind() != ExprKind::kAdd) return OfTerm(e);
  Features bits = e.value() != 0 ? kHasConstant : 0;
  for (SymbolicExpr t : e.ops()) {
    Features of_term = OfTerm(t);
    if (bits & of_term & Bit(ExprKind::kFloorDiv)) bits |= kTwoQuotients;
    bits |= of_term;
  }
  return bits;
}

Features OfDivisor(int64_t d) {
  return kConstantDivisor | (d > 0 ? kPositive : 0) | (d < 0 ? kNegative : 0) |
         (d == 1 ? kOne : 0) | (d > 1 ? kAboveOne : 0);
}

// How the divisor goes into the coefficients of a sum.
Features OfCoefficients(SymbolicExpr e, int64_t divisor) {
  if (divisor == 1 || divisor == -1 || divisor == kInt64Min) return kMultiple | kCommonFactor;
  int64_t d = divisor < 0 ? -divisor : divisor;
  auto of_term = [d](SymbolicExpr t) -> Features {
    int64_t c = CoefficientOf(t);
    if (c == 1) return 0;
    if (c == kInt64Min) return kMultiple | kCommonFactor;
    int64_t g = std::gcd(c, d);
    return (g == d ? kMultiple : 0) | (g > 1 ? kCommonFactor : 0);
  };
  if (e.kind() != ExprKind::kAdd) return of_term(e);
  Features bits = 0;
  for (SymbolicExpr t : e.ops()) bits |= of_term(t);
  return bits;
}

// Which divisors a condition `name op number` on the divisor leaves.
Features OfCheck(const Condition& c) {
  if (c.kind != ConditionKind::kCompare || c.rhs.kind != TermKind::kNumber) return 0;
  int64_t n = c.rhs.number;
  if (c.op == CompareOp::kGt) return (n >= 0 ? kPositive : 0) | (n >= 1 ? kAboveOne : 0);
  if (c.op == CompareOp::kLt) return n <= 0 ? kNegative : 0;
  return 0;
}

bool ExcludesZero(const Condition& c) {
  return c.kind == ConditionKind::kCompare && c.op == CompareOp::kNe &&
         c.rhs.kind == TermKind::kNumber && c.rhs.number == 0;
}

// Reads off a rule's last program what it needs.
class Reader {
 public:
  explicit Reader(const CompiledRule& rule)
      : rule_(rule), steps_(rule.programs.back().steps), root_(rule.programs.back().root) {}

  Features Run() {
    Features bits = OfSumAt(root_);
    if (llvm::any_of(rule_.conditions, [&](const auto& c) { return IsPoint(c); })) {
      bits |= kPointFeature;
    }
    for (const Step& s : steps_) {
      if (s.op == Step::Op::kQuotient && s.at == root_) bits |= OfQuotient(s.to[0], s.to[1]);
    }
    return bits;
  }

 private:
  Features OfQuotient(int divisor, int numerator) {
    Features bits = OfSumAt(numerator) << kOfNumerator;
    int value = -1;  // of the divisor, if it is a constant
    for (const Step& s : steps_) {
      bool part = s.op == Step::Op::kQuotient || s.op == Step::Op::kLattice;
      if (part && s.at == numerator) bits |= Bit(s.kind) << kNumeratorIs;
      if (s.op == Step::Op::kConstant && s.at == divisor) value = s.value;
    }
    if (value < 0) return bits;
    bits |= kConstantDivisor;
    for (const Step& s : steps_) {
      if (IsCheckOf(s, value)) bits |= OfCheck(*ConditionOf(s));
      if (s.op == Step::Op::kSolve && s.value == value && Is(s.factors, PostfixStep::Op::kNumber)) {
        bits |= OfDivisor(s.factors[0].number);
      }
      if (IsSumAt(s.sum, numerator)) {
        bool whole = s.op == Step::Op::kProduct && Is(s.factors, PostfixStep::Op::kName) &&
                     s.factors[0].slot == value;
        if (whole) bits |= kMultiple;
        if (s.op == Step::Op::kFactor && !s.last) bits |= kCommonFactor;
      }
    }
    return bits;
  }

  Features OfSumAt(int at) {
    Features bits = 0;
    for (const Step& s : steps_) {
      if (!IsSumAt(s.sum, at)) continue;
      if (s.op == Step::Op::kPick) {
        bool second = s.kind == ExprKind::kFloorDiv && (bits & Bit(s.kind));
        bits |= Bit(s.kind) | (second ? kTwoQuotients : 0);
      }
      if (s.op == Step::Op::kFactor) bits |= s.last ? kNotOne : kScaled;
      if (s.op != Step::Op::kTakeConstant) continue;
      for (const Step& check : steps_) {
        bool on = IsCheckOf(check, s.value);
        if (on && ExcludesZero(*ConditionOf(check))) bits |= kHasConstant;
      }
    }
    return bits;
  }

  // Whether the condition says `range(x) within [c, c]` of the root x, where `let c = lower(x)`.
  bool IsPoint(const CompiledCondition& c) const {
    if (c.source->kind != ConditionKind::kWithin || c.source->lower_infinite) return false;
    auto is_root = [&](const Term& t) { return t.kind == TermKind::kSlot && t.slot == root_; };
    auto lets_lower = [&](const CompiledCondition& let) {
      return let.source->kind == ConditionKind::kLet && let.source->lhs == c.source->lower &&
             let.source->rhs.kind == TermKind::kLower && is_root(let.source->rhs.ops[0]);
    };
    return is_root(c.source->lhs) && c.source->lower == c.source->upper &&
           llvm::any_of(rule_.conditions, lets_lower);
  }

  bool IsSumAt(int sum, int at) const {
    for (const Step& s : steps_) {
      if (s.op == Step::Op::kSum && s.sum == sum) return s.at == at;
    }
    return false;
  }
  const Condition* ConditionOf(const Step& check) const {
    return rule_.conditions[check.condition].source;
  }
  bool IsCheckOf(const Step& s, int value) const {
    if (s.op != Step::Op::kCheck) return false;
    const Term& lhs = ConditionOf(s)->lhs;
    return lhs.kind == TermKind::kSlot && lhs.slot == value;
  }
  static bool Is(const Postfix& code, PostfixStep::Op op) {
    return code.size() == 1 && code[0].op == op;
  }

  const CompiledRule& rule_;
  const std::vector<Step>& steps_;
  int root_;
};

}  // namespace

Features FeaturesOf(SymbolicExpr e) {
  Features bits = OfSum(e);
  bool quotient = e.kind() == ExprKind::kFloorDiv || e.kind() == ExprKind::kCeilDiv ||
                  e.kind() == ExprKind::kMod;
  if (!quotient) return bits;
  SymbolicExpr numerator = e.op(0), divisor = e.op(1);
  bits |= OfSum(numerator) << kOfNumerator | Bit(numerator.kind()) << kNumeratorIs;
  if (!divisor.IsConstant()) return bits;
  bits |= OfDivisor(divisor.value());
  // Only scaled terms can have anything in common with most divisors.
  return bits | OfCoefficients(numerator, divisor.value());
}

Features RequiredBy(const CompiledRule& rule) { return Reader(rule).Run(); }

}  // namespace affirm
