// Records the order in which a kernel combines each reduction whose order HLO leaves open
// (XLA operation semantics, "Reduce"), and rejects a second order for the same reduction.
#ifndef AFFIRM_VERIFY_COMPARE_FOLD_ORDERS_H_
#define AFFIRM_VERIFY_COMPARE_FOLD_ORDERS_H_

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "verify/terms/scope.h"
#include "verify/terms/term.h"

namespace affirm::compare {

// A reduction with the base offsets of its loads factored out, so that all rows of one reduce have
// one form. Row r of an array, fold-add(load0[64*r + k] over k), begins at 64*r and has the form
// fold-add(load0[k] over k); so has row 0.
struct ReductionForm {
  // An index, and the range that it has where the facts of the scope hold.
  struct Begin {
    terms::Term index = nullptr;
    terms::Int128 lowest = 0, highest = 0;
    auto operator<=>(const Begin&) const = default;
  };
  terms::Term form = nullptr;           // with variables named by their number
  std::map<int64_t, Begin> begin = {};  // by buffer
};
ReductionForm FormOf(terms::Scope& scope, terms::Term reduction);
// `term` with the offsets of `reduction` subtracted from its loads of the same buffers.
terms::Term InForm(terms::Scope& scope, const ReductionForm& reduction, terms::Term term);
// Whether two reductions of one form may begin at one element, each for some values of its
// variables, and so be the same reduction. Conservative: false only where ranges exclude it.
bool MayMeet(terms::Scope& scope, const ReductionForm& a, const ReductionForm& b);

// The order of a float reduction r is open, but all its uses see one result: r - r is 0 for a
// finite r. So every use, in any result of the kernel, must combine r in one order:
//
//   FoldOrders orders;
//   orders.Add(scope, reduction, forwards, Place::kByItself);   // true
//   orders.Add(scope, reduction, backwards, Place::kByItself);  // false
//   orders.Add(scope, row r, backwards, Place::kByItself);      // false, for row 0: r may be 0
//
// Reductions of integers, maxima and minima have the same value in all orders: Add accepts them.
class FoldOrders {
 public:
  // Where in a proof a reduction is compared: outside of case distinctions; in one case, whose
  // facts may have simplified its term; or for all cases, with the whole other side as its order.
  enum class Place : uint8_t { kByItself, kInACase, kInAllCases };
  // Records that the kernel combines `reduction` as the term `order`; false if it may already have
  // another order. Orders are compared up to the names of loop variables. A reduction compared in
  // a case must have one order with all cases of other places.
  bool Add(terms::Scope& scope, terms::Term reduction, terms::Term order, Place place);
  // Whether the order of some reduction is not a reduction itself.
  bool HasWrittenOut() const;
  // Adds the reductions that stand in both terms, which are equal without a proof.
  bool AddCommon(terms::Scope& scope, terms::Term computation, terms::Term kernel, Place place);

 private:
  // An order, and the reductions of one form that are combined in it.
  struct Entry {
    terms::Term order;
    std::vector<ReductionForm> reductions = {};
    std::set<std::map<int64_t, ReductionForm::Begin>> known = {};  // their offsets
  };
  using Orders = llvm::DenseMap<terms::Term, std::vector<Entry>>;  // by form
  static bool AddTo(Orders& orders, terms::Scope& scope, const ReductionForm& reduction,
                    terms::Term order);

  Orders orders_;          // for kByItself and kInACase
  Orders of_whole_terms_;  // for kByItself and kInAllCases
};

// Whether the term is a reduction whose order HLO leaves open and whose value depends on it.
bool IsOpenInOrder(terms::Term term);

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_FOLD_ORDERS_H_
