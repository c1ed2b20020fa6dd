// Quotients, maxima and picks of integers, simplified by the facts of a scope.
#include "llvm/ADT/SmallVector.h"
#include "verify/terms/range.h"
#include "verify/terms/scope.h"

namespace affirm::terms {

namespace {

// A summand of a dividend: a multiple of an atom, or of the residue x - m * floor(x / m), which is
// kept whole so that its range is not lost.
struct Summand {
  Int128 coefficient;
  Term term;
  // For a residue: floor(x / m), x, m.
  Term quotient = nullptr, operand = nullptr;
  Int128 modulus = 0;
};

// Rewrites the multiples of x and of its quotients in a sum, where each divisor divides the next,
// as multiples of the digits x mod m1, floor(x / m1) mod (m2 / m1), ..., and of the last quotient.
// Requires that this makes fewer summands. As many are enough if one of them is a multiple of the
// divisor, or with `even_if_none_leaves`.
bool TakeDigits(Pool& pool, Term x, Int128 divisor_of_sum, bool even_if_none_leaves, Term& sum,
                llvm::SmallVectorImpl<Summand>& summands) {
  const Monomial first = x->kind == Kind::kSum ? x->sum[0] : Monomial{1, x};
  Int128 factor = 0, divisor = 1;
  llvm::SmallVector<std::pair<Int128, Monomial>, 8> quotients;  // by their divisors
  llvm::SmallVector<Monomial, 8> others;
  for (const Monomial& m : sum->sum) {
    if (const Int128 by = DivisorOf(pool, m.atom, x)) {
      quotients.push_back({by, m});
      others.push_back({-m.coefficient, m.atom});
    } else if (m.atom == first.atom && m.coefficient % first.coefficient == 0) {
      factor = m.coefficient / first.coefficient;
    }
  }
  llvm::sort(quotients, [](const auto& a, const auto& b) { return a.first < b.first; });
  others.push_back({1, sum});
  others.push_back({-factor, x});
  Term rest = pool.Sum(0, others), before = x;
  if (rest->kind == Kind::kUnknown) return false;
  llvm::SmallVector<Summand, 8> digits;
  for (const auto& [next, m] : quotients) {
    if (next % divisor != 0) return false;
    const Int128 base = next / divisor;
    Term digit = pool.Sum(0, {{1, before}, {-base, m.atom}});
    if (factor != 0) digits.push_back({factor, digit, m.atom, before, base});
    if (__builtin_mul_overflow(factor, base, &factor) ||
        __builtin_add_overflow(factor, m.coefficient, &factor)) {
      return false;
    }
    before = m.atom;
    divisor = next;
  }
  if (factor != 0) digits.push_back({factor, before});
  auto size = [](Term t) { return t->kind == Kind::kSum ? t->sum.size() : 1; };
  const size_t before_size = size(sum), after_size = size(rest) + digits.size();
  bool leaves = even_if_none_leaves || llvm::any_of(digits, [&](const Summand& digit) {
                  return digit.coefficient % divisor_of_sum == 0;
                });
  if (after_size > before_size || (after_size == before_size && !leaves)) return false;
  summands.append(digits.begin(), digits.end());
  sum = rest;
  return true;
}

// The summands of a sum; its constant is a summand without a term.
llvm::SmallVector<Summand, 8> SummandsOf(Pool& pool, Term sum, Int128 divisor, bool all_digits) {
  llvm::SmallVector<Summand, 8> summands;
  Term rest = sum;
  for (const Monomial& m : sum->sum) {
    if (rest->kind != Kind::kSum) break;
    if (m.atom->kind == Kind::kQuotient)
      TakeDigits(pool, m.atom->args[0], divisor, all_digits, rest, summands);
  }
  for (bool found = true; found && rest->kind == Kind::kSum;) {
    found = false;
    for (const Monomial& m : rest->sum) {
      for (const ResidueIn& r : ResiduesIn(rest, m)) {
        Term residue = pool.Sum(0, {{1, r.operand}, {-r.modulus, m.atom}});
        Term other = pool.Sum(0, {{1, rest}, {-r.factor, residue}});
        size_t before = rest->sum.size(), after = other->kind == Kind::kSum ? other->sum.size() : 1;
        if (after >= before) continue;
        summands.push_back({r.factor, residue, m.atom, r.operand, r.modulus});
        rest = other;
        found = true;
        break;
      }
      if (found) break;
    }
  }
  if (rest->kind != Kind::kSum) {
    summands.push_back({1, rest});
  } else {
    for (const Monomial& m : rest->sum) summands.push_back({m.coefficient, m.atom});
    if (rest->number != 0) summands.push_back({rest->number, nullptr});
  }
  return summands;
}

// Whether the sum contains integers of values, that is, data.
bool IsOfData(Term sum) {
  auto is = [](Term atom) { return atom->kind == Kind::kInteger; };
  return is(sum) || llvm::any_of(sum->sum, [&](const Monomial& m) {
           return is(m.atom) || (m.atom->kind == Kind::kProduct && llvm::any_of(m.atom->args, is));
         });
}

// Splits residues by x mod m = g * (floor(x / g) mod (m / g)) + x mod g, where g divides m and the
// divisor. Whether there was one.
bool SplitResidues(Scope& scope, llvm::SmallVector<Summand, 8>& summands, Int128 divisor) {
  Pool& pool = scope.pool();
  bool any = false;
  for (size_t i = 0; i < summands.size(); ++i) {
    Summand s = summands[i];
    if (!s.quotient) continue;
    Int128 m = s.modulus, g = Gcd(m, divisor / Gcd(s.coefficient, divisor)), scaled;
    if (g == 1 || g == m || __builtin_mul_overflow(s.coefficient, g, &scaled)) continue;
    Term x = s.operand, xg = scope.Quotient(x, g);
    summands[i] = {scaled, pool.Sum(0, {{1, xg}, {-(m / g), s.quotient}})};
    summands.push_back({s.coefficient, pool.Sum(0, {{1, x}, {-g, xg}})});
    any = true;
  }
  return any;
}

struct SumByDivisor {
  Term sum;
  Int128 divisor;
};

// Rewrites (x floordiv m + y) floordiv d to (x + m * y) floordiv (m * d), so that dividing at once
// and step by step have one form. Only if x is a sum, and the only such quotient.
std::optional<SumByDivisor> WithoutInnerQuotient(Pool& pool, Term sum, Int128 divisor) {
  Term inner = nullptr;
  for (const Monomial& m : sum->sum) {
    if (m.coefficient != 1 || m.atom->kind != Kind::kQuotient) continue;
    if (inner) return std::nullopt;
    inner = m.atom;
  }
  Int128 product;
  if (!inner || __builtin_mul_overflow(inner->number, divisor, &product)) return std::nullopt;
  Term others = pool.Subtract(sum, inner);
  Term whole = pool.Add(inner->args[0], pool.Scale(others, inner->number));
  if (whole->kind != Kind::kSum) return std::nullopt;
  return SumByDivisor{whole, product};
}

// The number of summands, including those of dividends.
size_t SizeOf(Term sum) {
  size_t size = 0;
  const Monomial alone = {1, sum};
  for (const Monomial& m : sum->kind == Kind::kSum ? sum->sum : llvm::ArrayRef(alone)) {
    ++size;
    if (m.atom->kind == Kind::kQuotient) size += m.atom->args[0]->sum.size();
  }
  return size;
}

// Whether x >= 0 ? a : b is the sign of x: (x = 0 ? 0 : 1) and -1.
bool IsSignOf(Pool& pool, Term x, Term a, Term b) {
  auto is = [](Term t, Int128 number) { return t->IsNumber() && t->number == number; };
  return is(b, -1) && a->kind == Kind::kPick && a->args[0] == pool.IsZero(x) && is(a->args[1], 0) &&
         is(a->args[2], 1);
}

Term TotalOf(Pool& pool, llvm::ArrayRef<Summand> summands, Int128 number) {
  llvm::SmallVector<Monomial, 8> monomials;
  for (const Summand& s : summands) monomials.push_back({s.coefficient, s.term});
  return pool.Sum(number, monomials);
}

// Reduces (inside + constant) floordiv divisor by common factors g: if all summands but a part in
// [0, g - 1] are multiples of g, and g divides the divisor, the part can be dropped. Tries the
// largest g first.
void DivideByFactors(Scope& scope, llvm::SmallVectorImpl<Summand>& inside, Int128& constant,
                     Int128& divisor) {
  for (bool changed = true; changed && !inside.empty();) {
    changed = false;
    llvm::SmallVector<Int128, 8> factors;
    for (const Summand& s : inside) {
      Int128 g = Gcd(s.coefficient, divisor);
      if (g > 1 && !llvm::is_contained(factors, g)) factors.push_back(g);
    }
    llvm::sort(factors, [](Int128 a, Int128 b) { return a > b; });
    for (Int128 g : factors) {
      llvm::SmallVector<Summand, 8> multiples, rest;
      for (const Summand& s : inside) (s.coefficient % g == 0 ? multiples : rest).push_back(s);
      // (g * x + y) floordiv (g * d) is (x + y floordiv g) floordiv d.
      Term part = TotalOf(scope.pool(), rest, constant);
      Range range = terms::Quotient(scope.RangeOf(part), g);
      const bool merges = rest.size() == 1 && rest[0].coefficient == 1 && constant == 0 &&
                          rest[0].term->kind == Kind::kQuotient;
      if (!range.single() && !merges) continue;
      inside.clear();
      for (const Summand& s : multiples) inside.push_back({s.coefficient / g, s.term});
      if (!range.single()) inside.push_back({1, scope.Quotient(part, g)});
      constant = range.single() ? range.lo : 0;
      divisor /= g;
      changed = true;
      break;
    }
    if (divisor == 1) return;
  }
}

}  // namespace

Term Scope::Quotient(Term a, Int128 divisor) {
  if (divisor == 1) return a;
  if (a->IsNumber()) return pool_.Number(FloorDiv(a->number, divisor));
  if (divisor > INT64_MAX) {
    Range range = terms::Quotient(RangeOf(a), divisor);
    return range.single() ? pool_.Number(range.lo) : pool_.QuotientAtom(a, divisor);
  }
  const std::pair<Term, int64_t> key = {a, static_cast<int64_t>(divisor)};
  return Find<std::pair<Term, int64_t>, Term>(quotients_, a, key, [&]() -> Term {
    Range range = terms::Quotient(RangeOf(a), divisor);
    if (range.single()) return pool_.Number(range.lo);
    Int128 product;
    if (a->kind == Kind::kQuotient && !__builtin_mul_overflow(a->number, divisor, &product))
      return Quotient(a->args[0], product);
    if (a->kind != Kind::kSum) return pool_.QuotientAtom(a, divisor);
    if (auto whole = WithoutInnerQuotient(pool_, a, divisor))
      return Quotient(whole->sum, whole->divisor);
    bool splits = false;
    return QuotientOfSum(a, divisor, false, &splits);
  });
}

Term Scope::QuotientOfSum(Term sum, Int128 divisor, bool all_digits, bool* splits) {
  // Cancels a common factor of the divisor and all coefficients.
  Int128 common = divisor;
  for (const Monomial& m : sum->sum) common = Gcd(common, m.coefficient);
  if (common > 1) {
    llvm::SmallVector<Monomial, 8> reduced;
    for (const Monomial& m : sum->sum) reduced.push_back({m.coefficient / common, m.atom});
    return Quotient(pool_.Sum(FloorDiv(sum->number, common), reduced), divisor / common);
  }
  // Multiples of the divisor leave the quotient. Other coefficients are not reduced, since facts
  // are about the sum as it is.
  llvm::SmallVector<Monomial, 8> leaves;
  llvm::SmallVector<Summand, 8> inside;
  Int128 constant = 0;
  const Int128 whole_divisor = divisor;
  auto summands = SummandsOf(pool_, sum, divisor, all_digits);
  if (splits && SplitResidues(*this, summands, divisor)) *splits = true;
  for (const Summand& s : summands) {
    if (!s.term) {
      constant = s.coefficient;
      continue;
    }
    // A machine integer that was wrapped by the same divisor before need not be wrapped again.
    if (s.quotient && s.modulus == divisor && IsOfData(s.operand)) {
      leaves.push_back({-s.coefficient, s.quotient});
      inside.push_back({s.coefficient, s.operand});
      continue;
    }
    if (s.coefficient % divisor == 0) {
      leaves.push_back({s.coefficient / divisor, s.term});
    } else {
      inside.push_back({s.coefficient, s.term});
    }
  }
  Int128 whole = FloorDiv(constant, divisor);
  Term outside = pool_.Sum(whole, leaves);
  constant -= whole * divisor;

  DivideByFactors(*this, inside, constant, divisor);
  if (divisor == 1) return pool_.Add(outside, TotalOf(pool_, inside, constant));
  Term rest = TotalOf(pool_, inside, constant);
  Range range = terms::Quotient(RangeOf(rest), divisor);
  if (range.single()) return pool_.Add(outside, pool_.Number(range.lo));
  // (x floordiv m + c) floordiv d is (x + c * m) floordiv (m * d).
  if (inside.size() == 1 && inside[0].coefficient == 1 && inside[0].term->kind == Kind::kQuotient) {
    Term q = inside[0].term;
    Int128 product, shift;
    if (!__builtin_mul_overflow(q->number, divisor, &product) &&
        !__builtin_mul_overflow(q->number, constant, &shift)) {
      return pool_.Add(outside, Quotient(pool_.Add(q->args[0], pool_.Number(shift)), product));
    }
  }
  if (rest != sum && rest->kind != Kind::kSum) return pool_.Add(outside, Quotient(rest, divisor));
  if (inside.size() == 1 && inside[0].coefficient == 1 && constant != 0) {
    if (Term quotient = QuotientByResidue(inside[0].term, constant, divisor))
      return pool_.Add(outside, quotient);
  }
  if (all_digits || rest->kind != Kind::kSum)
    return pool_.Add(outside, pool_.QuotientAtom(rest, divisor));
  // By digits: x + 64 * (x floordiv 64) is 128 * (x floordiv 64) + x mod 64, so dividing it by 256
  // gives x floordiv 128.
  Term by_digits = pool_.Add(outside, QuotientOfSum(rest, divisor, true, splits));
  if (!splits || !*splits) return by_digits;
  // Keeps residues whole unless splitting makes the result shorter.
  Term unsplit = QuotientOfSum(sum, whole_divisor, false, nullptr);
  return SizeOf(unsplit) <= SizeOf(by_digits) ? unsplit : by_digits;
}

// (x + c) floordiv (m * d) is (x + k * m) floordiv (m * d) if the facts determine
// k = (x mod m + c) floordiv m: if x mod 5 <= 3, then (x + 1) floordiv 30 is x floordiv 30. Null if
// they do not, or if c is k * m already.
Term Scope::QuotientByResidue(Term x, Int128 c, Int128 divisor) {
  // Takes the largest m, so that the order of facts does not matter.
  Term quotient = nullptr;
  Int128 m = 1;
  Range k = {0, 0};
  for (const auto& [linear, range] : bounds_) {
    if (linear->kind != Kind::kSum || linear->sum.size() != 2) continue;
    const Monomial &first = linear->sum[0], &second = linear->sum[1];
    const bool is_residue = first.coefficient == 1 && first.atom == x &&
                            second.atom->kind == Kind::kQuotient && second.atom->args[0] == x &&
                            second.coefficient == -second.atom->number;
    if (is_residue) ++uses_of_facts_;
    if (!is_residue || divisor % second.atom->number != 0 || second.atom->number <= m) continue;
    Range next = terms::Quotient(terms::Add(RangeOf(linear), {c, c}), second.atom->number);
    if (!next.single()) continue;
    quotient = second.atom;
    m = quotient->number;
    k = next;
  }
  Int128 whole;
  if (!quotient || __builtin_mul_overflow(k.lo, m, &whole) || whole == c) return nullptr;
  return Quotient(pool_.Add(x, pool_.Number(whole)), divisor);
}

Term Scope::CeilQuotient(Term a, Int128 divisor) {
  return Quotient(pool_.Add(a, pool_.Number(divisor - 1)), divisor);
}

Term Scope::Residue(Term a, Int128 modulus) {
  return pool_.Subtract(a, pool_.Scale(Quotient(a, modulus), modulus));
}

Term Scope::Max(Term a, Term b) {
  Range difference = RangeOf(pool_.Subtract(a, b));
  if (difference.lo >= 0) return a;
  if (difference.hi <= 0) return b;
  // max(min(x, c), d) for d <= c is min(max(x, d), c), which is -max(-max(x, d), -c): the inner
  // maximum is that of x.
  if (a->IsNumber()) std::swap(a, b);
  bool limited = b->IsNumber() && a->kind == Kind::kSum && a->sum.size() == 1 &&
                 a->sum[0].coefficient == -1 && a->sum[0].atom->kind == Kind::kMax;
  if (limited) {
    Term lo = a->sum[0].atom->args[0], hi = a->sum[0].atom->args[1];
    if (lo->IsNumber()) std::swap(lo, hi);
    Int128 c = a->number - hi->number;
    bool negated = lo->kind == Kind::kSum && !lo->sum.empty() && lo->sum[0].coefficient < 0;
    if (negated && hi->IsNumber() && b->number <= c) {
      return Min(Max(pool_.Subtract(pool_.Number(a->number), lo), b), pool_.Number(c));
    }
  }
  return pool_.MaxAtom(a, b);
}

Term Scope::Min(Term a, Term b) {
  return pool_.Scale(Max(pool_.Scale(a, -1), pool_.Scale(b, -1)), -1);
}

Term Scope::Pick(Term condition, Term a, Term b) {
  if (a == b) return a;
  auto decided = Decide(condition);
  if (decided) return *decided ? a : b;
  // A pick by comparing its arms is a maximum or a minimum.
  if (condition->kind == Kind::kAtLeastZero) {
    Term one = pool_.Number(1);
    if (condition == pool_.AtLeast(a, b) || condition == pool_.AtLeast(a, pool_.Add(b, one)))
      return Max(a, b);
    if (condition == pool_.AtLeast(b, a) || condition == pool_.AtLeast(b, pool_.Add(a, one)))
      return Min(a, b);
    Term t = condition->args[0];
    if (IsSignOf(pool_, t, a, b)) return Min(Max(t, pool_.Number(-1)), pool_.Number(1));
  }
  return pool_.PickAtom(condition, a, b);
}

Term Scope::Select(Term condition, Term a, Term b) {
  if (a == b) return a;
  auto decided = Decide(condition);
  if (decided) return *decided ? a : b;
  if (IntegerWidth(a->type) > 1)
    return pool_.OfInteger(Pick(condition, pool_.IntegerOf(a), pool_.IntegerOf(b)), a->type);
  return pool_.Select(condition, a, b);
}

}  // namespace affirm::terms
