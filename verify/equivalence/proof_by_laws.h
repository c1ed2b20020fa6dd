// Compares two terms with as few licences as possible: first without any, then with those that the
// options allow. Internal to prove.cc.
//
//   ProofByLaws compare(scope, options, orders);
//   compare.AreSame(one, other, by_its_order, reason, laws);   // {"add.zero"} are added to `laws`
#ifndef AFFIRM_VERIFY_EQUIVALENCE_PROOF_BY_LAWS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_PROOF_BY_LAWS_H_

#include <set>
#include <string>

#include "llvm/ADT/StringRef.h"
#include "verify/compare/fold_orders.h"
#include "verify/compare/same_value.h"
#include "verify/equivalence/prove.h"
#include "verify/logic/theorem.h"
#include "verify/terms/scope.h"

namespace affirm::equivalence {

class ProofByLaws {
 public:
  // `orders`: orders of A's reductions in B. A successful proof adds to it; a failed one does not.
  ProofByLaws(terms::Scope& scope, const ProveOptions& options, compare::FoldOrders& orders)
      : scope_(scope), options_(options), orders_(orders) {}

  // Given a = one and b = other, whether a = b. `by_its_order` is B with its nested sums flattened.
  // Sets `reason` to the first failure, unless it has one.
  bool AreSame(const logic::Theorem& one, const logic::Theorem& other,
               const logic::Theorem& by_its_order, std::string& reason,
               std::set<std::string>& laws);

 private:
  using Licences = compare::SameValue::Licences;

  bool IsAllowed(llvm::StringRef name) const;
  // Adds to `missed` the licences that failed steps lacked.
  bool SameEitherWay(const logic::Theorem& one, const logic::Theorem& other,
                     const Licences& licences, std::string& reason, Licences& missed);

  terms::Scope& scope_;
  const ProveOptions& options_;
  compare::FoldOrders& orders_;
};

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_PROOF_BY_LAWS_H_
