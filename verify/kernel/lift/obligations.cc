#include "verify/kernel/lift/obligations.h"

#include <algorithm>

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::kernel {

namespace {

using terms::Scope;
using terms::Term;

// The most nested splits on picks in a proof.
constexpr int kMostChoices = 4;
// The most terms visited in search of a pick.
constexpr size_t kMostTerms = 400;

// The condition of a pick in the term, or null.
Term ChoiceIn(Scope& scope, Term term, llvm::DenseSet<Term>& seen) {
  if (seen.size() > kMostTerms || !seen.insert(term).second) return nullptr;
  if (term->sort() == terms::Sort::kValue) return nullptr;
  for (const terms::Monomial& m : term->sum) {
    if (Term found = ChoiceIn(scope, m.atom, seen)) return found;
  }
  for (Term arg : term->args) {
    if (Term found = ChoiceIn(scope, arg, seen)) return found;
  }
  bool is_choice = term->kind == terms::Kind::kPick && !scope.Decide(term->args[0]).has_value();
  return is_choice ? term->args[0] : nullptr;
}

bool ProvesBy(Scope& scope, Term condition, int choices) {
  if (auto decided = scope.Decide(condition)) return *decided;
  if (condition->kind == terms::Kind::kAnd) {
    return llvm::all_of(condition->args, [&](Term part) { return ProvesBy(scope, part, choices); });
  }
  if (choices == 0) return false;
  llvm::DenseSet<Term> seen;
  Term choice = ChoiceIn(scope, condition, seen);
  if (!choice) return false;
  for (Term side : {choice, scope.pool().Not(choice)}) {
    size_t saved = scope.Save();
    bool proved = !scope.Assume(side) || ProvesBy(scope, scope.Simplify(condition), choices - 1);
    scope.Restore(saved);
    if (!proved) return false;
  }
  return true;
}

// The term as text, unless it has too many nodes: terms share parts, texts do not.
std::string TextOf(Term term) {
  size_t count = 0;
  auto visit = [&](auto& self, Term t) -> void {
    if (++count > kMostTerms) return;
    for (const terms::Monomial& m : t->sum) self(self, m.atom);
    for (Term arg : t->args) self(self, arg);
  };
  visit(visit, term);
  return count > kMostTerms ? "(a condition too long to print)" : terms::ToString(term);
}

}  // namespace

bool Proves(Scope& scope, Term condition) { return ProvesBy(scope, condition, kMostChoices); }

llvm::StringRef Name(Obligation::Claim claim) {
  switch (claim) {
    case Obligation::Claim::kBounds:
      return "bounds";
    case Obligation::Claim::kIntegers:
      return "integers";
    case Obligation::Claim::kBarriers:
      return "barriers";
    case Obligation::Claim::kRaces:
      return "races";
  }
  return "";
}

std::string ToString(const Obligation& obligation) {
  std::string text = (llvm::Twine(obligation.line) + ": " + Name(obligation.claim) + ": " +
                      obligation.what + ": " + (obligation.proved() ? "proved" : "not proved"))
                         .str();
  if (obligation.proved()) return text;
  if (obligation.condition) text += ": " + TextOf(obligation.condition);
  if (!obligation.detail.empty()) text += ": " + obligation.detail;
  if (obligation.thread >= 0) text += ", thread " + std::to_string(obligation.thread);
  for (size_t i = 0; i < obligation.facts.size(); ++i)
    text += (i == 0 ? " where " : " and ") + TextOf(obligation.facts[i]);
  return text;
}

bool LiftedKernel::AllProved() const {
  return llvm::all_of(obligations, [](const Obligation& o) { return o.proved(); });
}

Obligation& Obligations::At(Obligation::Claim claim, const char* what,
                            const llvm::Instruction& instruction, int line) {
  auto [it, fresh] = index_.try_emplace({&instruction, what}, list_.size());
  if (fresh) {
    list_.push_back({.claim = claim, .what = what, .instruction = &instruction, .line = line});
  }
  const size_t place = it->second;
  if (!marks_.empty() && place < marks_.back().list) {
    auto [last, first] = last_before_.try_emplace(place, before_.size());
    if (first || last->second < marks_.back().before) {
      last->second = before_.size();
      before_.push_back({place, list_[place].times, list_[place].failed});
    }
  }
  return list_[place];
}

void Obligations::Begin() { marks_.push_back({before_.size(), list_.size()}); }

void Obligations::Keep() {
  marks_.pop_back();
  if (!marks_.empty()) return;
  before_.clear();
  last_before_.clear();
}

void Obligations::Forget() {
  const Mark mark = marks_.back();
  while (before_.size() > mark.before) {
    const Before& before = before_.back();
    Obligation& obligation = list_[before.place];
    obligation.times = before.times;
    obligation.failed = before.failed;
    if (obligation.proved()) {
      obligation.condition = nullptr;
      obligation.facts.clear();
      obligation.detail.clear();
      obligation.thread = -1;
    }
    before_.pop_back();
  }
  // Rebuilds the index of the entries that remain.
  last_before_.clear();
  for (const auto& [k, before] : llvm::enumerate(before_)) last_before_[before.place] = k;
  list_.resize(mark.list);
  llvm::SmallVector<Key, 16> gone;
  for (const auto& [key, place] : index_) {
    if (place >= mark.list) gone.push_back(key);
  }
  for (const Key& key : gone) index_.erase(key);
  Keep();
}

void Obligations::Merge(Obligations&& other) {
  for (const auto& [key, place] : other.index_) {
    Obligation& from = other.list_[place];
    auto [it, fresh] = index_.try_emplace(key, list_.size());
    if (fresh) {
      list_.push_back(std::move(from));
      continue;
    }
    Obligation& to = list_[it->second];
    int64_t times = to.times + from.times, failed = to.failed + from.failed;
    if (to.proved()) to = std::move(from);
    to.times = times;
    to.failed = failed;
  }
}

std::vector<Obligation> Obligations::Take() {
  std::stable_sort(list_.begin(), list_.end(), [](const Obligation& a, const Obligation& b) {
    return std::pair(a.line, a.what) < std::pair(b.line, b.what);
  });
  index_.clear();
  return std::move(list_);
}

}  // namespace affirm::kernel
