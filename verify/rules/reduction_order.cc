// Compares both sides of a rule under the reduction order: first the polynomial interpretation M by
// its coefficients, once for all instances; on a tie of M, the tie breakers, instance by instance.
#include "verify/rules/reduction_order.h"

#include <algorithm>
#include <functional>

#include "core/simplify/nearest_multiples.h"
#include "verify/rules/evaluate.h"
#include "verify/rules/polynomial.h"
#include "verify/rules/range_ends.h"
#include "verify/rules/search.h"
#include "verify/rules/theorem.h"

namespace affirm {

using namespace rules;

namespace {

constexpr int kInstances = 4000;

// M as a polynomial in the M of the metavariables; nullopt when that is too large.
class PolynomialInterpretation {
 public:
  // `uncounted` is a metavariable that counts 0, or -1.
  PolynomialInterpretation(const Rule& rule, bool left, int uncounted)
      : rule_(rule), left_(left), uncounted_(uncounted) {}

  std::optional<Poly> Of(const Term& t) const {
    if (!HasExpression(t, rule_)) return Poly();
    switch (t.kind) {
      case TermKind::kMetavariable:
        return t.metavariable == uncounted_ ? Poly() : Poly::Variable(t.metavariable);
      case TermKind::kAdd:
        return Sum(t, 0, [&](const Term& op) { return left_ && FoundBySubtraction(t, op); });
      case TermKind::kMul:
        return Product(t);
      case TermKind::kFloorDiv:
        return Quotient(t, 6);
      case TermKind::kCeilDiv:
        return Quotient(t, 8);
      case TermKind::kMod:
        return Sum(t, 5, {});
      default:
        return Sum(t, 4, {});
    }
  }

 private:
  // `base` plus the measures of the operands, except those for which `skip` is true.
  std::optional<Poly> Sum(const Term& t, int base,
                          const std::function<bool(const Term&)>& skip) const {
    Poly sum(base);
    for (const Term& op : t.ops) {
      if (skip && skip(op)) continue;
      auto order = Of(op);
      if (!order) return std::nullopt;
      sum = sum + *order;
    }
    return sum;
  }

  std::optional<Poly> Product(const Term& t) const {
    std::optional<Poly> product = Poly(1);
    for (const Term& op : t.ops) {
      if (!HasExpression(op, rule_)) continue;
      auto order = Of(op);
      product = order ? product->SmallProduct(*order) : std::nullopt;
      if (!product) break;
    }
    return product;
  }

  std::optional<Poly> Quotient(const Term& t, int base) const {
    auto numerator = Of(t.ops[0]), divisor = Of(t.ops[1]);
    if (!numerator || !divisor) return std::nullopt;
    return Poly(base) + Poly(3) * *numerator + *divisor;
  }

  // The metavariable x of a term k * x; -1 for other terms.
  int MultipleOf(const Term& t) const {
    if (t.kind != TermKind::kMul) return -1;
    int metavariable = -1, expressions = 0;
    for (const Term& op : t.ops) {
      if (!HasExpression(op, rule_)) continue;
      ++expressions;
      metavariable = op.kind == TermKind::kMetavariable ? op.metavariable : -1;
    }
    return expressions == 1 ? metavariable : -1;
  }

  bool FoundBySubtraction(const Term& sum, const Term& term) const {
    int metavariable = MultipleOf(term);
    return metavariable >= 0 && std::any_of(sum.ops.begin(), sum.ops.end(), [&](const Term& other) {
             return &other != &term && MultipleOf(other) != metavariable &&
                    Mentions(other, metavariable);
           });
  }

  const Rule& rule_;
  bool left_;
  int uncounted_;
};

std::optional<Poly> Total(const Rule& rule, bool left, int uncounted = -1) {
  PolynomialInterpretation interpretation(rule, left, uncounted);
  if (!rule.is_constraint_rule) return interpretation.Of(left ? rule.lhs : rule.rhs);
  Poly sum;
  for (const BoundPattern& f : left ? rule.premises : rule.conclusions) {
    auto order = interpretation.Of(f.expr);
    if (!order) return std::nullopt;
    sum = sum + *order;
  }
  return sum;
}

// The tie breakers of M, at one instance of a rule.
struct TieBreakers {
  int128 divisors = 0;
  int128 unnormalized_offsets = 0;
  std::vector<const Term*> possible_offsets;  // the least value of x is not known
  std::vector<int128> by_depth;
  int128 widths = 0;

  void Add(size_t depth, int128 v) {
    if (by_depth.size() <= depth) by_depth.resize(depth + 1);
    by_depth[depth] += v;
  }
};

// Sums and products saturate here: larger ones do not matter.
constexpr int128 kHuge = int128{1} << 100;

int128 Clamped(int128 v) { return std::clamp(v, -kHuge, kHuge); }

int128 Times(int128 a, int128 b) {
  int128 r;
  if (__builtin_mul_overflow(a, b, &r)) return (a < 0) == (b < 0) ? kHuge : -kHuge;
  return Clamped(r);
}

int128 Magnitude(int128 v) { return v < 0 ? -v : v; }

class TieBreakerCounter {
 public:
  TieBreakerCounter(const Rule& rule, llvm::ArrayRef<int128> values)
      : rule_(rule), values_(values) {}

  TieBreakers Run(bool left) {
    result_ = TieBreakers();
    if (!rule_.is_constraint_rule) {
      ConstantSum(left ? rule_.lhs : rule_.rhs, 0);
      return result_;
    }
    for (const BoundPattern& f : left ? rule_.premises : rule_.conclusions) {
      ConstantSum(f.expr, 0);
      // An infinite end is one that is further out than any other.
      constexpr int128 kFar = int128{1} << 80;
      TermValue l{.value = -kFar}, u{.value = kFar};
      if (!f.lower_infinite) l = Evaluate(f.lower, values_);
      if (!f.upper_infinite) u = Evaluate(f.upper, values_);
      if (l.ok() && u.ok()) result_.widths += Clamped(u.value) - Clamped(l.value);
    }
    return result_;
  }

 private:
  // Counts a side of a rule, or an operand. Its constant summands count as one, their sum, which is
  // returned.
  int128 ConstantSum(const Term& t, size_t depth) {
    int128 constant = 0;
    Walk(t, 1, depth, constant);
    result_.Add(depth, Magnitude(constant));
    return constant;
  }

  // For a sum of one expression name and constants: the least value of the expression, if the rule
  // names it, as lower(x).
  std::optional<int128> LeastValue(const Term& t) const {
    const Term* x = nullptr;
    for (const Term& op : t.kind == TermKind::kAdd ? llvm::ArrayRef(t.ops) : llvm::ArrayRef(t)) {
      if (!HasExpression(op, rule_)) continue;
      if (x || op.kind != TermKind::kMetavariable) return std::nullopt;
      x = &op;
    }
    int metavariable = x ? rule_.FindMetavariable("lower(" + ToString(*x, rule_) + ")") : -1;
    return metavariable < 0 ? std::nullopt : std::optional(values_[metavariable]);
  }

  void CountUnnormalizedOffset(const Term& division, int128 constant, int128 divisor) {
    if (constant == 0 || divisor <= 0) return;
    auto start = LeastValue(division.ops[0]);
    if (constant % divisor == 0) {
      ++result_.unnormalized_offsets;
    } else if (start) {
      result_.unnormalized_offsets += *start + constant < 0 || *start + constant >= divisor;
    } else {
      result_.possible_offsets.push_back(&division);
    }
  }

  void Walk(const Term& t, int128 factor, size_t depth, int128& constant) {
    if (!HasExpression(t, rule_)) {
      TermValue v = Evaluate(t, values_);
      if (v.ok()) constant = Clamped(constant + Times(factor, v.value));
      return;
    }
    if (t.kind == TermKind::kAdd) {
      for (const Term& op : t.ops) Walk(op, factor, depth, constant);
      return;
    }
    if (t.kind == TermKind::kMul) {
      std::vector<const Term*> rest;
      for (const Term& op : t.ops) {
        TermValue v = HasExpression(op, rule_) ? TermValue() : Evaluate(op, values_);
        if (HasExpression(op, rule_))
          rest.push_back(&op);
        else if (v.ok())
          factor = Times(factor, v.value);
      }
      if (factor == 0) return;
      if (rest.size() == 1) {
        Walk(*rest[0], factor, depth, constant);
        return;
      }
      Coefficient(factor, depth);
      for (const Term* op : rest) ConstantSum(*op, depth + 1);
      return;
    }
    Coefficient(factor, depth);
    if (t.kind == TermKind::kMetavariable) return;
    bool divides =
        t.kind == TermKind::kFloorDiv || t.kind == TermKind::kCeilDiv || t.kind == TermKind::kMod;
    int128 summand = 0;
    for (size_t i = 0; i < t.ops.size(); ++i) {
      if (!divides || i == 0 || HasExpression(t.ops[i], rule_)) {
        summand = ConstantSum(t.ops[i], depth + 1);
        continue;
      }
      TermValue d = Evaluate(t.ops[i], values_);
      if (!d.ok()) continue;
      result_.divisors += d.value < 0 ? 1 - Times(2, d.value) : Clamped(d.value);
      CountUnnormalizedOffset(t, summand, Clamped(d.value));
    }
  }

  void Coefficient(int128 factor, size_t depth) {
    if (factor != 1) result_.Add(depth, Magnitude(factor));
  }

  const Rule& rule_;
  llvm::ArrayRef<int128> values_;
  TieBreakers result_;
};

// An upper bound of the unnormalized offsets on the right side. A possible offset counts, unless
// the left side has it too.
int128 MostUnnormalizedOffsets(const TieBreakers& right, const TieBreakers& left) {
  auto is_new = [&](const Term* t) {
    return std::none_of(left.possible_offsets.begin(), left.possible_offsets.end(),
                        [&](const Term* other) { return *other == *t; });
  };
  return right.unnormalized_offsets +
         std::count_if(right.possible_offsets.begin(), right.possible_offsets.end(), is_new);
}

// -1 when the right side is smaller, as far as is known.
int Compare(const TieBreakers& right, const TieBreakers& left) {
  auto sign = [](int128 x, int128 y) { return x < y ? -1 : x > y ? 1 : 0; };
  if (int s = sign(right.divisors, left.divisors)) return s;
  if (int s = sign(MostUnnormalizedOffsets(right, left), left.unnormalized_offsets)) return s;
  for (size_t depth = std::max(right.by_depth.size(), left.by_depth.size()); depth-- > 0;) {
    int128 x = depth < right.by_depth.size() ? right.by_depth[depth] : 0;
    int128 y = depth < left.by_depth.size() ? left.by_depth[depth] : 0;
    if (int s = sign(x, y)) return s;
  }
  return sign(right.widths, left.widths);
}

std::string Describe(const TieBreakers& c) {
  std::string text = "divisors " + ToDecimal(c.divisors) + ", unnormalized offsets " +
                     ToDecimal(c.unnormalized_offsets) + ", constants by depth [";
  for (size_t i = 0; i < c.by_depth.size(); ++i) text += (i ? ", " : "") + ToDecimal(c.by_depth[i]);
  return text + "], widths " + ToDecimal(c.widths);
}

// The first instance at which the constants don't fall, or "".
std::string FindRise(const Rule& rule) {
  std::string rise;
  int left = kInstances;
  ForEachInstance(rule, SearchLimits(), [&](llvm::ArrayRef<int128> values) {
    if (Check(rule, values) != InstanceState::kHolds) return true;
    TieBreakerCounter counter(rule, values);
    TieBreakers before = counter.Run(true), after = counter.Run(false);
    if (Compare(after, before) < 0) return --left > 0;
    for (size_t i = 0; i < values.size(); ++i)
      if (!rule.metavariables[i].is_expr)
        rise +=
            (rise.empty() ? "" : ", ") + rule.metavariables[i].name + " = " + ToDecimal(values[i]);
    rise = "with " + (rise.empty() ? "any values" : rise) + ": left has " + Describe(before) +
           "; right has " + Describe(after);
    return false;
  });
  return rise;
}

// M with the M(x) of each metavariable replaced by 1 + t, where t >= 0.
std::optional<Poly> Shifted(std::optional<Poly> p, const Rule& rule) {
  for (size_t i = 0; i < rule.metavariables.size() && p; ++i) {
    int v = static_cast<int>(i);
    p = p->SmallSubstitute(v, Poly::Variable(v) + Poly(1));
  }
  return p;
}

// Values of M(x) for the metavariables x at which the difference is not positive, as text.
std::string FindStructuralRise(const Rule& rule, const Poly& difference) {
  std::vector<int> used;
  for (size_t i = 0; i < rule.metavariables.size(); ++i)
    if (difference.Uses(static_cast<int>(i))) used.push_back(static_cast<int>(i));
  constexpr int kMost = 4;
  int64_t combinations = 1;
  for (size_t i = 0; i < used.size() && combinations < 4'000; ++i) combinations *= kMost;
  for (int64_t n = 0; n < combinations; ++n) {
    Poly value = difference;
    std::string text;
    int64_t code = n;
    for (int v : used) {
      int64_t m = 1 + code % kMost;
      code /= kMost;
      value = value.Substitute(v, Poly(m));
      text += (text.empty() ? "" : ", ") + ("M(" + rule.metavariables[v].name + ") = ") +
              std::to_string(m);
    }
    auto d = value.AsConstant();
    if (!d || *d > 0) continue;
    return "with " + (text.empty() ? "any values" : text) +
           ": M(left) - M(right) = " + ToDecimal(*d);
  }
  return "M(left) - M(right) is not positive for large measures";
}

// The two parts of a sum that is split into nearest multiples share terms, so that the left side
// counts one of them. The constants of such parts are not compared.
ReductionOrderResult CheckNearestSplit(const Rule& rule, const NearestSplit& split) {
  ReductionOrderResult verdict;
  auto right = Total(rule, false);
  for (int uncounted : {split.rest, split.multiple}) {
    auto left = Total(rule, true, uncounted);
    if (!left || !right) continue;
    verdict.reason = FindStructuralRise(rule, *left - *right);
    auto shifted = Shifted(*left - *right, rule);
    verdict.lowers = shifted && shifted->constant() > 0 &&
                     std::all_of(shifted->terms().begin(), shifted->terms().end(),
                                 [](const auto& t) { return t.second >= 0; });
    if (!verdict.lowers) continue;
    verdict.by_interpretation = true;
    verdict.reason.clear();
    return verdict;
  }
  if (verdict.reason.empty()) verdict.reason = "the reduction order is too large to compare";
  return verdict;
}

}  // namespace

ReductionOrderResult CheckReductionOrder(const Rule& given) {
  Rule rule = NameRangeEndsInLets(given);
  if (auto split = FindNearestSplit(rule)) return CheckNearestSplit(rule, *split);
  ReductionOrderResult verdict;
  std::optional<Poly> left = Total(rule, true), right = Total(rule, false);
  std::optional<Poly> shifted = left && right ? Shifted(*left - *right, rule) : std::nullopt;
  if (!shifted) {
    verdict.reason = "the reduction order is too large to compare";
    return verdict;
  }
  bool never_rises = std::all_of(shifted->terms().begin(), shifted->terms().end(),
                                 [](const auto& t) { return t.second >= 0; });
  if (never_rises && shifted->constant() > 0) {
    verdict.lowers = verdict.by_interpretation = true;
    return verdict;
  }
  verdict.reason = never_rises ? FindRise(rule) : FindStructuralRise(rule, *left - *right);
  verdict.lowers = verdict.reason.empty();
  return verdict;
}

}  // namespace affirm
