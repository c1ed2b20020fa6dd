// How terms become linear forms over atoms: products are multiplied out, quotients are made
// canonical, and the bounds of a form are found through the numerators of its quotients.
#include "verify/decide/linear_normal_form.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "llvm/ADT/STLExtras.h"

namespace affirm {
namespace {

constexpr size_t kMaxAtoms = 4000;
constexpr size_t kMaxTerms = 2000;
// More rewriting steps than a quotient ever needs; a guard against a cycle.
constexpr int kMaxSteps = 64;

bool IsQuotient(const LinearNormalForm::Atom& atom) {
  return atom.kind == LinearNormalForm::AtomKind::kQuotient;
}

BigInt Abs(const BigInt& v) { return v < 0 ? -v : v; }

bool Divides(const BigInt& d, const BigInt& v) { return v % d == 0; }

// Removes from `form` what divides evenly: returns A with form = divisor * A + (what is left),
// where the constant left over lies in [0, divisor).
LinearForm PullMultiples(LinearForm& form, const BigInt& divisor) {
  LinearForm pulled;
  llvm::erase_if(form.terms, [&](const LinearForm::Term& t) {
    if (!Divides(divisor, t.coefficient)) return false;
    pulled.terms.push_back({t.atom, t.coefficient / divisor});
    return true;
  });
  pulled.constant = floorDiv(form.constant, divisor);
  form.constant -= pulled.constant * divisor;
  return pulled;
}

// (g * X + r) div (g * c) = (X + r div g) div c.
void CancelCommonFactor(LinearForm& form, BigInt& divisor) {
  BigInt g = divisor;
  for (const LinearForm::Term& t : form.terms) g = gcd(g, Abs(t.coefficient));
  if (g == 1) return;
  for (LinearForm::Term& t : form.terms) t.coefficient /= g;
  form.constant = floorDiv(form.constant, g);
  divisor /= g;
}

}  // namespace

const LinearForm* LinearNormalForm::Lower(SymbolicExpr e) {
  if (!e) return nullptr;
  e.Walk([&](SymbolicExpr node) {
    if (too_large_ || lowered_.count(node)) return;
    LinearForm form = LowerNode(node);
    if (form.terms.size() > kMaxTerms || atoms_.size() > kMaxAtoms) too_large_ = true;
    lowered_.try_emplace(node, std::move(form));
  });
  if (too_large_) return nullptr;
  return &lowered_.find(e)->second;
}

LinearForm LinearNormalForm::LowerNode(SymbolicExpr e) {
  switch (e.kind()) {
    case ExprKind::kConstant:
      return LinearForm::Constant(BigInt(e.value()));
    case ExprKind::kVariable: {
      Interval bounds = variables_[e.value()];
      if (bounds.IsPoint()) return LinearForm::Constant(BigInt(bounds.lower));
      return LinearForm::Atom(Intern({.kind = AtomKind::kVariable, .variable = e.value()}));
    }
    case ExprKind::kAdd: {
      LinearForm sum = LinearForm::Constant(BigInt(e.value()));
      for (SymbolicExpr op : e.ops()) sum.Add(lowered_.find(op)->second, BigInt(1));
      return sum;
    }
    case ExprKind::kMul:
      return LowerProduct(e);
    case ExprKind::kFloorDiv:
    case ExprKind::kCeilDiv:
    case ExprKind::kMod:
      return LowerQuotient(e);
    case ExprKind::kMin:
    case ExprKind::kMax:
      return LowerMinMax(e);
  }
  return {};
}

LinearForm LinearNormalForm::LowerProduct(SymbolicExpr e) {
  LinearForm product = LinearForm::Constant(BigInt(e.value()));
  for (SymbolicExpr op : e.ops()) {
    if (too_large_) break;
    product = Multiply(product, lowered_.find(op)->second);
  }
  return product;
}

LinearForm LinearNormalForm::Multiply(const LinearForm& a, const LinearForm& b) {
  LinearForm result = b;
  result.Scale(a.constant);
  if (a.terms.size() * b.terms.size() > kMaxTerms) {
    too_large_ = true;
    return {};
  }
  for (const LinearForm::Term& s : a.terms) {
    result.Add(s.atom, s.coefficient * b.constant);
    for (const LinearForm::Term& t : b.terms) {
      Atom product{.kind = AtomKind::kProduct};
      for (uint32_t factor : {s.atom, t.atom}) {
        if (atoms_[factor].kind == AtomKind::kProduct) {
          llvm::append_range(product.factors, atoms_[factor].factors);
        } else {
          product.factors.push_back(factor);
        }
      }
      llvm::sort(product.factors);
      result.Add(Intern(std::move(product)), s.coefficient * t.coefficient);
    }
  }
  return result;
}

LinearForm LinearNormalForm::LowerQuotient(SymbolicExpr e) {
  LinearForm dividend = lowered_.find(e.op(0))->second;
  LinearForm divisor = lowered_.find(e.op(1))->second;
  if (e.kind() == ExprKind::kMod) return FormResidue(dividend, divisor);
  // ceil(x / c) = -floor(-x / c)
  bool is_ceil = e.kind() == ExprKind::kCeilDiv;
  if (is_ceil) dividend.Scale(BigInt(-1));
  LinearForm quotient = FormQuotient(std::move(dividend), std::move(divisor));
  if (is_ceil) quotient.Scale(BigInt(-1));
  return quotient;
}

LinearForm LinearNormalForm::FormResidue(const LinearForm& form, const LinearForm& modulus) {
  LinearForm quotient = FormQuotient(form, modulus);
  BigInterval range = Bounds(modulus);
  if (range.lower && *range.lower > 0) return form - Multiply(modulus, quotient);
  return LinearForm::Atom(
      Intern({.kind = AtomKind::kFormResidue, .operands = {form, modulus, std::move(quotient)}}));
}

LinearForm LinearNormalForm::FormQuotient(LinearForm form, LinearForm divisor) {
  BigInterval range = Bounds(divisor);
  bool positive = range.lower && *range.lower > 0, negative = range.upper && *range.upper < 0;
  LinearForm quotient;
  if (positive || negative) {
    if (divisor.IsConstant()) {
      if (negative) form.Scale(BigInt(-1));
      return FloorDiv(std::move(form), positive ? divisor.constant : -divisor.constant);
    }
    if (positive) return PositiveQuotient(std::move(form), std::move(divisor));
    quotient = PullProducts(form, divisor);
    if (form == LinearForm()) return quotient;
  }
  uint32_t atom =
      Intern({.kind = AtomKind::kFormQuotient, .operands = {std::move(form), std::move(divisor)}});
  quotient.Add(atom, BigInt(1));
  return quotient;
}

LinearForm LinearNormalForm::PositiveQuotient(LinearForm form, LinearForm divisor) {
  LinearForm quotient;
  BigInt sign(1);
  for (int step = 0; step < kMaxSteps && !too_large_; ++step) {
    quotient.Add(PullProducts(form, divisor), sign);
    if (IsWithin(form, divisor)) return quotient;
    // A div D = -(ceil(-A / D)) = -1 - (-A - 1) div D: one sign of a numerator is enough.
    const bool falls = form.terms.empty() ? form.constant < 0 : form.terms[0].coefficient < 0;
    if (falls) {
      quotient.constant -= sign;
      sign = -sign;
      form.Scale(BigInt(-1));
      form.constant -= 1;
      continue;
    }
    if (FlattenForms(form, divisor) || CancelAtom(form, divisor)) {
      if (!divisor.IsConstant()) continue;
      quotient.Add(FloorDiv(std::move(form), divisor.constant), sign);
      return quotient;
    }
    break;
  }
  quotient.Add(
      Intern({.kind = AtomKind::kFormQuotient, .operands = {std::move(form), std::move(divisor)}}),
      sign);
  return quotient;
}

bool LinearNormalForm::IsWithin(const LinearForm& form, const LinearForm& divisor) const {
  BigInterval rest = Bounds(form), gap = Bounds(divisor - form);
  return rest.lower && *rest.lower >= 0 && gap.lower && *gap.lower > 0;
}

// (x div A + Z) div C = (x + A * Z) div (A * C) for A > 0 and C > 0.
bool LinearNormalForm::FlattenForms(LinearForm& form, LinearForm& divisor) {
  for (const LinearForm::Term& t : form.terms) {
    const Atom atom = atoms_[t.atom];
    const bool by_form = atom.kind == AtomKind::kFormQuotient;
    if ((!IsQuotient(atom) && !by_form) || t.coefficient != 1) continue;
    const LinearForm by = by_form ? atom.operands[1] : LinearForm::Constant(atom.divisor);
    BigInterval range = Bounds(by);
    if (!range.lower || *range.lower <= 0) continue;
    LinearForm rest = form;
    rest.Add(t.atom, BigInt(-1));
    rest = Multiply(by, rest);
    rest.Add(atom.operands[0], BigInt(1));
    divisor = Multiply(by, divisor);
    form = std::move(rest);
    return true;
  }
  return false;
}

// (G * A + B) div (G * D) = A div D for an atom G > 0 and 0 <= B < G.
bool LinearNormalForm::CancelAtom(LinearForm& form, LinearForm& divisor) {
  if (divisor.terms.size() != 1 || divisor.constant != 0) return false;
  const std::vector<uint32_t> factors = FactorsOf(divisor.terms[0].atom);
  if (factors.size() == 1 && divisor.terms[0].coefficient == 1) return false;
  for (uint32_t factor : factors) {
    const BigInterval& range = atoms_[factor].bounds;
    if (!range.lower || *range.lower <= 0) continue;
    const LinearForm by = LinearForm::Atom(factor);
    LinearForm rest = form, multiples = PullProducts(rest, by);
    if (multiples == LinearForm() || !IsWithin(rest, by)) continue;
    divisor = PullProducts(divisor, by);
    form = std::move(multiples);
    return true;
  }
  return false;
}

std::vector<uint32_t> LinearNormalForm::FactorsOf(uint32_t atom) const {
  if (atoms_[atom].kind == AtomKind::kProduct) return atoms_[atom].factors;
  return {atom};
}

// For a divisor k * x with an atom x, which is never 0: removes from `form` the products with x
// whose coefficient k divides, and returns their sum divided by the divisor:
// (k * x * A + B) div (k * x) = A + B div (k * x). The atom may be a product.
LinearForm LinearNormalForm::PullProducts(LinearForm& form, const LinearForm& divisor) {
  LinearForm pulled;
  if (divisor.terms.size() != 1 || divisor.constant != 0) return pulled;
  const LinearForm::Term by = divisor.terms[0];
  const std::vector<uint32_t> of_divisor = FactorsOf(by.atom);
  std::vector<LinearForm::Term> kept;
  for (const LinearForm::Term& t : form.terms) {
    BigInt ratio = t.coefficient / by.coefficient;
    // Both are sorted.
    std::vector<uint32_t> factors, of_term = FactorsOf(t.atom);
    bool divides = ratio * by.coefficient == t.coefficient && llvm::includes(of_term, of_divisor);
    std::set_difference(of_term.begin(), of_term.end(), of_divisor.begin(), of_divisor.end(),
                        std::back_inserter(factors));
    if (!divides) {
      kept.push_back(t);
    } else if (factors.empty()) {
      pulled.constant += ratio;
    } else {
      uint32_t rest = factors.front();
      if (factors.size() > 1) rest = Intern({.kind = AtomKind::kProduct, .factors = factors});
      pulled.Add(rest, ratio);
    }
  }
  form.terms = std::move(kept);
  return pulled;
}

LinearForm LinearNormalForm::LowerMinMax(SymbolicExpr e) {
  bool is_min = e.kind() == ExprKind::kMin;
  std::vector<LinearForm> kept;
  for (SymbolicExpr op : e.ops()) {
    const LinearForm& candidate = lowered_.find(op)->second;
    // No smaller (larger) than an operand that is there already, or the other way round.
    auto loses = [&](const LinearForm& x, const LinearForm& to) {
      BigInterval d = Bounds(is_min ? x - to : to - x);
      return d.lower && *d.lower >= 0;
    };
    if (llvm::any_of(kept, [&](const LinearForm& k) { return loses(candidate, k); })) continue;
    llvm::erase_if(kept, [&](const LinearForm& k) { return loses(k, candidate); });
    kept.push_back(candidate);
  }
  if (kept.size() == 1) return kept.front();
  llvm::sort(kept);
  return LinearForm::Atom(
      Intern({.kind = is_min ? AtomKind::kMin : AtomKind::kMax, .operands = std::move(kept)}));
}

LinearForm LinearNormalForm::FloorDiv(LinearForm form, BigInt divisor) {
  LinearForm result;
  for (int step = 0; step < kMaxSteps; ++step) {
    result.Add(PullMultiples(form, divisor), BigInt(1));
    CancelCommonFactor(form, divisor);
    if (divisor == 1) {
      result.Add(form, BigInt(1));
      return result;
    }
    BigInterval range = affirm::FloorDiv(Bounds(form), divisor);
    if (range.lower && range.upper && *range.lower == *range.upper) {
      result.constant += *range.lower;
      return result;
    }
    if (!Flatten(form, divisor) && !DropSmallRest(form, divisor)) break;
  }
  if (LinearForm by = LinearForm::Constant(divisor); FlattenForms(form, by)) {
    result.Add(PositiveQuotient(std::move(form), std::move(by)), BigInt(1));
    return result;
  }
  result.Add(Intern({.kind = AtomKind::kQuotient, .divisor = divisor, .operands = {form}}),
             BigInt(1));
  return result;
}

// (x div a + Z) div c = (x + a * Z) div (a * c), and with -(x div a) = (-x + a - 1) div a the same
// for a quotient that is subtracted.
bool LinearNormalForm::Flatten(LinearForm& form, BigInt& divisor) const {
  for (const LinearForm::Term& t : form.terms) {
    const Atom& atom = atoms_[t.atom];
    if (!IsQuotient(atom) || Abs(t.coefficient) != 1) continue;
    LinearForm rest = form;
    rest.Add(t.atom, -t.coefficient);
    rest.Scale(atom.divisor);
    rest.Add(atom.operands[0], t.coefficient);
    if (t.coefficient < 0) rest.constant += atom.divisor - 1;
    divisor *= atom.divisor;
    form = std::move(rest);
    return true;
  }
  return false;
}

// (g * A + B) div (g * c) = A div c when 0 <= B < g (or, more generally, when B div g is one
// number).
bool LinearNormalForm::DropSmallRest(LinearForm& form, BigInt& divisor) const {
  std::vector<BigInt> candidates;
  for (const LinearForm::Term& t : form.terms) {
    BigInt g = gcd(Abs(t.coefficient), divisor);
    if (g > 1) candidates.push_back(g);
  }
  llvm::sort(candidates, [](const BigInt& a, const BigInt& b) { return a > b; });
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  for (const BigInt& g : candidates) {
    LinearForm rest = form;
    LinearForm multiples = PullMultiples(rest, g);
    BigInterval range = affirm::FloorDiv(Bounds(rest), g);
    if (!range.lower || !range.upper || *range.lower != *range.upper) continue;
    multiples.constant += *range.lower;
    form = std::move(multiples);
    divisor /= g;
    return true;
  }
  return false;
}

uint32_t LinearNormalForm::Intern(Atom atom) {
  Key key(atom.kind, atom.variable, atom.divisor, atom.operands, atom.factors);
  auto [at, inserted] = index_.try_emplace(std::move(key), static_cast<uint32_t>(atoms_.size()));
  if (inserted) {
    atom.bounds = AtomBounds(atom);
    atoms_.push_back(std::move(atom));
  }
  return at->second;
}

BigInterval LinearNormalForm::AtomBounds(const Atom& atom) const {
  switch (atom.kind) {
    case AtomKind::kVariable:
      return BigInterval::From(variables_[atom.variable]);
    case AtomKind::kQuotient:
      return affirm::FloorDiv(Bounds(atom.operands[0]), atom.divisor);
    case AtomKind::kFormResidue:
      return {};
    case AtomKind::kFormQuotient: {
      // |x div c| <= |x| (and -1 for a negative x): enough for a nonzero integer c of either sign.
      BigInterval n = Bounds(atom.operands[0]), d = Bounds(atom.operands[1]);
      if (!d.Excludes(BigInt(0)) || !n.lower || !n.upper) return {};
      BigInt size = std::max(Abs(*n.lower), Abs(*n.upper));
      if (d.lower && *d.lower > 0 && *n.lower >= 0) return {BigInt(0), size};
      return {-size - 1, size};
    }
    case AtomKind::kProduct: {
      BigInterval product = BigInterval::Point(BigInt(1));
      for (uint32_t factor : atom.factors) product = product * atoms_[factor].bounds;
      return product;
    }
    case AtomKind::kMin:
    case AtomKind::kMax: {
      BigInterval result = Bounds(atom.operands.front());
      for (const LinearForm& f : llvm::drop_begin(atom.operands)) {
        result = atom.kind == AtomKind::kMin ? affirm::Min(result, Bounds(f))
                                             : affirm::Max(result, Bounds(f));
      }
      return result;
    }
  }
  return {};
}

BigInterval LinearNormalForm::PlainBounds(const LinearForm& form) const {
  BigInterval sum = BigInterval::Point(form.constant);
  for (const LinearForm::Term& t : form.terms) sum = sum + atoms_[t.atom].bounds * t.coefficient;
  return sum;
}

BigInterval LinearNormalForm::Bounds(const LinearForm& form) const {
  BigInterval result = PlainBounds(form);
  bool has_quotient = llvm::any_of(
      form.terms, [&](const LinearForm::Term& t) { return IsQuotient(atoms_[t.atom]); });
  if (!has_quotient || form.terms.size() == 1) return result;
  LinearForm negated = form;
  negated.Scale(BigInt(-1));
  BigInterval other;
  other.upper = UpperByElimination(form);
  if (auto low = UpperByElimination(negated)) other.lower = -*low;
  return result.Intersect(other);
}

std::optional<BigInt> LinearNormalForm::UpperByElimination(LinearForm form) const {
  // Invariant: scale * (the form asked about) <= form. Atoms refer to earlier ones, so one sweep
  // down is enough.
  BigInt scale(1);
  uint32_t below = atoms_.size();
  while (true) {
    auto next = llvm::find_if(llvm::reverse(form.terms),
                              [&](const LinearForm::Term& t) { return t.atom < below; });
    if (next == form.terms.rend()) break;
    uint32_t at = below = next->atom;
    BigInt k = next->coefficient;
    if (!IsQuotient(atoms_[at])) continue;
    const Atom& atom = atoms_[at];
    const LinearForm& x = atom.operands[0];
    bool shares = llvm::any_of(
        x.terms, [&](const LinearForm::Term& t) { return form.Coefficient(t.atom) != 0; });
    if (!shares) continue;
    // k > 0: q <= x / c.  k < 0: q >= (x - c + 1) / c.
    form.Add(at, -k);
    form.Scale(atom.divisor);
    form.Add(x, k);
    if (k < 0) form.constant += -k * (atom.divisor - 1);
    scale *= atom.divisor;
  }
  BigInterval bounds = PlainBounds(form);
  if (!bounds.upper) return std::nullopt;
  return floorDiv(*bounds.upper, scale);
}

}  // namespace affirm
