// Proofs by contradiction: linear programming over the rationals, splits where its solution is not
// whole or does not respect a minimum or maximum.
#include "verify/prover/prover.h"

namespace affirm::prover {
namespace {

constexpr size_t kMostFacts = 250;
constexpr int kMostPivots = 400;

}  // namespace

// The facts as linear ones over the monomials, equations put in.
struct Prover::Relaxation {
  std::vector<LinearFact> facts;
  std::vector<Reduced> reduced;  // in the order of `facts`
  std::vector<int> numbers;      // of the facts
  std::map<Monomial, int> columns;
  SimplexAnswer answer;

  Rational Value(const Polynomial& p) const {
    Rational sum;
    for (const auto& [m, k] : p.terms()) {
      auto it = columns.find(m);
      if (m.empty()) sum = sum + Rational(k);
      if (it != columns.end())
        sum = sum + Rational(k) * answer.solution[static_cast<size_t>(it->second)];
    }
    return sum;
  }
};

bool Prover::RefuteAll(std::string& text, int& budget) {
  Relaxation relaxation;
  relaxation.facts.reserve(facts_.size());
  relaxation.reduced.reserve(facts_.size());
  relaxation.numbers.reserve(facts_.size());
  for (size_t i = 1; i < facts_.size(); ++i) {
    const Fact& fact = facts_[i];
    Reduced reduced = Reduce(fact.form);
    auto c = reduced.form.AsConstant();
    if (c && (fact.is_equation ? *c == 0 : *c >= 0)) continue;
    LinearFact linear{
        .terms = {}, .constant = reduced.form.constant(), .is_equation = fact.is_equation};
    linear.terms.reserve(reduced.form.terms().size());
    for (const auto& [m, k] : reduced.form.terms()) {
      if (m.empty()) continue;
      const int next = static_cast<int>(relaxation.columns.size());
      linear.terms.push_back({relaxation.columns.try_emplace(m, next).first->second, k});
    }
    relaxation.facts.push_back(std::move(linear));
    relaxation.reduced.push_back(std::move(reduced));
    relaxation.numbers.push_back(static_cast<int>(i));
  }
  if (relaxation.facts.size() > kMostFacts) return false;
  relaxation.answer =
      Solve(relaxation.facts, static_cast<int>(relaxation.columns.size()), kMostPivots);
  if (relaxation.answer.gave_up) return false;
  if (relaxation.answer.contradiction.empty())
    return SplitOnFraction(relaxation, text, budget) || SplitOnExtremum(relaxation, text, budget);
  std::map<int, BigInt> sum;
  for (const auto& [f, k] : relaxation.answer.contradiction) {
    sum[relaxation.numbers[f]] += k;
    for (const auto& [times, equation] : relaxation.reduced[f].less) sum[equation] -= k * times;
  }
  text += "c 1";
  for (const auto& [i, k] : sum) {
    if (k != 0) text += " " + prover::Text(k) + "@" + std::to_string(i);
  }
  text += "\nabsurd " + std::to_string(facts_.size()) + "\n";
  return true;
}

bool Prover::SplitOnFraction(const Relaxation& relaxation, std::string& text, int& budget) {
  for (const auto& [m, column] : relaxation.columns) {
    const Rational& at = relaxation.answer.solution[static_cast<size_t>(column)];
    if (at.den == 1) continue;
    if (budget-- <= 0) return false;
    const BigInt floor = llvm::floorDiv(at.num, at.den);
    Polynomial above(-floor - 1), below(floor);
    above.Add(m, BigInt(1));
    below.Add(m, BigInt(-1));
    text += "split " + above.ToString() + "\n";
    for (const Polynomial& branch : {above, below}) {
      facts_.push_back({branch, false});
      const bool refuted = RefuteAll(text, budget);
      facts_.pop_back();
      if (!refuted) {
        budget = 0;
        return false;
      }
    }
    return true;
  }
  return false;
}

bool Prover::SplitOnExtremum(const Relaxation& relaxation, std::string& text, int& budget) {
  for (size_t k = 0; k < table_.entries().size(); ++k) {
    const TableEntry entry = table_.entries()[k];
    const int atom = table_.variables() + 1 + static_cast<int>(k);
    if (entry.op == TableEntry::Op::kQuotient || equal_.contains(atom)) continue;
    const bool min = entry.op == TableEntry::Op::kMin;
    const Rational a = relaxation.Value(Reduce(entry.left).form);
    const Rational b = relaxation.Value(Reduce(entry.right).form);
    const Rational at = relaxation.Value(Polynomial::Atom(atom)), right = (a < b) == min ? a : b;
    if ((at - right).IsZero()) continue;
    if (budget-- <= 0) return false;
    Polynomial more = entry.left, less(BigInt(-1));
    more.Add(entry.right, BigInt(-1));
    less.Add(more, BigInt(-1));
    text += "split " + more.ToString() + "\n";
    for (bool left_is_more : {true, false}) {
      Polynomial is = Polynomial::Atom(atom);
      is.Add(left_is_more == min ? entry.right : entry.left, BigInt(-1));
      text += "k " + std::to_string(atom) + " " + std::to_string(facts_.size()) + "\n";
      facts_.push_back({left_is_more ? more : less, false});
      facts_.push_back({is, true});
      const bool refuted = RefuteAll(text, budget);
      facts_.resize(facts_.size() - 2);
      if (!refuted) {
        budget = 0;
        return false;
      }
    }
    return true;
  }
  return false;
}

bool Prover::Refute() {
  std::string text;
  int budget = kMostBranches;
  if (!RefuteAll(text, budget)) return false;
  lines_.push_back(text.substr(0, text.size() - 1));
  closed_ = true;
  return true;
}

}  // namespace affirm::prover
