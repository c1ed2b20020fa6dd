// In which order each reduction is combined of which HLO leaves the order open.
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

// A reduction as one of its instruction: where its elements begin in each buffer, and what it is of
// the elements from there on. Row r of an array, fold-add(load0[64*r + k] over k), begins at 64*r,
// and is fold-add(load0[k] over k); so is row 0.
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
// Another term about the same elements, from where the reduction begins.
terms::Term InForm(terms::Scope& scope, const ReductionForm& reduction, terms::Term term);
// Whether two reductions of one form may begin at one element, each for some values of its
// variables: they may be one then. false only where that is seen to be impossible.
bool MayMeet(terms::Scope& scope, const ReductionForm& a, const ReductionForm& b);

// The order is open, and it is one: where a reduction r of floats is used twice, r - r is 0. So
// each reduction of the computation is one sum or product of the kernel, wherever it stands and in
// whichever result:
//
//   FoldOrders orders;
//   orders.Add(scope, reduction, forwards, Place::kByItself);   // true
//   orders.Add(scope, reduction, backwards, Place::kByItself);  // false
//   orders.Add(scope, row r, backwards, Place::kByItself);      // false, for row 0: r may be 0
//
// Of integers, and of maxima and minima, all orders give one value: they always fit.
class FoldOrders {
 public:
  // Where in a proof a reduction is compared: by itself; in one of its cases, whose facts may have
  // made another term of it; or in all of them, of which the order is the whole other side.
  enum class Place : uint8_t { kByItself, kInACase, kInAllCases };
  // Whether the reduction may be what the kernel combines in `order`. Loops that differ in the
  // names of their variables alone are one order. One that is compared in cases in one place is the
  // same in all cases of others.
  bool Add(terms::Scope& scope, terms::Term reduction, terms::Term order, Place place);
  // Whether some reduction is not combined as one reduction.
  bool HasWrittenOut() const;
  // Adds the reductions that stand in both terms, which are equal without a proof.
  bool AddCommon(terms::Scope& scope, terms::Term computation, terms::Term kernel, Place place);

 private:
  // Where reductions of one form begin that are combined in one order.
  struct Entry {
    terms::Term order;
    std::vector<ReductionForm> reductions = {};
    std::set<std::map<int64_t, ReductionForm::Begin>> known = {};  // where these begin
  };
  using Orders = llvm::DenseMap<terms::Term, std::vector<Entry>>;  // by form
  static bool AddTo(Orders& orders, terms::Scope& scope, const ReductionForm& reduction,
                    terms::Term order);

  Orders orders_;          // of reductions by themselves, and in a case
  Orders of_whole_terms_;  // of those by themselves, and in all cases
};

// Whether it is a reduction of which the order counts, and is open in HLO.
bool IsOpenInOrder(terms::Term term);

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_FOLD_ORDERS_H_
