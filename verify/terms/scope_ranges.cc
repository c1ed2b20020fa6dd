// Range analysis of terms under the facts of a scope.
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "verify/terms/linear_part.h"
#include "verify/terms/range.h"
#include "verify/terms/scope.h"

namespace affirm::terms {

namespace {

// Skips residue pairing in sums with more summands.
constexpr size_t kMostPaired = 4;

// The range of x - m * floor((x + c) / m) + d, for any x; kAnything for other sums.
Range RangeAsResidue(Pool& pool, Term sum) {
  for (const Monomial& m : sum->sum) {
    Term q = m.atom;
    if (q->kind != Kind::kQuotient || m.coefficient != -q->number ||
        q->args[0]->sum.size() + 1 != sum->sum.size()) {
      continue;
    }
    // The sum is (x + c) mod m, plus the constant d - c.
    Term rest = pool.Subtract(pool.Sum(0, {{1, sum}, {q->number, q}}), q->args[0]);
    if (rest->IsNumber()) return terms::Add({0, q->number - 1}, rest->range);
  }
  return kAnything;
}

// The range of x - m * floor(x / m), where x contains floor(z / k), so that floor(x / m) is stored
// as floor((k * (x - floor(z / k)) + z) / (m * k)). kAnything for other sums.
Range RangeAsResidueOfSteps(Pool& pool, Term sum) {
  for (const Monomial& m : sum->sum) {
    Term q = m.atom;
    const Int128 modulus = -m.coefficient;
    if (q->kind != Kind::kQuotient || modulus <= 1 || modulus == q->number ||
        q->number % modulus != 0) {
      continue;
    }
    const Int128 k = q->number / modulus;
    for (const Monomial& inner : sum->sum) {
      Term floor = inner.atom;
      if (floor->kind != Kind::kQuotient || inner.coefficient != 1 || floor->number != k) continue;
      Term others = pool.Sum(0, {{1, sum}, {modulus, q}, {-1, floor}});
      if (pool.Add(pool.Scale(others, k), floor->args[0]) == q->args[0]) return {0, modulus - 1};
    }
  }
  return kAnything;
}

}  // namespace

llvm::SmallVector<ResidueIn, 4> ResiduesIn(Term sum, const Monomial& monomial) {
  llvm::SmallVector<ResidueIn, 4> residues;
  Term q = monomial.atom;
  if (q->kind != Kind::kQuotient || sum->kind != Kind::kSum) return residues;
  auto add = [&](Term y, Int128 modulus) {
    size_t before = residues.size();
    if (monomial.coefficient % modulus == 0)
      residues.push_back({-monomial.coefficient / modulus, y, modulus});
    const Monomial first = y->kind == Kind::kSum ? y->sum[0] : Monomial{1, y};
    for (const Monomial& m : sum->sum) {
      if (m.atom != first.atom || m.coefficient % first.coefficient != 0) continue;
      Int128 k = m.coefficient / first.coefficient;
      if (residues.size() == before || residues.back().factor != k)
        residues.push_back({k, y, modulus});
    }
  };
  Term x = q->args[0];
  add(x, q->number);
  Term nearest = nullptr;  // the quotient with the largest divisor
  for (const Monomial& m : sum->sum) {
    bool divides = m.atom->kind == Kind::kQuotient && m.atom->args[0] == x && m.atom != q &&
                   q->number % m.atom->number == 0;
    if (divides && (!nearest || m.atom->number > nearest->number)) nearest = m.atom;
  }
  if (nearest) add(nearest, q->number / nearest->number);
  return residues;
}

Int128 DivisorOf(Pool& pool, Term atom, Term x) {
  if (atom->kind != Kind::kQuotient) return 0;
  const Term z = atom->args[0];
  if (z == x) return atom->number;
  if (x->kind != Kind::kSum) return 0;
  // floor((g * z + y) / (g * n)) is floor(z / n) for y in [0, g - 1], as z is an integer.
  const Monomial first = z->kind == Kind::kSum ? z->sum[0] : Monomial{1, z};
  auto of_first = llvm::find_if(x->sum, [&](const Monomial& m) { return m.atom == first.atom; });
  if (of_first == x->sum.end() || of_first->coefficient % first.coefficient != 0) return 0;
  const Int128 g = of_first->coefficient / first.coefficient;
  if (g <= 1) return 0;
  const Range rest = pool.Sum(0, {{1, x}, {-g, z}})->range;
  Int128 divisor;
  const bool is_quotient = rest.lo >= 0 && rest.hi < g;
  return is_quotient && !__builtin_mul_overflow(g, atom->number, &divisor) ? divisor : 0;
}

Range Scope::RangeOf(Term integer) { return RangeOf(integer, kRangeDepth); }

Range Scope::RangeOf(Term integer, int depth) {
  if (integer->IsNumber()) return integer->range;
  return Find<std::pair<Term, int>, Range>(ranges_, integer, {integer, depth}, [&] {
    if (pool_.IsSpent()) return integer->range;
    pool_.SpendRange();
    return integer->kind == Kind::kSum ? RangeOfSum(integer, depth) : RangeOfAtom(integer, depth);
  });
}

Range Scope::RangeOfAtom(Term atom, int depth) {
  Range range = atom->range;
  if (auto bound = BoundOf(atom)) range = Intersect(range, *bound);
  if (depth == 0) return range;
  switch (atom->kind) {
    case Kind::kQuotient:
      return Intersect(range, terms::Quotient(RangeOf(atom->args[0], depth - 1), atom->number));
    case Kind::kMax:
      return Intersect(
          range, terms::Max(RangeOf(atom->args[0], depth - 1), RangeOf(atom->args[1], depth - 1)));
    case Kind::kPick: {
      auto decided = Decide(atom->args[0], depth - 1);
      if (decided) return Intersect(range, RangeOf(atom->args[*decided ? 1 : 2], depth - 1));
      return Intersect(range,
                       Union(RangeOf(atom->args[1], depth - 1), RangeOf(atom->args[2], depth - 1)));
    }
    case Kind::kProduct: {
      Range product = {1, 1};
      for (Term factor : atom->args) product = terms::Multiply(product, RangeOf(factor, depth - 1));
      return Intersect(range, product);
    }
    default:
      return range;
  }
}

Range Scope::RangeOfSum(Term sum, int depth) {
  LinearPart part = LinearPartOf(pool_, sum);
  auto with_constant = [&](Range linear) {
    return terms::Add(terms::Scale(linear, part.factor), {part.constant, part.constant});
  };
  Range range = {sum->number, sum->number};
  for (const Monomial& m : sum->sum) {
    range =
        terms::Add(range, terms::Scale(RangeOf(m.atom, depth > 0 ? depth - 1 : 0), m.coefficient));
  }
  if (auto bound = BoundOf(part.linear)) range = Intersect(range, with_constant(*bound));
  if (depth == 0) return range;
  // Long sums, such as extracted bits, are only matched as one residue.
  if (sum->sum.size() > kMostSummands) return Intersect(range, RangeAsResidue(pool_, sum));
  range = Intersect(range, RangeByDigits(sum, depth));
  range = Intersect(range, RangeAsResidueOfSteps(pool_, sum));
  // Splits off a residue, which is in [0, m - 1] for all operands. Long sums are not split again,
  // since pairs of residues are quadratically many.
  const int deeper = sum->sum.size() > kMostPaired ? 0 : depth - 1;
  for (const Monomial& m : sum->sum) {
    for (const ResidueIn& r : ResiduesIn(sum, m)) {
      Int128 multiple;
      if (__builtin_mul_overflow(r.factor, r.modulus, &multiple)) continue;
      Term rest = pool_.Sum(0, {{1, sum}, {multiple, m.atom}, {-r.factor, r.operand}});
      if (rest->kind == Kind::kUnknown) continue;
      range = Intersect(
          range, terms::Add(RangeOf(rest, deeper), terms::Scale({0, r.modulus - 1}, r.factor)));
    }
  }
  // Splits off a multiple of a sum that has bounds.
  for (const auto& [linear, bounds] : bounds_) {
    if (linear->kind != Kind::kSum || linear == part.linear) continue;
    const Monomial& first = linear->sum[0];
    for (const Monomial& m : sum->sum) {
      if (m.atom != first.atom || m.coefficient % first.coefficient != 0) continue;
      ++uses_of_facts_;
      Int128 k = m.coefficient / first.coefficient;
      // Deep enough for quotients whose operands have bounds.
      Range rest = RangeOf(pool_.Sum(0, {{1, sum}, {-k, linear}}), depth == kRangeDepth ? 2 : 0);
      range = Intersect(range, terms::Add(rest, terms::Scale(bounds, k)));
    }
  }
  return range;
}

// Rewrites multiples of x and of its quotients by m1, m2, ..., where each divides the next, as
// multiples of the digits x mod m1, floor(x / m1) mod (m2 / m1), ... and of the last quotient. The
// digits are independent, so the range of their sum is the sum of their ranges.
Range Scope::RangeByDigits(Term sum, int depth) {
  Range best = kAnything;
  llvm::SmallVector<Term, 4> done;
  for (const Monomial& of : sum->sum) {
    if (of.atom->kind != Kind::kQuotient) continue;
    Term x = of.atom->args[0];
    if (llvm::is_contained(done, x)) continue;
    done.push_back(x);
    const Monomial first = x->kind == Kind::kSum ? x->sum[0] : Monomial{1, x};
    Int128 factor = 0;                                            // coefficient of the next digit
    llvm::SmallVector<std::pair<Int128, Monomial>, 8> quotients;  // by their divisors
    llvm::SmallVector<Monomial, 8> parts;
    for (const Monomial& m : sum->sum) {
      if (const Int128 by = DivisorOf(pool_, m.atom, x)) {
        quotients.push_back({by, m});
        parts.push_back({-m.coefficient, m.atom});
      } else if (m.atom == first.atom && m.coefficient % first.coefficient == 0) {
        factor = m.coefficient / first.coefficient;
      }
    }
    llvm::sort(quotients, [](const auto& a, const auto& b) { return a.first < b.first; });
    parts.push_back({1, sum});
    parts.push_back({-factor, x});
    Term rest = pool_.Sum(0, parts);
    bool exact = rest->kind != Kind::kUnknown;
    Range range = {0, 0};
    Int128 divisor = 1;
    for (const auto& [next, m] : quotients) {
      exact = exact && next % divisor == 0;
      if (!exact) break;
      // The digit is floor((x mod m) / divisor), and facts may bound x mod m further.
      Range residue = Intersect({0, next - 1}, RangeOf(pool_.Sum(0, {{1, x}, {-next, m.atom}}), 0));
      // For x = g * z + y and the quotient floor(z / n), x mod (g * n) is g * (z mod n) + y.
      const Int128 g = next / m.atom->number;
      Term y = pool_.Sum(0, {{1, x}, {-g, m.atom->args[0]}});
      const Range of_z = terms::Scale({0, m.atom->number - 1}, g);
      residue = Intersect(residue, terms::Add(of_z, RangeOf(y, 0)));
      range = terms::Add(range, terms::Scale(terms::Quotient(residue, divisor), factor));
      exact = !__builtin_mul_overflow(factor, next / divisor, &factor) &&
              !__builtin_add_overflow(factor, m.coefficient, &factor);
      divisor = next;
    }
    if (!exact) continue;
    if (factor != 0)
      range =
          terms::Add(range, terms::Scale(RangeOf(quotients.back().second.atom, depth - 1), factor));
    best = Intersect(best, terms::Add(range, RangeOf(rest, depth - 1)));
  }
  return best;
}

}  // namespace affirm::terms
