// In which order each reduction is combined of which HLO leaves the order open.
#ifndef AFFIRM_VERIFY_COMPARE_FOLD_ORDERS_H_
#define AFFIRM_VERIFY_COMPARE_FOLD_ORDERS_H_

#include "llvm/ADT/DenseMap.h"
#include "verify/terms/scope.h"
#include "verify/terms/term.h"

namespace affirm::compare {

// The order is open, and it is one: where a reduction r of floats is used twice, r - r is 0. So
// each reduction of the computation is one sum or product of the kernel, wherever it stands and in
// whichever result:
//
//   FoldOrders orders;
//   orders.Add(scope, reduction, forwards);   // true
//   orders.Add(scope, reduction, backwards);  // false
//
// Of integers, and of maxima and minima, all orders give one value: they always fit.
class FoldOrders {
 public:
  // Whether the reduction may be what the kernel combines in `order`. Loops that differ in the
  // names of their variables alone are one order.
  bool Add(terms::Scope& scope, terms::Term reduction, terms::Term order);
  // Adds the reductions that stand in both terms, which are equal without a proof.
  bool AddCommon(terms::Scope& scope, terms::Term computation, terms::Term kernel);

 private:
  llvm::DenseMap<terms::Term, terms::Term> orders_;
};

// Whether it is a reduction of which the order counts, and is open in HLO.
bool IsOpenInOrder(terms::Term term);

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_FOLD_ORDERS_H_
