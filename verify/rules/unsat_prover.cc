// Case distinctions on signs and choices until a linear query to Z3 shows that no case has a
// solution.
#include "verify/rules/unsat_prover.h"

#include <z3++.h>

#include <algorithm>
#include <set>

#include "verify/rules/bounds_propagation.h"
#include "verify/rules/reduce.h"

namespace affirm::rules {
namespace {

constexpr int kMaxDepth = 64;

// Variables whose sign decides how facts may be multiplied: those of divisors, and constants that
// occur in a product without any of these.
std::vector<int> SignVariables(const System& s) {
  std::set<int> found;
  auto add = [&](const Poly& p) {
    for (const auto& [m, c] : p.terms()) found.insert(m.begin(), m.end());
  };
  for (const QuotientDef& q : s.quotients) add(q.divisor);
  std::vector<int> list(found.begin(), found.end());
  std::set<int> more;
  for (const PolyFact& f : s.facts) {
    for (const auto& [m, c] : f.p.terms()) {
      if (m.size() < 2 || std::any_of(m.begin(), m.end(), [&](int v) { return found.count(v); }))
        continue;
      for (int v : m)
        if (s.roles[v] == VarRole::kConstant || s.roles[v] == VarRole::kCofactor) more.insert(v);
    }
  }
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

// Gives each divisor that is a sum a name of its own.
void NameDivisors(System& s) {
  for (size_t i = 0; i < s.quotients.size(); ++i) {
    Poly d = s.quotients[i].divisor;
    if (d.terms().size() < 2) continue;
    int v = s.NewVariable(VarRole::kCofactor, "d");
    s.facts.push_back(Equal(Poly::Variable(v), d));
    for (QuotientDef& q : s.quotients)
      if (q.divisor == d) q.divisor = Poly::Variable(v);
  }
}

}  // namespace

struct UnsatProver::Solver {
  z3::context context;

  bool Unsat(const LinearQuery& query, const UnsatProverLimits& limits);
};

// Every monomial is an integer of its own.
bool UnsatProver::Solver::Unsat(const LinearQuery& query, const UnsatProverLimits& limits) {
  std::map<Monomial, z3::expr> atoms;
  auto number = [&](const BigInt& v) { return context.int_val(ToDecimal(v).c_str()); };
  auto write = [&](const Poly& p) {
    z3::expr sum = context.int_val(0);
    for (const auto& [m, c] : p.terms()) {
      if (m.empty()) {
        sum = sum + number(c);
        continue;
      }
      auto it = atoms.find(m);
      if (it == atoms.end()) {
        std::string name = "m";
        for (int v : m) name += "_" + std::to_string(v);
        it = atoms.emplace(m, context.int_const(name.c_str())).first;
      }
      sum = sum + number(c) * it->second;
    }
    return sum;
  };
  z3::solver solver(context, "QF_LIA");
  z3::params params(context);
  params.set("random_seed", 0u);
  params.set("rlimit", limits.rlimit);
  params.set("timeout", limits.wall_ms);
  params.set("arith.solver", 2u);
  solver.set(params);
  for (const PolyFact& f : query.facts) {
    z3::expr p = write(f.p);
    solver.add(f.equality ? p == 0 : p >= 0);
  }
  for (const LinearQuery::Lemma& lemma : query.lemmas) {
    z3::expr d = write(lemma.d);
    z3::expr above = d >= 1, below = d <= -1, zero = d == 0;
    for (const Monomial& m : lemma.multipliers) {
      Poly p = Poly::Of(m), pd = p * lemma.d;
      above = above && write(pd - p - lemma.d + Poly(1)) >= 0;
      below = below && write(lemma.d - p + Poly(1) - pd) >= 0;
      zero = zero && write(pd) == 0;
    }
    for (const Monomial& m : lemma.zero_multipliers)
      zero = zero && write(Poly::Of(m) * lemma.d) == 0;
    solver.add(above || below || zero);
  }
  return solver.check() == z3::unsat;
}

UnsatProver::UnsatProver(const UnsatProverLimits& limits)
    : limits_(limits), solver_(std::make_unique<Solver>()) {}
UnsatProver::~UnsatProver() = default;

bool UnsatProver::ProveUnsat(const System& system) {
  first_case_ = cases_;
  return ProveCaseUnsat(system, 0);
}

bool UnsatProver::ProveLeafUnsat(const System& system) {
  for (bool wide : {false, true}) {
    LinearQuery query = Linearize(system, wide);
    try {
      if (solver_->Unsat(query, limits_)) return true;
    } catch (const z3::exception&) {
      return false;
    }
  }
  return false;
}

bool UnsatProver::ProveCaseUnsat(System s, int depth) {
  if (depth > kMaxDepth || ++cases_ - first_case_ > limits_.max_cases) return false;
  NameDivisors(s);
  if (!Normalize(s)) return true;
  BoundsPropagation bounds(s);
  if (!bounds.consistent()) return true;
  if (CancelFactors(s, bounds)) return ProveCaseUnsat(std::move(s), depth + 1);
  // Choices: drop what the ranges exclude; take the first that is left open.
  std::vector<Alternatives> open;
  for (Alternatives& split : s.splits) {
    std::erase_if(split, [&](const std::vector<PolyFact>& alternative) {
      return std::any_of(alternative.begin(), alternative.end(),
                         [&](const PolyFact& f) { return bounds.Excluded(f); });
    });
    if (split.empty()) return true;
    bool settled =
        std::any_of(split.begin(), split.end(), [&](const std::vector<PolyFact>& alternative) {
          return std::all_of(alternative.begin(), alternative.end(),
                             [&](const PolyFact& f) { return bounds.Implied(f); });
        });
    if (!settled) open.push_back(std::move(split));
  }
  s.splits = std::move(open);
  auto branch = [&](const std::vector<PolyFact>& facts) {
    System next = s;
    next.facts.insert(next.facts.end(), facts.begin(), facts.end());
    return ProveCaseUnsat(std::move(next), depth + 1);
  };
  auto all = [&](const Alternatives& split) {
    return std::all_of(split.begin(), split.end(), branch);
  };
  auto narrowest = std::min_element(s.splits.begin(), s.splits.end(),
                                    [](auto& a, auto& b) { return a.size() < b.size(); });
  if (narrowest != s.splits.end()) {
    Alternatives split = std::move(*narrowest);
    s.splits.erase(narrowest);
    return all(split);
  }
  // Signs: make every such variable positive.
  for (int v : SignVariables(s)) {
    Poly x = Poly::Variable(v);
    const Range& r = bounds.of(v);
    if (r.Positive()) continue;
    if (r.Negative()) {
      s.Negate(v);
      return branch({AtLeast(x, Poly(1))});
    }
    Alternatives signs;
    if (!r.upper || *r.upper >= 1) signs.push_back({AtLeast(x, Poly(1))});
    if (!r.lower || *r.lower <= -1) signs.push_back({AtLeast(Poly(-1), x)});
    if ((!r.lower || *r.lower <= 0) && (!r.upper || *r.upper >= 0))
      signs.push_back({Equal(x, Poly(0))});
    return all(signs);
  }
  return ProveLeafUnsat(s);
}

}  // namespace affirm::rules
