// Rewrites a one-hot selection over a row as a load at the selected index:
//
//   or over k in [0, 999] of (place = k ? bits of load0[1000 * bl_x + k] : 0)
//
// is the bits of load0[1000 * bl_x + place] where place is always in [0, 999]: exactly one arm is
// selected, and `x or 0` is x. A conjunction that says that each arm is 0 is rewritten likewise.
#ifndef AFFIRM_VERIFY_COMPARE_CHOSEN_ELEMENTS_H_
#define AFFIRM_VERIFY_COMPARE_CHOSEN_ELEMENTS_H_

#include <optional>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "verify/terms/query.h"
#include "verify/terms/scope.h"

namespace affirm::compare {

class ChosenElements {
 public:
  // `decider` proves bounds of an index that its range does not show; null asks the range alone.
  ChosenElements(terms::Scope& scope, terms::TermDecider* decider)
      : scope_(scope), decider_(decider) {}

  // Replaces each selection in `value` by its element. The result equals `value` wherever the facts
  // of the scope hold.
  terms::Term Replaced(terms::Term value);

 private:
  struct Candidate;

  static bool IsCombination(terms::Term term);
  bool Combines(terms::Term term);
  static std::optional<Candidate> CandidateOf(terms::Term pick);
  std::optional<terms::Int128> NumberOf(const Candidate& candidate, terms::Term place,
                                        terms::Range range);
  // Null unless the candidates cover each index that the place can have.
  terms::Term ElementOf(llvm::ArrayRef<Candidate> candidates);
  terms::Term ElementOfOr(terms::Term combination);
  terms::Term ElementOfAnd(terms::Term conjunction);
  // Substitutes `other` for `load` in the value.
  terms::Term WithLoad(terms::Term value, terms::Term load, terms::Term other);
  bool IsBetween(terms::Term place, terms::Int128 least, terms::Int128 largest);

  terms::Scope& scope_;
  terms::TermDecider* decider_;
  llvm::DenseMap<terms::Term, bool> combines_;
};

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_CHOSEN_ELEMENTS_H_
