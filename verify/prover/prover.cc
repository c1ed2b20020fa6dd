// The search for proofs: equations between quotients first, linear programming for what is left.
#include "verify/prover/prover.h"

#include <algorithm>

namespace affirm::prover {
namespace {

BigInt Floor(const BigInt& a, const BigInt& b) { return llvm::floorDiv(a, b); }
constexpr int kMostAtoms = 400, kMostProducts = 40;

}  // namespace

int Prover::Append(Polynomial form, bool is_equation) {
  facts_.push_back({std::move(form), is_equation});
  const int number = static_cast<int>(facts_.size()) - 1;
  LearnBounds(number);
  return number;
}

// Whether the fact bounds an atom better than those before.
void Prover::LearnBounds(int from) {
  const Fact& fact = facts_[static_cast<size_t>(from)];
  int atom = 0;
  BigInt c(0);
  for (const auto& [m, k] : fact.form.terms()) {
    if (m.empty()) continue;
    if (m.size() > 1 || atom) return;
    atom = m[0];
    c = k;
  }
  if (!atom) return;
  auto keep = [&](std::map<int, int>& ends, int sign) {
    if (c != sign && !(fact.is_equation && (c == 1 || c == -1))) return;
    auto [it, added] = ends.try_emplace(atom, from);
    if (added) return;
    const Fact& old = facts_[static_cast<size_t>(it->second)];
    if (!old.is_equation && (fact.is_equation || fact.form.constant() < old.form.constant()))
      it->second = from;
  };
  keep(lower_, 1);
  keep(upper_, -1);
}

int Prover::Combine(const Sum& sum, const BigInt& divisor) {
  std::map<int, BigInt> merged;
  for (const auto& [k, i] : sum) merged[i] += k;
  Polynomial total;
  bool is_equation = true;
  std::string line = "c " + prover::Text(divisor);
  for (const auto& [i, k] : merged) {
    if (k == 0) continue;
    total.Add(facts_[static_cast<size_t>(i)].form, k);
    is_equation &= facts_[static_cast<size_t>(i)].is_equation;
    line += " " + prover::Text(k) + "@" + std::to_string(i);
  }
  Polynomial result;
  for (const auto& [m, c] : total.terms()) result.Add(m, Floor(c, divisor));
  lines_.push_back(std::move(line));
  return Append(std::move(result), is_equation && divisor == 1);
}

Prover::Reduced Prover::Reduce(const Polynomial& form) const {
  Reduced result{form, {}};
  for (int round = 0; round < 1000; ++round) {
    const std::pair<int, Polynomial>* found = nullptr;
    int atom = 0;
    BigInt c(0);
    for (const auto& [m, k] : result.form.terms()) {
      if (m.size() != 1) continue;
      auto it = equal_.find(m[0]);
      if (it == equal_.end()) continue;
      found = &it->second;
      atom = m[0];
      c = k;
    }
    if (!found) break;
    // atom = value, by an equation +-(value - atom).
    const Polynomial& equation = facts_[static_cast<size_t>(found->first)].form;
    const BigInt sign = equation.CoefficientOf({atom});
    result.form.Add(equation, -c * sign);
    result.less.push_back({c * sign, found->first});
  }
  return result;
}

std::optional<Prover::Bounded> Prover::Lower(const Polynomial& form) const {
  Bounded result{form.constant(), {}};
  for (const auto& [m, c] : form.terms()) {
    if (m.empty()) continue;
    if (m.size() > 1) return std::nullopt;
    const auto& ends = c > 0 ? lower_ : upper_;
    auto it = ends.find(m[0]);
    if (it == ends.end()) return std::nullopt;
    const Polynomial& fact = facts_[static_cast<size_t>(it->second)].form;
    // c * atom = times * (fact - its constant).
    const BigInt times = c * fact.CoefficientOf({m[0]});
    result.end -= times * fact.constant();
    result.by.push_back({times, it->second});
  }
  return result;
}

std::optional<Prover::Bounded> Prover::Upper(const Polynomial& form) const {
  Polynomial opposite;
  opposite.Add(form, BigInt(-1));
  auto result = Lower(opposite);
  if (result) result->end = -result->end;
  return result;
}

void Prover::Learn() {
  for (; learned_ < table_.entries().size() && learned_ < kMostAtoms; ++learned_) {
    const int atom = table_.variables() + 1 + static_cast<int>(learned_);
    if (!quotient_bounds_.contains(atom)) Learn(atom);
  }
}

void Prover::Learn(int atom) {
  const TableEntry entry = *table_.Find(atom);
  if (entry.op != TableEntry::Op::kQuotient) return LearnExtremum(atom);
  auto c = entry.right.AsConstant();
  int sign_fact = 1;
  if (!c) {
    Polynomial less = entry.right;
    less.Add(Polynomial(BigInt(-1)), BigInt(1));
    auto shown = ShowAtLeast0(less);
    if (!shown) return;
    sign_fact = *shown;
  } else if (*c == 0) {
    return;
  }
  lines_.push_back("q " + std::to_string(atom) + " " + std::to_string(sign_fact));
  Polynomial rest = entry.left, slack = entry.right;
  rest.Add(entry.right * Polynomial::Atom(atom), BigInt(-1));
  const bool positive = !c || *c > 0;
  Polynomial other = slack;
  if (positive) {
    other.Add(Polynomial(BigInt(-1)), BigInt(1));
    other.Add(rest, BigInt(-1));
  } else {
    other = rest;
    other.Add(slack, BigInt(-1));
    other.Add(Polynomial(BigInt(-1)), BigInt(1));
    Polynomial opposite;
    opposite.Add(rest, BigInt(-1));
    rest = opposite;
  }
  const int bounds = Append(rest, false);
  Append(other, false);
  quotient_bounds_[atom] = bounds;
  if (c && *c > 0) LearnQuotient(atom, Reduce(entry.left), *c, bounds);
  if (!c) LearnSmallQuotient(atom, sign_fact);
}

void Prover::LearnExtremum(int atom) {
  const TableEntry entry = *table_.Find(atom);
  const bool min = entry.op == TableEntry::Op::kMin;
  lines_.push_back("m " + std::to_string(atom));
  for (const Polynomial* side : {&entry.left, &entry.right}) {
    Polynomial form;
    form.Add(*side, BigInt(min ? 1 : -1));
    form.Add(Polynomial::Atom(atom), BigInt(min ? -1 : 1));
    Append(std::move(form), false);
  }
  quotient_bounds_[atom] = 0;
  Polynomial more = entry.left;
  more.Add(entry.right, BigInt(-1));
  for (int sign : {1, -1}) {
    Polynomial form;
    form.Add(more, BigInt(sign));
    auto shown = ShowAtLeast0(form);
    if (!shown) continue;
    const bool left = (sign > 0) != min;
    lines_.push_back("k " + std::to_string(atom) + " " + std::to_string(*shown));
    Polynomial equation = Polynomial::Atom(atom);
    equation.Add(left ? entry.left : entry.right, BigInt(-1));
    equal_[atom] = {Append(std::move(equation), true), {}};
    return;
  }
  // The end that follows from both operands.
  auto a = min ? Lower(Reduce(entry.left).form) : Upper(Reduce(entry.left).form);
  auto b = min ? Lower(Reduce(entry.right).form) : Upper(Reduce(entry.right).form);
  if (!a || !b) return;
  const BigInt end = min ? std::min(a->end, b->end) : std::max(a->end, b->end);
  Polynomial goal;
  goal.Add(Polynomial::Atom(atom), BigInt(min ? 1 : -1));
  goal.Add(Polynomial(end), BigInt(min ? -1 : 1));
  ShowAtLeast0(goal);
}

std::optional<int> Prover::ShowAtLeast0(const Polynomial& form) {
  if (auto c = form.AsConstant()) return *c >= 0 ? std::optional<int>(1) : std::nullopt;
  const Reduced reduced = Reduce(form);
  Sum sum;
  for (const auto& [k, i] : reduced.less) sum.push_back({k, i});
  auto low = Lower(reduced.form);
  if (low && low->end >= 0) {
    sum.insert(sum.end(), low->by.begin(), low->by.end());
    if (sum.empty()) return std::nullopt;
    return Combine(sum, BigInt(1));
  }
  // Assume the opposite.
  Polynomial opposite(BigInt(-1));
  opposite.Add(form, BigInt(-1));
  facts_.push_back({opposite, false});
  std::string text;
  int budget = kMostBranches;
  const bool refuted = RefuteAll(text, budget);
  facts_.pop_back();
  if (!refuted) return std::nullopt;
  lines_.push_back("split " + form.ToString());
  refutations_.push_back(std::move(text));
  return Append(form, false);
}

// The form with products of atoms that have values replaced; `less` gets what was taken away.
Polynomial Prover::WithoutProducts(Polynomial form, Sum& less) {
  for (int round = 0; round < kMostProducts; ++round) {
    Monomial found;
    size_t at = 0;
    for (const auto& [m, c] : form.terms()) {
      for (size_t k = 0; m.size() > 1 && k < m.size() && found.empty(); ++k) {
        if (!equal_.contains(m[k])) continue;
        found = m;
        at = k;
      }
    }
    if (found.empty()) break;
    const int equation = equal_.at(found[at]).first;
    Polynomial rest;
    Monomial others = found;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(at));
    rest.Add(others, BigInt(1));
    const Polynomial product = facts_[static_cast<size_t>(equation)].form * rest;
    const BigInt of_found = product.CoefficientOf(found);
    if (of_found != 1 && of_found != -1) break;
    lines_.push_back("e " + std::to_string(equation) + " " + rest.ToString());
    const BigInt times = form.CoefficientOf(found) * of_found;
    less.push_back({times, Append(product, true)});
    form.Add(product, -times);
  }
  return form;
}

std::optional<int> Prover::Show(const Goal& goal) {
  if (auto c = goal.form.AsConstant()) {
    const bool holds = goal.kind == Goal::Kind::kAtLeast0 ? *c >= 0
                       : goal.kind == Goal::Kind::kIs0    ? *c == 0
                                                          : *c != 0;
    if (holds) return 1;
    return std::nullopt;
  }
  Polynomial opposite;
  opposite.Add(goal.form, BigInt(-1));
  if (goal.kind == Goal::Kind::kAtLeast0) return ShowAtLeast0(goal.form);
  if (goal.kind == Goal::Kind::kIsNot0) {
    Polynomial less = goal.form;
    less.Add(Polynomial(BigInt(-1)), BigInt(1));
    opposite.Add(Polynomial(BigInt(-1)), BigInt(1));
    if (auto shown = ShowAtLeast0(less)) return shown;
    return ShowAtLeast0(opposite);
  }
  Sum sum;
  const Reduced reduced = Reduce(WithoutProducts(goal.form, sum));
  if (reduced.form.terms().empty()) {
    for (const auto& [k, i] : reduced.less) sum.push_back({k, i});
    return Combine(sum, BigInt(1));
  }
  auto more = ShowAtLeast0(goal.form);
  if (!more) return std::nullopt;
  auto less = ShowAtLeast0(opposite);
  if (!less) return std::nullopt;
  // A fact may say more than the goal asks.
  Polynomial both = facts_[static_cast<size_t>(*more)].form;
  both.Add(facts_[static_cast<size_t>(*less)].form, BigInt(1));
  if (!both.terms().empty()) return std::nullopt;
  lines_.push_back("= " + std::to_string(*more) + " " + std::to_string(*less));
  return Append(facts_[static_cast<size_t>(*more)].form, true);
}

std::string Prover::Text(const std::string& last) const {
  std::string text;
  for (const std::string& line : lines_) text += line + "\n";
  if (!closed_) text += last + "\n";
  for (size_t k = refutations_.size(); k-- > 0;) text += refutations_[k];
  return text;
}

}  // namespace affirm::prover
