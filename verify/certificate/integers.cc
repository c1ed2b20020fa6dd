// Normal forms of terms, and what ranges they have where facts hold.
#include "verify/certificate/integers.h"

#include <algorithm>
#include <utility>

namespace affirm::certificate {
namespace {

constexpr int kBudget = 20'000;
constexpr int kEliminations = 4;
constexpr size_t kMaxTerms = 10'000;

Range Intersect(const Range& a, const Range& b) {
  Range r = a;
  if (b.lower && (!r.lower || *b.lower > *r.lower)) r.lower = b.lower;
  if (b.upper && (!r.upper || *b.upper < *r.upper)) r.upper = b.upper;
  return r;
}

// The form without its constant.
Form Varying(Form form) {
  form.erase(Monomial{});
  return form;
}

}  // namespace

Int ConstantOf(const Form& form) {
  auto it = form.find(Monomial{});
  return it == form.end() ? 0 : it->second;
}

Int CommonFactor(const Form& form) {
  Int g = 0;
  for (const auto& [monomial, c] : form) {
    if (!monomial.empty()) g = Gcd(g, c);
  }
  return g;
}

Range Sum(const Range& a, const Range& b) {
  Range r;
  if (a.lower && b.lower) r.lower = *a.lower + *b.lower;
  if (a.upper && b.upper) r.upper = *a.upper + *b.upper;
  return r;
}

Range Scaled(const Range& a, const Int& by) {
  if (by == 0) return {0, 0};
  Range r;
  if (a.lower) r.lower = *a.lower * by;
  if (a.upper) r.upper = *a.upper * by;
  if (by < 0) std::swap(r.lower, r.upper);
  return r;
}

Form Integers::Constant(const Int& value) {
  if (value == 0) return {};
  return {{Monomial{}, value}};
}

Form Integers::Variable(int index) { return OfAtom(Intern({Kind::kVariable, index, 0, {}})); }

Form Integers::Add(Form a, const Form& b, const Int& scale) {
  for (const auto& [monomial, c] : b) {
    Int& to = a[monomial];
    to = to + c * scale;
    if (to == 0) a.erase(monomial);
  }
  return a;
}

Form Integers::Multiply(const Form& a, const Form& b) {
  Form product;
  if (a.size() * b.size() > kMaxTerms) broken_ = true;
  if (broken_) return product;
  for (const auto& [m, c] : a) {
    for (const auto& [n, d] : b) {
      Monomial both = m;
      both.insert(both.end(), n.begin(), n.end());
      std::sort(both.begin(), both.end());
      product = Add(std::move(product), Form{{both, c * d}});
    }
  }
  return product;
}

// (y floordiv a + z) floordiv b  =  (y + a * z) floordiv (a * b)
bool Integers::Flatten(Form& x, Int& divisor) {
  for (const auto& [monomial, c] : x) {
    if (c != 1 || monomial.size() != 1) continue;
    Atom inner = atoms_[monomial[0]];
    if (inner.kind != Kind::kQuotient) continue;
    Form z = Add(x, Form{{monomial, 1}}, -1);
    x = Add(inner.operands[0], z, inner.divisor);
    divisor = divisor * inner.divisor;
    return true;
  }
  return false;
}

Form Integers::FloorDiv(Form x, const Form& divisor) {
  if (CommonFactor(divisor) != 0) {
    divisors_.push_back({divisor, /*is_modulus=*/false});
    return OfAtom(Intern({Kind::kFormQuotient, -1, 0, {std::move(x), divisor}}));
  }
  Int c = ConstantOf(divisor);
  if (c == 0) broken_ = true, c = 1;
  if (c < 0) x = Add({}, x, -1), c = -c;
  while (c > 1 && !broken_ && Flatten(x, c)) {
  }
  if (c == 1) return x;
  if (CommonFactor(x) == 0) return Constant(FloorOf(ConstantOf(x), c));
  return OfAtom(Intern({Kind::kQuotient, -1, c, {std::move(x)}}));
}

Form Integers::CeilDiv(const Form& x, const Form& divisor) {
  return Add({}, FloorDiv(Add({}, x, -1), divisor), -1);
}

Form Integers::Mod(const Form& x, const Form& modulus) {
  if (CommonFactor(modulus) != 0) {
    divisors_.push_back({modulus, /*is_modulus=*/true});
  } else if (ConstantOf(modulus) <= 0) {
    broken_ = true;
  }
  return Add(x, Multiply(modulus, FloorDiv(x, modulus)), -1);
}

Form Integers::Extremum(Kind kind, std::vector<Form> of) {
  std::sort(of.begin(), of.end());
  of.erase(std::unique(of.begin(), of.end()), of.end());
  if (of.size() == 1) return of[0];
  return OfAtom(Intern({kind, -1, 0, std::move(of)}));
}

int Integers::Intern(Atom atom) {
  auto [it, fresh] = index_.try_emplace(atom, static_cast<int>(atoms_.size()));
  if (fresh) atoms_.push_back(std::move(atom));
  return it->second;
}

Range Integers::Bounds(const Form& form, const std::vector<Fact>& facts) {
  budget_ = kBudget;
  of_atoms_.clear();
  return BoundsWithin(form, facts, kEliminations);
}

// The range of the parts, what facts say of the form itself, and the ranges of the forms that arise
// when a * q with q = x floordiv c and c | a becomes (a / c) * (x - r) with 0 <= r < c, or a
// minimum one of its operands.
Range Integers::BoundsWithin(const Form& form, const std::vector<Fact>& facts, int eliminations) {
  if (--budget_ < 0 || broken_) return {};
  Range range = PlainBounds(form, facts);
  Form varying = Varying(form), opposite = Add({}, varying, -1);
  for (const Fact& fact : facts) {
    Form other = Varying(fact.form);
    Int sign = other == varying ? 1 : other == opposite ? -1 : 0;
    if (sign == 0 || other.empty()) continue;
    Int shift = ConstantOf(form) - sign * ConstantOf(fact.form);
    range = Intersect(range, Sum(Scaled(fact.range, sign), {shift, shift}));
  }
  if (eliminations == 0) return range;
  for (const auto& [monomial, a] : form) {
    if (monomial.size() != 1) continue;
    Atom quotient = atoms_[monomial[0]];
    if (quotient.kind == Kind::kMin || quotient.kind == Kind::kMax) {
      Form rest = Add(form, Form{{monomial, a}}, -1);
      range = Intersect(range, OfChoices(rest, quotient, a, facts, eliminations - 1));
    }
    if (quotient.kind != Kind::kQuotient) continue;
    auto [times, left] = Divide(a, quotient.divisor);
    if (left != 0) continue;
    Form rest = Add(Add(form, Form{{monomial, a}}, -1), quotient.operands[0], times);
    Range remainder = Scaled({0, quotient.divisor - 1}, -times);
    range = Intersect(range, Sum(BoundsWithin(rest, facts, eliminations - 1), remainder));
  }
  return range;
}

// The range of rest + a * m, where m is the least or greatest of its operands: it is one of them,
// and not more (or not less) than each.
Range Integers::OfChoices(const Form& rest, const Atom& m, const Int& a,
                          const std::vector<Fact>& facts, int eliminations) {
  bool least = (m.kind == Kind::kMin) == (a > 0);
  Range hull, each;
  for (size_t k = 0; k < m.operands.size(); ++k) {
    Range one = BoundsWithin(Add(rest, m.operands[k], a), facts, eliminations);
    if (k == 0) hull = one;
    hull.lower =
        one.lower && hull.lower ? std::optional(std::min(*one.lower, *hull.lower)) : std::nullopt;
    hull.upper =
        one.upper && hull.upper ? std::optional(std::max(*one.upper, *hull.upper)) : std::nullopt;
    each = Intersect(each, least ? Range{{}, one.upper} : Range{one.lower, {}});
  }
  return Intersect(hull, each);
}

Range Integers::PlainBounds(const Form& form, const std::vector<Fact>& facts) {
  Range sum{0, 0};
  for (const auto& [monomial, c] : form) {
    Range product{1, 1};
    for (int atom : monomial) {
      Range a = AtomBounds(atom, facts);
      if (product == Range{1, 1}) {
        product = a;
        continue;
      }
      if (!a.lower || !a.upper || !product.lower || !product.upper) return {};
      Int ends[] = {*a.lower * *product.lower, *a.lower * *product.upper, *a.upper * *product.lower,
                    *a.upper * *product.upper};
      product = {*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4)};
    }
    sum = Sum(sum, Scaled(product, c));
  }
  return sum;
}

Range Integers::AtomBounds(int index, const std::vector<Fact>& facts) {
  if (auto known = of_atoms_.find(index); known != of_atoms_.end()) return known->second;
  const Range range = BoundsOfNewAtom(index, facts);
  of_atoms_.emplace(index, range);
  return range;
}

Range Integers::BoundsOfNewAtom(int index, const std::vector<Fact>& facts) {
  Atom atom = atoms_[index];
  Range range;
  if (atom.kind == Kind::kQuotient) {
    Range of = BoundsWithin(atom.operands[0], facts, kEliminations - 2);
    if (of.lower) range.lower = FloorOf(*of.lower, atom.divisor);
    if (of.upper) range.upper = FloorOf(*of.upper, atom.divisor);
  } else if (atom.kind == Kind::kMin || atom.kind == Kind::kMax) {
    bool is_min = atom.kind == Kind::kMin;
    std::vector<Range> parts;
    parts.reserve(atom.operands.size());
    for (const Form& operand : atom.operands) {
      parts.push_back(BoundsWithin(operand, facts, kEliminations - 2));
    }
    // On one side the best part counts, on the other every part must have an end.
    Range best, all = parts[0];
    for (const Range& part : parts) {
      best = Intersect(best, is_min ? Range{{}, part.upper} : Range{part.lower, {}});
      auto join = [&](auto& to, const auto& from, auto choose) {
        to = to && from ? std::optional<Int>(choose(*to, *from)) : std::nullopt;
      };
      join(all.lower, part.lower, [](const Int& a, const Int& b) { return std::min(a, b); });
      join(all.upper, part.upper, [](const Int& a, const Int& b) { return std::max(a, b); });
    }
    range = is_min ? Range{all.lower, best.upper} : Range{best.lower, all.upper};
  }
  for (const Fact& fact : facts) {
    if (fact.form == OfAtom(index)) range = Intersect(range, fact.range);
  }
  return range;
}

std::vector<Int> Integers::Divisors(const Form& form) const {
  std::vector<Int> found;
  for (const auto& [monomial, c] : form) {
    for (int atom : monomial) {
      if (atoms_[atom].kind == Kind::kQuotient) found.push_back(atoms_[atom].divisor);
      for (const Form& operand : atoms_[atom].operands) {
        std::vector<Int> inner = Divisors(operand);
        found.insert(found.end(), inner.begin(), inner.end());
      }
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace affirm::certificate
