// The facts that hold at a point of a proof, and terms simplified under them.
//
// A fact is a condition such as 9499 - 128 * bl_x - th_x >= 0, from the guard of a kernel. Ranges
// use facts, and so do quotients, maxima and selects, which simplify where the facts decide them:
//
//   Scope scope(pool);
//   scope.Assume(pool.AtLeast(pool.Number(9499), i));   // i <= 9499
//   scope.RangeOf(scope.Quotient(i, 19));               // [0, 499]
//
// Soundness: a term that a scope returns equals the requested one wherever the facts hold.
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

  // Adds the condition to the facts. False if it is known to contradict them: then every statement
  // about this scope is vacuously true.
  bool Assume(Term condition);
  // Simplifies the integer facts related to the condition, now a fact, and assumes the results as
  // well: from (c ? a : b) >= 0 and c follows a >= 0. False as for Assume.
  bool RestateFacts(Term condition);
  // A mark of the current facts; Restore drops those that came later.
  size_t Save() const { return undo_.size(); }
  void Restore(size_t saved);
  // The conditions that were assumed, in order.
  llvm::ArrayRef<Term> facts() const { return facts_; }
  // A number that identifies the current facts: no other state of this scope has or had it. Answers
  // memoized under it stay valid.
  uint64_t FactsNumber() const { return numbers_.empty() ? 0 : numbers_.back(); }

  // A range that contains every value of the integer where the facts hold.
  Range RangeOf(Term integer);
  // True if the facts imply the condition, false if they imply its negation; nullopt if unknown.
  std::optional<bool> Decide(Term condition);

  Term Quotient(Term a, Int128 divisor);  // floor(a / divisor), divisor > 0
  Term CeilQuotient(Term a, Int128 divisor);
  Term Residue(Term a, Int128 modulus);  // in [0, modulus - 1], modulus > 0
  Term Max(Term a, Term b);
  Term Min(Term a, Term b);
  Term Pick(Term condition, Term a, Term b);    // of integers
  Term Select(Term condition, Term a, Term b);  // of values
  // Rebuilds the term under the current facts.
  Term Simplify(Term term);
  // Replaces terms by others and simplifies. The keys must not be variables that a fold binds.
  Term Substitute(Term term, const llvm::DenseMap<Term, Term>& variables);

 private:
  struct Undo {
    enum class Kind : uint8_t { kBound, kKnown } kind;
    Term key;
    std::optional<Range> range;
    uint64_t leaves = 0;  // the value of leaves_of_facts_ before it
  };
  // Depth to which ranges of sums look through quotients.
  static constexpr int kRangeDepth = 3;
  // Longer sums are bounded by their summands alone.
  static constexpr size_t kMostSummands = 16;

  // Records an undo step, and adds the leaves of the fact `about` to the Bloom mask.
  void Record(Undo::Kind kind, Term key, std::optional<Range> range, Term about);
  void Bound(Term linear, Range range);
  std::optional<Range> BoundOf(Term linear);
  void BoundSummands(Term linear);
  void Forget();
  // Whether no fact constrains a leaf of the term, by the Bloom mask.
  bool IsApart(Term term) const { return (term->leaves & leaves_of_facts_) == 0; }
  // Memos: `now` until the facts change; `for_good` for answers that used no fact, which serve
  // terms that no fact constrains.
  template <typename Key, typename Answer>
  struct Findings {
    llvm::DenseMap<Key, Answer> now, for_good;
  };
  // Memoized lookup; calls `find` on a miss.
  template <typename Key, typename Answer>
  Answer Find(Findings<Key, Answer>& findings, Term term, const Key& key,
              llvm::function_ref<Answer()> find);
  std::optional<bool> Decide(Term condition, int depth);
  std::optional<bool> DecideNew(Term condition, int depth);
  Range RangeOf(Term integer, int depth);
  Range RangeOfAtom(Term atom, int depth);
  Range RangeOfSum(Term sum, int depth);
  Range RangeByDigits(Term sum, int depth);
  // `splits`: set if a residue was split; null forbids splitting.
  Term QuotientOfSum(Term sum, Int128 divisor, bool all_digits, bool* splits);
  Term QuotientByResidue(Term x, Int128 c, Int128 divisor);
  // Whether the term is a fold over a variable that a fact mentions. Inside the fold the variable
  // takes every value of its range, so the fact must not be used there.
  bool BindsAnew(Term term) const;
  // Rebuilds the term with `part` applied to each operand.
  Term Rebuild(Term term, llvm::function_ref<Term(Term)> part);

  Pool& pool_;
  std::vector<Term> facts_;
  std::vector<uint64_t> numbers_;  // FactsNumber after each fact
  uint64_t leaves_of_facts_ = 0;   // Bloom mask of the leaves that facts constrain
  uint64_t last_number_ = 0;
  std::vector<Undo> undo_;
  llvm::DenseMap<Term, Range> bounds_;  // by linear part (linear_part.h)
  llvm::DenseMap<Term, bool> known_;    // other conditions that hold
  // Counts uses of facts, and of memos that may rest on them. An answer found without a use holds
  // under any facts.
  uint64_t uses_of_facts_ = 0;
  Findings<std::pair<Term, int>, Range> ranges_;  // at a depth
  // For conjunctions and negations, which share their parts.
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

// The term k * (y mod m), where y mod m = y - m * floor(y / m).
struct ResidueIn {
  Int128 factor;  // k
  Term operand;   // y
  Int128 modulus;
};
// Candidate residues to subtract from a sum so that it gets shorter, where `monomial` is a multiple
// of floor(y / m) in it: those that remove the quotient, and those that remove y. Since
// floor(x / (n * m)) = floor(floor(x / n) / m), y is x, or a quotient of x in the sum.
llvm::SmallVector<ResidueIn, 4> ResiduesIn(Term sum, const Monomial& monomial);

// n if the atom is recognized as floor(x / n); otherwise 0. Quotients are stored without common
// factors: for x = 2 * i + 1, floor(x / 40) is floor(i / 20).
Int128 DivisorOf(Pool& pool, Term atom, Term x);

}  // namespace affirm::terms

#endif  // AFFIRM_VERIFY_TERMS_SCOPE_H_
