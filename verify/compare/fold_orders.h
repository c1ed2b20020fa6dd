// In which order each reduction is combined of which HLO leaves the order open.
#ifndef AFFIRM_VERIFY_COMPARE_FOLD_ORDERS_H_
#define AFFIRM_VERIFY_COMPARE_FOLD_ORDERS_H_

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "verify/terms/scope.h"
#include "verify/terms/term.h"

namespace affirm::compare {

// The order is open, and it is one: where a reduction r of floats is used twice, r - r is 0. So
// each reduction of the computation is one sum or product of the kernel, wherever it stands and in
// whichever result:
//
//   FoldOrders orders;
//   orders.Add(scope, reduction, forwards, holds);   // true
//   orders.Add(scope, reduction, backwards, holds);  // false
//
// A term may stand for another order in each thread (backwards in odd ones). It is one order where
// what the reduction reads determines it.
// Of integers, and of maxima and minima, all orders give one value: they always fit.
class FoldOrders {
 public:
  // Whether a condition holds wherever the facts of the scope do.
  using Holds = llvm::function_ref<bool(terms::Term)>;
  // Whether the reduction may be what the kernel combines in `order`. Loops that differ in the
  // names of their variables alone are one order.
  bool Add(terms::Scope& scope, terms::Term reduction, terms::Term order, Holds holds);
  // Adds the reductions that stand in both terms, which are equal without a proof.
  bool AddCommon(terms::Scope& scope, terms::Term computation, terms::Term kernel, Holds holds);

 private:
  llvm::DenseMap<terms::Term, terms::Term> orders_;
};

// Whether it is a reduction of which the order counts, and is open in HLO.
bool IsOpenInOrder(terms::Term term);

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_FOLD_ORDERS_H_
