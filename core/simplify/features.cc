// The bits of Features. Every expression counts as a sum, of one term if it is no sum:
//   0..8    a term of that ExprKind, its coefficient aside
//   9       a constant summand other than 0
//   10      a term with a coefficient beyond -1 and 1
//   11      no two values in the range
//   12      a term with a coefficient other than 1, or nothing but a constant
//   13, 14  two quotients that round down; two residues
//   15      a quotient that rounds down, times a multiple of its divisor
// A quotient or residue has the bits of its numerator, 16 bits higher, and
//   32..40  the numerator is of that ExprKind
//   48..52  the divisor is a constant; positive; negative; 1; above 1
//   53      a coefficient of the numerator is a multiple of the divisor
//   54      a coefficient of the numerator has a factor above 1 in common with the divisor
//   55..58  what ranges show (features.h)
//   59      the numerator has a constant summand, or a coefficient that is negative or at least
//   half
//           of the divisor; any other sum has no nearest multiples (nearest_multiples.h)
#include "core/simplify/features.h"

#include <numeric>

#include "core/simplify/nearest_multiples.h"
#include "core/simplify/program.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm {
namespace {

bool IsQuotient(ExprKind kind) {
  return kind == ExprKind::kFloorDiv || kind == ExprKind::kCeilDiv || kind == ExprKind::kMod;
}

constexpr Features Bit(unsigned i) { return Features{1} << i; }
constexpr Features Bit(ExprKind kind) { return Bit(static_cast<unsigned>(kind)); }

constexpr Features kHasConstant = Bit(9), kScaled = Bit(10), kNotOne = Bit(12),
                   kTwoQuotients = Bit(13), kTwoResidues = Bit(14), kOwnMultiple = Bit(15);
constexpr unsigned kOfNumerator = 16, kNumeratorIs = 32;
constexpr Features kConstantDivisor = Bit(48), kPositive = Bit(49), kNegative = Bit(50),
                   kOne = Bit(51), kAboveOne = Bit(52), kMultiple = Bit(53),
                   kCommonFactor = Bit(54), kNearMultiple = Bit(59);

// The bit for a second term of this kind.
Features Second(ExprKind kind) {
  return kind == ExprKind::kFloorDiv ? kTwoQuotients : kind == ExprKind::kMod ? kTwoResidues : 0;
}

// Whether `coefficient` times the quotient is a multiple of the quotient's divisor.
Features OfQuotientTerm(int64_t coefficient, SymbolicExpr quotient) {
  SymbolicExpr d = quotient.op(1);
  if (!d.IsConstant()) return 0;
  return d.value() == -1 || coefficient % d.value() == 0 ? kOwnMultiple : 0;
}

Features OfTerm(SymbolicExpr t) {
  bool product = t.kind() == ExprKind::kMul;
  SymbolicExpr atom = product && t.ops().size() == 1 ? t.op(0) : t;
  int64_t c = product || t.IsConstant() ? t.value() : 1;
  Features bits = Bit(atom.kind()) | (c == 1 ? 0 : c == -1 ? kNotOne : kNotOne | kScaled);
  return atom.kind() == ExprKind::kFloorDiv ? bits | OfQuotientTerm(c, atom) : bits;
}

Features OfSum(SymbolicExpr e) {
  if (e.IsConstant()) return kNotOne | (e.value() != 0 ? kHasConstant : 0);
  if (e.kind() != ExprKind::kAdd) return OfTerm(e);
  Features bits = e.value() != 0 ? kHasConstant : 0;
  for (SymbolicExpr t : e.ops()) {
    Features of_term = OfTerm(t);
    Features again = bits & of_term;
    if (again & Bit(ExprKind::kFloorDiv)) bits |= kTwoQuotients;
    if (again & Bit(ExprKind::kMod)) bits |= kTwoResidues;
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
  if (divisor == 1 || divisor == -1 || divisor == kInt64Min)
    return kMultiple | kCommonFactor | kNearMultiple;
  int64_t d = divisor < 0 ? -divisor : divisor;
  auto of_term = [d](SymbolicExpr t) -> Features {
    int64_t c = CoefficientOf(t);
    if (c == 1) return d == 2 ? kNearMultiple : 0;
    if (c == kInt64Min) return kMultiple | kCommonFactor | kNearMultiple;
    int64_t g = std::gcd(c, d);
    return (g == d ? kMultiple : 0) | (g > 1 ? kCommonFactor : 0) |
           (HasNearMultiple(c, d) ? kNearMultiple : 0);
  };
  if (e.kind() != ExprKind::kAdd) return of_term(e);
  Features bits = e.value() != 0 ? kNearMultiple : 0;
  for (SymbolicExpr t : e.ops()) bits |= of_term(t);
  return bits;
}

// Features of every divisor that satisfies the condition `name op number`.
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

// Derives the required features from the steps of a rule's last program.
class Reader {
 public:
  explicit Reader(const CompiledRule& rule)
      : rule_(rule), steps_(rule.programs.back().steps), root_(rule.programs.back().root) {}

  Features Run() {
    Features bits = OfSumAt(root_);
    for (const CompiledCondition& c : rule_.conditions) {
      if (c.source->kind == ConditionKind::kWithin) bits |= OfRange(*c.source);
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
      bool part = s.op == Step::Op::kQuotient || s.op == Step::Op::kMinMax;
      if (part && s.at == numerator) bits |= Bit(s.kind) << kNumeratorIs;
      if (s.op == Step::Op::kConstant && s.at == divisor) value = s.value;
    }
    if (value < 0) return bits;
    bits |= kConstantDivisor;
    for (const CompiledCondition& c : rule_.conditions) {
      if (IsOnePeriod(*c.source, numerator, value)) bits |= kOnePeriodFeature;
    }
    for (const Step& s : steps_) {
      if (IsCheckOf(s, value)) bits |= OfCheck(*ConditionOf(s));
      if (s.op == Step::Op::kSolve && s.value == value && s.factors.size() == 1 &&
          s.factors[0].PushesNumber()) {
        bits |= OfDivisor(s.factors[0].number);
      }
      if (IsSumAt(s.sum, numerator)) {
        bool whole = s.op == Step::Op::kProduct && s.factors.size() == 1 &&
                     s.factors[0].PushesName() && s.factors[0].metavariable == value;
        if (whole) bits |= IsNearest(s) ? kNearMultiple | kNearPeriodFeature : kMultiple;
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
        bits |= Bit(s.kind) | (bits & Bit(s.kind) ? Second(s.kind) : 0);
        if (s.kind == ExprKind::kFloorDiv && IsTimesOwnDivisor(s)) bits |= kOwnMultiple;
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

  // Features that `range(x) within [lower, upper]` requires of the root x.
  Features OfRange(const Condition& c) const {
    if (!IsName(c.lhs, root_)) return 0;
    const Program& p = rule_.programs.back();
    Features bits = 0;
    // x in [l, h]: within [l, h], within [h + 1, inf], within [-inf, l - 1].
    if (IsName(c.lower, p.lower) && IsName(c.upper, p.upper)) bits |= kInsideFeature;
    if (c.upper_infinite && IsNamePlus(c.lower, p.upper, 1)) bits |= kAboveFeature;
    if (c.lower_infinite && IsNamePlus(c.upper, p.lower, -1)) bits |= kBelowFeature;
    // Within [c, c], where `let c = lower(x)`.
    auto lets_lower = [&](const CompiledCondition& let) {
      return let.source->kind == ConditionKind::kLet && let.source->lhs == c.lower &&
             let.source->rhs.kind == TermKind::kLower && IsName(let.source->rhs.ops[0], root_);
    };
    bool one_value = !c.lower_infinite && c.lower == c.upper;
    return bits |
           (one_value && llvm::any_of(rule_.conditions, lets_lower) ? kPointFeature : Features{0});
  }

  // Whether the rule takes nearest multiples of the product's other factor (kSplitNearest).
  bool IsNearest(const Step& product) const {
    return llvm::any_of(steps_, [&](const Step& s) {
      return s.op == Step::Op::kSplitNearest && s.value == product.value;
    });
  }

  // Whether the condition says `range(x) within [l, l + m - 1]` of the numerator x and divisor m.
  static bool IsOnePeriod(const Condition& c, int numerator, int divisor) {
    if (c.kind != ConditionKind::kWithin || !IsName(c.lhs, numerator)) return false;
    const std::vector<Term>& sum = c.upper.ops;
    return c.upper.kind == TermKind::kAdd && sum.size() == 3 && sum[0] == c.lower &&
           IsName(sum[1], divisor) && sum[2].kind == TermKind::kNumber && sum[2].number == -1;
  }

  // Whether the coefficient of the quotient that is picked has the quotient's divisor as a factor.
  bool IsTimesOwnDivisor(const Step& pick) const {
    int divisor = -1, value = -1;
    for (const Step& s : steps_) {
      if (s.op == Step::Op::kQuotient && s.at == pick.to[0]) divisor = s.to[0];
      if (s.op == Step::Op::kConstant && s.at == divisor && divisor >= 0) value = s.value;
    }
    auto has_factor = [&](const Step& s) {
      return s.op == Step::Op::kSolve && s.value == pick.value && IsMultipleOf(s.factors, value);
    };
    return value >= 0 && llvm::any_of(steps_, has_factor);
  }

  // Whether the term is a product with the constant of this metavariable among its factors.
  static bool IsMultipleOf(const Postfix& product, int metavariable) {
    bool found = false;
    for (const PostfixStep& s : product) {
      bool factor = s.op == PostfixStep::Op::kPush || s.op == PostfixStep::Op::kMul;
      if (!factor || s.from_stack) return false;
      found |= s.metavariable == metavariable;
    }
    return found;
  }

  static bool IsName(const Term& t, int metavariable) {
    return t.kind == TermKind::kMetavariable && t.metavariable == metavariable;
  }
  static bool IsNamePlus(const Term& t, int metavariable, int64_t number) {
    return t.kind == TermKind::kAdd && t.ops.size() == 2 && IsName(t.ops[0], metavariable) &&
           t.ops[1].kind == TermKind::kNumber && t.ops[1].number == number;
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
    return lhs.kind == TermKind::kMetavariable && lhs.metavariable == value;
  }
  const CompiledRule& rule_;
  const std::vector<Step>& steps_;
  int root_;
};

}  // namespace

Features FeaturesOf(SymbolicExpr e) {
  Features bits = OfSum(e);
  if (!IsQuotient(e.kind())) return bits;
  SymbolicExpr numerator = e.op(0), divisor = e.op(1);
  bits |= OfSum(numerator) << kOfNumerator | Bit(numerator.kind()) << kNumeratorIs;
  if (!divisor.IsConstant()) return bits;
  bits |= OfDivisor(divisor.value());
  // Only scaled terms can have anything in common with most divisors.
  return bits | OfCoefficients(numerator, divisor.value());
}

bool IsWithinOnePeriod(SymbolicExpr e, RangeAnalysis& ranges) {
  if (!IsQuotient(e.kind()) || !e.op(1).IsConstant() || e.op(1).value() <= 0) return false;
  Interval r = ranges.Of(e.op(0));
  auto span = static_cast<uint64_t>(r.upper) - static_cast<uint64_t>(r.lower);
  return r.IsBounded() && (r.IsEmpty() || span < static_cast<uint64_t>(e.op(1).value()));
}

bool IsNearOnePeriod(SymbolicExpr e, RangeAnalysis& ranges) {
  if (!IsQuotient(e.kind()) || !e.op(1).IsConstant() || e.op(1).value() <= 0) return false;
  SymbolicExpr numerator = e.op(0);
  llvm::ArrayRef<SymbolicExpr> terms = numerator.ops();
  if (numerator.kind() != ExprKind::kAdd) terms = numerator;
  if (SpansLessThan(terms, e.op(1).value(), ranges)) return true;
  // Constraints may give the sum without its multiples of the divisor a smaller range than its
  // terms.
  return ranges.IsTouched(numerator) && (OfCoefficients(numerator, e.op(1).value()) & kMultiple);
}

Features FeaturesOf(Interval range, Interval bounds) {
  Features bits = 0;
  if (range.lower >= bounds.lower && range.upper <= bounds.upper) bits |= kInsideFeature;
  if (range.lower > bounds.upper) bits |= kAboveFeature;
  if (range.upper < bounds.lower) bits |= kBelowFeature;
  return bits;
}

Features RequiredBy(const CompiledRule& rule) { return Reader(rule).Run(); }

}  // namespace affirm
