// The conditions under which a theorem holds: a set of terms, in a canonical order.
//
//   Facts facts = Facts::One(i_is_small).Join(Facts::One(j_is_odd));
//   facts.Without(j_is_odd) == Facts::One(i_is_small);
//
// Immutable and shared: copying costs a pointer. Joining a set with its superset returns the
// superset itself, so that the theorems of one case share storage.
#ifndef AFFIRM_VERIFY_LOGIC_FACTS_H_
#define AFFIRM_VERIFY_LOGIC_FACTS_H_

#include <memory>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "verify/terms/term.h"

namespace affirm::logic {

class Facts {
 public:
  // The empty set, for theorems that hold unconditionally.
  Facts() = default;
  // Conditions of one pool, in any order; `true` is left out.
  explicit Facts(llvm::ArrayRef<terms::Term> conditions);
  static Facts One(terms::Term condition) { return Facts(llvm::ArrayRef(condition)); }

  // Sorted by id, each once.
  llvm::ArrayRef<terms::Term> conditions() const;
  bool Contains(terms::Term condition) const;
  bool IncludesAll(const Facts& other) const;
  Facts Join(const Facts& other) const;
  Facts Without(terms::Term condition) const;
  // Whether the variable occurs in one of them.
  bool Mention(terms::Term variable) const;

  friend bool operator==(const Facts& a, const Facts& b) {
    return a.conditions() == b.conditions();
  }

 private:
  std::shared_ptr<const std::vector<terms::Term>> conditions_;  // null: none
};

}  // namespace affirm::logic

#endif  // AFFIRM_VERIFY_LOGIC_FACTS_H_
