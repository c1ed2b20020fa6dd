// The element of a row that a kernel chooses by comparing its place with that of each:
//
//   or over k in [0, 999] of (place = k ? bits of load0[1000 * bl_x + k] : 0)
//
// are the bits of load0[1000 * bl_x + place] where the place is always one of these: the or of
// zeros and of one number is that number. That all of them are 0 says that this one is.
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
  // What ranges do not say of a place is asked of the decider, where there is one.
  ChosenElements(terms::Scope& scope, terms::TermDecider* decider)
      : scope_(scope), decider_(decider) {}

  // The value with such combinations replaced by the elements, which it equals wherever the facts
  // of the scope hold.
  terms::Term Replaced(terms::Term value);

 private:
  struct Candidate;

  static bool IsCombination(terms::Term term);
  bool Combines(terms::Term term);
  static std::optional<Candidate> CandidateOf(terms::Term pick);
  std::optional<terms::Int128> NumberOf(const Candidate& candidate, terms::Term place,
                                        terms::Range range);
  // Null for other combinations.
  terms::Term ElementOf(llvm::ArrayRef<Candidate> candidates);
  terms::Term ElementOfOr(terms::Term combination);
  terms::Term ElementOfAnd(terms::Term conjunction);
  // The value with another element in the place of the one that it is computed from.
  terms::Term WithLoad(terms::Term value, terms::Term load, terms::Term other);
  bool IsBetween(terms::Term place, terms::Int128 least, terms::Int128 largest);

  terms::Scope& scope_;
  terms::TermDecider* decider_;
  llvm::DenseMap<terms::Term, bool> combines_;
};

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_CHOSEN_ELEMENTS_H_
