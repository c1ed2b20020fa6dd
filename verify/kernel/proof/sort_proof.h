// Proves that a kernel stores its operands sorted. Internal to verify/kernel/proof.
//
// A sorting kernel repeatedly exchanges two elements of a row if the comparator says so. The lifter
// names the contents of shared memory after each exchange (NamedChoice). The proof peels the
// exchanges off the stored values, the last one first. An exchange leaves two elements
//
//   r0 = c ? b : a   and   r1 = c ? a : b,   with the same c for all arrays that are sorted
//   together
//
// and the peeling ends with the operands' elements, each at its own position. So each stored row is
// a permutation of the operands' row, the same one for all operands, which is the claim `elements`.
// For `values`, each c must be the comparator on a and b, in one order or the other, and the
// network of the exchanges must sort (sorting_network.h).
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

// Proves first that the comparator is a strict weak order (strict_weak_order.h), as HLO requires.
class SortProver {
 public:
  // The results of the sort are the outputs from `first_output` on, in order. All arguments must
  // outlive this object.
  SortProver(const Launch& launch, const Buffers& buffers, const hlo::Instruction& sort,
             size_t first_output, terms::Pool& pool, const SameValueOptions& options,
             terms::TermDecider* decider);

  // Proves the stores of a case under the facts of `scope`; `values` are the computation's.
  void Prove(const LiftedCase& c, terms::Scope& scope, hlo_values::ComputationValues& values);

  // Why a claim is not proved; nullopt if it is.
  const std::optional<std::string>& elements_open() const { return elements_open_; }
  const std::optional<std::string>& values_open() const { return values_open_; }

 private:
  // The values of all arrays at one position; and a row of them.
  using Tuple = std::vector<terms::Term>;
  using Row = std::vector<Tuple>;
  struct InOrderOfCreation {
    bool operator()(llvm::ArrayRef<terms::Term> a, llvm::ArrayRef<terms::Term> b) const {
      return std::lexicographical_compare(
          a.begin(), a.end(), b.begin(), b.end(),
          [](terms::Term x, terms::Term y) { return x->id < y->id; });
    }
  };
  // Rows by their indices in the other dimensions.
  using Rows = std::map<std::vector<terms::Term>, Row, InOrderOfCreation>;
  // A conditional exchange of the tuples at two positions.
  struct Exchange {
    int64_t low = 0, high = 0;
    terms::Term condition = nullptr;
    Tuple of_low, of_high;  // the tuples before the exchange
  };
  using Names = llvm::DenseMap<terms::Term, const NamedChoice*>;

  // nullopt if a row is incomplete.
  std::optional<Rows> RowsOf(const LiftedCase& c, terms::Scope& scope);
  bool ProveRow(const std::vector<terms::Term>& others, Row row, const Names& names,
                terms::Scope& scope, hlo_values::ComputationValues& values);
  // The exchanges that made the row, in order; undoes them in `row`.
  std::optional<std::vector<Exchange>> TakeExchanges(Row& row, const Names& names,
                                                     terms::Scope& scope);
  bool TakeExchange(Tuple& a, Tuple& b, const Names& names, terms::Scope& scope);
  // The exchange as a compare-exchange by the comparator; nullopt if it is none.
  std::optional<CompareExchange> Compared(const Exchange& exchange, terms::Scope& scope);
  enum class Order : uint8_t { kAscending, kDescending, kNone };
  Order OrderOf(terms::Term condition, const Tuple& low, const Tuple& high, terms::Scope& scope);
  // The comparator's result on two tuples; null if it has no term.
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
  const hlo::Shape* shape_;  // the shape of each array

  Tuple any_low_, any_high_;                   // two symbolic tuples
  llvm::DenseMap<terms::Term, Order> orders_;  // memo, for conditions on these
  // Memo: the theorem that a condition equals the comparator's result.
  llvm::DenseMap<std::pair<terms::Term, terms::Term>, SameValue::Proof> compared_;
  std::string difference_;  // why the last condition is not the comparator's
  // The last network; rows usually share it.
  std::vector<CompareExchange> network_;
  std::optional<bool> network_sorts_;
  std::optional<std::string> why_no_order_;  // empty: the comparator is a strict weak order
  std::optional<std::string> elements_open_, values_open_;
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_PROOF_SORT_PROOF_H_
