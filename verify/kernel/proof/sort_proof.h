// Proves that what a kernel stores is its operands sorted. Internal to verify/kernel/proof.
//
// A kernel that sorts lists of the operands' elements, rows, exchanges two elements of a row where
// the comparator says so, again and again. Lifting has a name for what shared memory holds after
// each of these (NamedChoice). From what is stored the exchanges are taken off again, the last
// first: of the two elements that one leaves,
//
//   r0 = c ? b : a   and   r1 = c ? a : b,   with the same c for all arrays that are sorted
//   together
//
// until the operands' elements are left, each in its place. So each row that is stored is a
// permutation of that row of the operands, the same for all of them, which is what `elements` says.
// For `values` each c must be the comparator of a and b, in one order or the other, and the network
// of the exchanges must sort (sorting_network.h).
#ifndef AFFIRM_VERIFY_KERNEL_PROOF_SORT_PROOF_H_
#define AFFIRM_VERIFY_KERNEL_PROOF_SORT_PROOF_H_

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "verify/compare/same_value.h"
#include "verify/compare/sorting_network.h"
#include "verify/hlo/values/values.h"
#include "verify/kernel/lift/lift.h"
#include "verify/kernel/proof/buffers.h"

namespace affirm::kernel {

using compare::CompareExchange;
using compare::SameValue;
using compare::SameValueOptions;

// What HLO presumes is proved first, that the comparator is a strict weak order
// (strict_weak_order.h).
class SortProver {
 public:
  // The results of the sort are the outputs from `first_output` on, in order. All outlive this.
  SortProver(const Launch& launch, const Buffers& buffers, const hlo::Instruction& sort,
             size_t first_output, terms::Pool& pool, const SameValueOptions& options,
             terms::TermDecider* decider);

  // The stores of a case, whose facts the scope has; `values` are the computation's there.
  void Prove(const LiftedCase& c, terms::Scope& scope, hlo_values::ComputationValues& values);

  // Why the claims are not proved; nullopt where they are.
  const std::optional<std::string>& elements_open() const { return elements_open_; }
  const std::optional<std::string>& values_open() const { return values_open_; }

 private:
  // What is stored in a row: of each position, the value of each array.
  using Tuple = std::vector<terms::Term>;
  using Row = std::vector<Tuple>;
  struct InOrderOfCreation {
    bool operator()(llvm::ArrayRef<terms::Term> a, llvm::ArrayRef<terms::Term> b) const {
      return std::lexicographical_compare(
          a.begin(), a.end(), b.begin(), b.end(),
          [](terms::Term x, terms::Term y) { return x->id < y->id; });
    }
  };
  // By the indices that the elements of a row have in common.
  using Rows = std::map<std::vector<terms::Term>, Row, InOrderOfCreation>;
  // Where the condition holds, the tuples of two positions changed places.
  struct Exchange {
    int64_t low = 0, high = 0;
    terms::Term condition = nullptr;
    Tuple of_low, of_high;  // before
  };
  using Names = llvm::DenseMap<terms::Term, const NamedChoice*>;

  // nullopt where a row is not known whole.
  std::optional<Rows> RowsOf(const LiftedCase& c, terms::Scope& scope);
  bool ProveRow(const std::vector<terms::Term>& others, Row row, const Names& names,
                terms::Scope& scope, hlo_values::ComputationValues& values);
  // The exchanges that made the row, in order, which then is what it was before them.
  std::optional<std::vector<Exchange>> TakeExchanges(Row& row, const Names& names,
                                                     terms::Scope& scope);
  bool TakeExchange(Tuple& a, Tuple& b, const Names& names, terms::Scope& scope);
  // The compare-exchange that the exchange is by the comparator; nullopt where it is none.
  std::optional<CompareExchange> Compared(const Exchange& exchange, terms::Scope& scope);
  enum class Order : uint8_t { kAscending, kDescending, kNone };
  Order OrderOf(terms::Term condition, const Tuple& low, const Tuple& high, terms::Scope& scope);
  // Whether the comparator says that the first tuple comes before the second; null: no term.
  terms::Term Less(const Tuple& first, const Tuple& second, terms::Scope& scope) const;
  bool IsInOrder(const Row& row, terms::Scope& scope);
  bool DistinguishesPositions(const std::vector<terms::Term>& others, terms::Scope& scope,
                              hlo_values::ComputationValues& values);
  std::string WhyNoOrder() const;
  bool FailElements(const std::string& reason);
  bool FailValues(const std::string& reason);

  const Launch& launch_;
  const Buffers& buffers_;
  const hlo::Instruction& sort_;
  size_t first_output_;
  terms::Pool& pool_;
  SameValueOptions options_;
  terms::TermDecider* decider_;
  int64_t dimension_;
  const hlo::Shape* shape_;  // of each array

  Tuple any_low_, any_high_;                   // two tuples of which nothing is known
  llvm::DenseMap<terms::Term, Order> orders_;  // of conditions on these
  // Whether a condition is what the comparator says.
  llvm::DenseMap<std::pair<terms::Term, terms::Term>, SameValue::Proof> compared_;
  std::string difference_;  // where the last condition is none of the comparator
  // The network that was looked at last: rows have the same.
  std::vector<CompareExchange> network_;
  std::optional<bool> network_sorts_;
  std::optional<std::string> why_no_order_;  // empty: it is one
  std::optional<std::string> elements_open_, values_open_;
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_PROOF_SORT_PROOF_H_
