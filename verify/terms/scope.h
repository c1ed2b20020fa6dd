// What holds at a place of a proof, and the terms that are built there.
//
// Facts are conditions such as 9499 - 128 * bl_x - th_x >= 0, which the guard of a kernel gives.
// Ranges use them, and so do quotients, maxima and choices, which become simpler where the facts
// decide them:
//
//   Scope scope(pool);
//   scope.Assume(pool.AtLeast(pool.Number(9499), i));   // i <= 9499
//   scope.RangeOf(scope.Quotient(i, 19));               // [0, 499]
//
// What is built in a scope equals, at all values for which the facts hold, what was asked for.
#ifndef AFFIRM_VERIFY_TERMS_SCOPE_H_
#define AFFIRM_VERIFY_TERMS_SCOPE_H_

#include <optional>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "verify/terms/term.h"

namespace affirm::terms {

class Scope {
 public:
  explicit Scope(Pool& pool) : pool_(pool) {}
  Pool& pool() { return pool_; }

  // From here on the condition holds. False when it is known that it cannot, together with what
  // holds already: then every statement about this scope is true of nothing.
  bool Assume(Term condition);
  // Assumes the facts about integers that have to do with the condition once more, as they are
  // written now that it is known: of (c ? a : b) >= 0 where c holds, a >= 0. False as for Assume.
  bool RestateFacts(Term condition);
  // The facts of now; Restore forgets those that came later.
  size_t Save() const { return undo_.size(); }
  void Restore(size_t saved);
  // The conditions that were assumed, in order.
  llvm::ArrayRef<Term> facts() const { return facts_; }
  // A number that no other facts of this scope have or had: what was found with it still holds.
  uint64_t FactsNumber() const { return numbers_.empty() ? 0 : numbers_.back(); }

  // Contains every value of the integer where the facts hold.
  Range RangeOf(Term integer);
  // Whether the condition holds wherever the facts do (true), or nowhere (false), if that is seen.
  std::optional<bool> Decide(Term condition);

  Term Quotient(Term a, Int128 divisor);  // floor(a / divisor), divisor > 0
  Term CeilQuotient(Term a, Int128 divisor);
  Term Residue(Term a, Int128 modulus);  // in [0, modulus - 1], modulus > 0
  Term Max(Term a, Term b);
  Term Min(Term a, Term b);
  Term Pick(Term condition, Term a, Term b);    // of integers
  Term Select(Term condition, Term a, Term b);  // of values
  // The term as if it were built here.
  Term Simplify(Term term);
  // The same with variables replaced by integers; a fold's own variables are not to be among them.
  Term Substitute(Term term, const llvm::DenseMap<Term, Term>& variables);

 private:
  struct Undo {
    enum class Kind : uint8_t { kBound, kKnown } kind;
    Term key;
    std::optional<Range> range;
    uint64_t leaves = 0;  // of the facts before it
  };
  // How often ranges of sums look through quotients.
  static constexpr int kRangeDepth = 3;
  // Sums of more are bounded by their summands alone.
  static constexpr size_t kMostSummands = 16;

  // Records what Restore is to undo, and that facts have to do with what the term is made of.
  void Record(Undo::Kind kind, Term key, std::optional<Range> range, Term about);
  void Bound(Term linear, Range range);
  std::optional<Range> BoundOf(Term linear);
  void BoundSummands(Term linear);
  void Forget();
  // Whether no fact has to do with the term, so that nothing more is found of it by looking again.
  bool IsApart(Term term) const { return (term->leaves & leaves_of_facts_) == 0; }
  // What was found of terms: until the facts change, and for good. For good is what was found
  // without any fact; it is the answer where no fact has to do with the term.
  template <typename Key, typename Answer>
  struct Findings {
    llvm::DenseMap<Key, Answer> now, for_good;
  };
  // What was found of the term, or else what `find` finds.
  template <typename Key, typename Answer>
  Answer Find(Findings<Key, Answer>& findings, Term term, const Key& key,
              llvm::function_ref<Answer()> find);
  std::optional<bool> Decide(Term condition, int depth);
  std::optional<bool> DecideNew(Term condition, int depth);
  Range RangeOf(Term integer, int depth);
  Range RangeOfAtom(Term atom, int depth);
  Range RangeOfSum(Term sum, int depth);
  Range RangeByDigits(Term sum, int depth);
  // `splits`: whether a residue was split; null: none is to be.
  Term QuotientOfSum(Term sum, Int128 divisor, bool all_digits, bool* splits);
  Term QuotientByResidue(Term x, Int128 c, Int128 divisor);
  // Whether it is a fold over a variable that facts mention: inside, the variable takes every value
  // of its range, so that these facts are not to be used there.
  bool BindsAnew(Term term) const;
  // Rebuilds the term from what `part` makes of its operands.
  Term Rebuild(Term term, llvm::function_ref<Term(Term)> part);

  Pool& pool_;
  std::vector<Term> facts_;
  std::vector<uint64_t> numbers_;  // of the facts up to each
  uint64_t leaves_of_facts_ = 0;   // of what they are about
  uint64_t last_number_ = 0;
  std::vector<Undo> undo_;
  llvm::DenseMap<Term, Range>
      bounds_;  // of sums without constant, common factor, or negative first coefficient
  llvm::DenseMap<Term, bool> known_;  // other conditions that hold
  // How often a fact was used, or what may have been found by one. An answer that used none holds
  // whatever the facts are.
  uint64_t uses_of_facts_ = 0;
  Findings<std::pair<Term, int>, Range> ranges_;  // at a depth
  // Of conjunctions and negations, which share their parts.
  Findings<std::pair<Term, int>, std::optional<bool>> decided_;
  Findings<Term, Term> simplified_;
  Findings<std::pair<Term, int64_t>, Term> quotients_;
};

template <typename Key, typename Answer>
Answer Scope::Find(Findings<Key, Answer>& findings, Term term, const Key& key,
                   llvm::function_ref<Answer()> find) {
  if (IsApart(term)) {
    auto found = findings.for_good.find(key);
    if (found != findings.for_good.end()) return found->second;
  }
  auto found = findings.now.find(key);
  if (found != findings.now.end()) {
    ++uses_of_facts_;
    return found->second;
  }
  const uint64_t uses_before = uses_of_facts_;
  Answer answer = find();
  const bool for_good = IsApart(term) && uses_of_facts_ == uses_before && !pool_.IsSpent();
  (for_good ? findings.for_good : findings.now).try_emplace(key, answer);
  return answer;
}

// The residue y mod m, which is y - m * floor(y / m), taken k times.
struct ResidueIn {
  Int128 factor;  // k
  Term operand;   // y
  Int128 modulus;
};
// Residues without which a sum may have fewer summands, where `monomial` is the multiple of
// floor(y / m) in the sum: such as remove the quotient, and such as remove y. As a quotient
// floor(x / (n * m)) is that of floor(x / n) by m, y is x, or a quotient of x in the sum.
llvm::SmallVector<ResidueIn, 4> ResiduesIn(Term sum, const Monomial& monomial);

// The n for which the atom is floor(x / n), if it is seen to be such a quotient; 0 where it is not.
// Quotients are written without common factors: of x = 2 * i + 1 the one by 40 is floor(i / 20).
Int128 DivisorOf(Pool& pool, Term atom, Term x);

}  // namespace affirm::terms

#endif  // AFFIRM_VERIFY_TERMS_SCOPE_H_
