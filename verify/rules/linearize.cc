// Linearization: a system in which the signs of all divisors are known becomes a linear query, in
// which each monomial is a variable and products of facts with positive factors are facts again.
#include <algorithm>
#include <set>

#include "verify/rules/bounds_propagation.h"
#include "verify/rules/unsat_prover.h"

namespace affirm::rules {
namespace {

constexpr size_t kMaxMultipliers = 14;
constexpr size_t kMaxLemmas = 160;
constexpr size_t kMaxProducts = 400;

class Builder {
 public:
  Builder(const System& s, bool wide) : s_(s), bounds_(s), wide_(wide) {}

  LinearQuery Run() {
    Base();
    Multipliers();
    Multiply();
    if (wide_) Products();
    for (const PolyFact& f : query_.facts) Note(f.p);
    Lemmas();
    return std::move(query_);
  }

 private:
  void Base() {
    for (const PolyFact& f : s_.facts)
      if (wide_ || !UsesBezout(f.p)) AddBase(f);
    for (size_t v = 0; v < s_.roles.size(); ++v) {
      const Range& r = bounds_.of(static_cast<int>(v));
      Poly x = Poly::Variable(static_cast<int>(v));
      if (r.lower) AddBase(AtLeast(x, Poly(*r.lower)));
      if (r.upper) AddBase(AtLeast(Poly(*r.upper), x));
    }
    for (const QuotientDef& q : s_.quotients) {
      Poly rest = q.numerator - q.divisor * q.value;
      // floordiv: the rest has the divisor's sign, or is zero; ceildiv: the opposite one. All
      // variables of divisors are positive by now.
      const auto* term = q.divisor.SingleTerm();
      if (!term || !Positive(term->first)) continue;
      bool positive = term->second > 0;
      Poly magnitude = positive ? q.divisor : -q.divisor;
      Poly towards = positive == q.ceil ? -rest : rest;
      AddBase(AtLeast(towards, Poly(0)));
      AddBase(AtLeast(magnitude - Poly(1), towards));
    }
  }

  // Whether p has coefficients of Bezout's identity. They serve in Euclid's lemma, and are left out
  // of the smaller query.
  bool UsesBezout(const Poly& p) const {
    return std::any_of(p.terms().begin(), p.terms().end(), [&](const auto& t) {
      return std::any_of(t.first.begin(), t.first.end(),
                         [&](int v) { return s_.roles[v] == VarRole::kBezout; });
    });
  }

  void AddBase(PolyFact f) {
    if (f.p.AsConstant() && !f.equality && *f.p.AsConstant() >= 0) return;
    if (std::find(base_.begin(), base_.end(), f) == base_.end()) base_.push_back(std::move(f));
  }

  bool Positive(const Monomial& m) const {
    return std::all_of(m.begin(), m.end(), [&](int v) { return bounds_.of(v).Positive(); });
  }

  void AddMultiplier(const Monomial& m) {
    if (multipliers_.size() < kMaxMultipliers && Positive(m) &&
        std::find(multipliers_.begin(), multipliers_.end(), m) == multipliers_.end())
      multipliers_.push_back(m);
  }

  void Multipliers() {
    for (const QuotientDef& q : s_.quotients)
      for (const auto& [m, c] : q.divisor.terms()) {
        AddMultiplier(m);
        for (const Monomial& d : Divisors(m)) AddMultiplier(d);
      }
    for (const PolyFact& f : base_)
      for (const auto& [m, c] : f.p.terms())
        if (m.size() > 1)
          for (int v : m)
            if (s_.roles[v] == VarRole::kConstant || s_.roles[v] == VarRole::kCofactor)
              AddMultiplier({v});
    std::sort(multipliers_.begin(), multipliers_.end(), BySize);
  }

  void AddFact(const Poly& p, bool equality) {
    if (!p.AsConstant()) query_.facts.push_back({p, equality});
  }

  void Multiply() {
    query_.facts = base_;
    size_t most = MaxDegree();
    for (const PolyFact& f : base_) {
      for (const Monomial& m : multipliers_) {
        if (f.p.degree() + m.size() > most) continue;
        // (p - 1) * f >= 0 says more than p * f >= 0.
        AddFact(f.equality ? Poly::Of(m) * f.p : (Poly::Of(m) - Poly(1)) * f.p, f.equality);
      }
    }
  }

  size_t MaxDegree() const {
    size_t d = 2;
    for (const PolyFact& f : base_) d = std::max(d, f.p.degree());
    return d + (wide_ ? 2 : 1);
  }

  // Products of two facts.
  void Products() {
    size_t before = query_.facts.size();
    for (size_t i = 0; i < base_.size(); ++i)
      for (size_t j = 0; j <= i && query_.facts.size() < before + kMaxProducts; ++j)
        if (!base_[i].equality && !base_[j].equality &&
            base_[i].p.degree() + base_[j].p.degree() <= MaxDegree())
          AddFact(base_[i].p * base_[j].p, false);
  }

  void Note(const Poly& p) {
    for (const auto& [m, c] : p.terms()) known_.insert(m);
  }

  void AddLemma(Poly d) {
    if (d.AsConstant() || query_.lemmas.size() >= kMaxLemmas) return;
    // One of D and -D.
    if (d.terms().rbegin()->second < 0) d = -d;
    if (!seen_.insert(d).second) return;
    LinearQuery::Lemma lemma{d, {}, {}};
    for (const Monomial& m : multipliers_) {
      Poly pd = Poly::Of(m) * d;
      bool occurs = std::all_of(pd.terms().begin(), pd.terms().end(),
                                [&](const auto& t) { return known_.count(t.first); });
      if (occurs || (wide_ && pd.degree() <= MaxDegree())) lemma.multipliers.push_back(m);
    }
    // If D is zero, so are its multiples, whatever the sign of the factor.
    for (const Monomial& m : known_) {
      auto w = Quotient(m, d.terms().rbegin()->first);
      if (!w || w->empty() || Positive(*w)) continue;
      Poly wd = Poly::Of(*w) * d;
      if (std::all_of(wd.terms().begin(), wd.terms().end(),
                      [&](const auto& t) { return known_.count(t.first); }))
        lemma.zero_multipliers.push_back(*w);
    }
    if (!lemma.multipliers.empty() || !lemma.zero_multipliers.empty())
      query_.lemmas.push_back(std::move(lemma));
  }

  void Lemmas() {
    std::vector<Poly> atoms;
    atoms.reserve(s_.quotients.size());
    for (const QuotientDef& q : s_.quotients) atoms.push_back(q.value);
    size_t num_quotients = atoms.size();
    std::set<int> used;
    for (const PolyFact& f : base_)
      for (const auto& [m, c] : f.p.terms()) used.insert(m.begin(), m.end());
    for (int v : used)
      if (s_.roles[v] != VarRole::kQuotient) atoms.push_back(Poly::Variable(v));
    for (size_t i = 0; i < num_quotients; ++i)
      for (size_t j = 0; j < i; ++j) AddLemma(atoms[i] - atoms[j]);
    // The remainder of a fact when a multiplier is divided out: a step of rounding.
    for (const PolyFact& f : base_)
      for (const Monomial& m : multipliers_) {
        Poly e = f.p.QuotientBy(m);
        AddLemma(e);
        if (e.constant() == 0) {
          AddLemma(e + Poly(1));
          AddLemma(e - Poly(1));
        }
      }
    for (size_t i = 0; i < atoms.size(); ++i) {
      AddLemma(atoms[i]);
      for (size_t j = 0; j < std::min(i, wide_ ? i : num_quotients); ++j)
        AddLemma(atoms[i] - atoms[j]);
    }
  }

  const System& s_;
  BoundsPropagation bounds_;
  bool wide_;
  std::vector<PolyFact> base_;
  std::vector<Monomial> multipliers_;
  std::set<Monomial> known_;
  std::set<Poly> seen_;
  LinearQuery query_;
};

}  // namespace

LinearQuery Linearize(const System& system, bool wide) { return Builder(system, wide).Run(); }

}  // namespace affirm::rules
