// Which instructions of B its reductions are of. HLO leaves the order of each instruction open, and
// a term does not say whose it is:
//
//   r = reduce(p), dimensions={1}    s = reduce(transpose(p)), dimensions={0}    ROOT d = r - s
//
// is the term r - r, which is 0; d need not be, where a device sums rows and columns in two orders.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_FOLD_ORIGINS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_FOLD_ORIGINS_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "verify/compare/fold_orders.h"
#include "verify/equivalence/laws.h"
#include "verify/hlo/values/values.h"
#include "verify/terms/scope.h"

namespace affirm::equivalence {

class FoldOrigins {
 public:
  // Instructions of one form (same_parts.h) are one. Terms are compared as the laws rewrite them.
  FoldOrigins(terms::Scope& scope, const hlo::Computation& a, const hlo::Computation& b,
              hlo_values::ComputationValues& of_a, hlo_values::ComputationValues& of_b,
              Rewriters& rewriters)
      : scope_(scope), a_(a), b_(b), of_a_(of_a), of_b_(of_b), rewriters_(rewriters) {}

  // Remembers the reductions in a value of B.
  void Add(terms::Term value);
  // Why a reduction may have two orders in B, and one in A: a reduction in the value of an
  // instruction of B is of two instructions, among all that was added; or one of A stands in two
  // forms that are not of one instruction of B. "" elsewhere. Adds the value. A reduction that the
  // instruction needs counts although the value does not show it: of integers r - r is 0.
  std::string WhyTwo(const hlo::Instruction& instruction, terms::Term value);

 private:
  void ForEachOpen(terms::Term value, llvm::function_ref<void(terms::Term)> visit) const;
  std::string OfTwo(const hlo::Instruction& instruction, terms::Term value);
  std::string InTwoForms();
  std::string OfTwoBehind(const hlo::Instruction& instruction);
  const compare::ReductionForm& NormalForm(terms::Term fold);
  bool AreOne(const hlo::Instruction& a, const hlo::Instruction& b);

  terms::Scope& scope_;
  const hlo::Computation &a_, &b_;
  hlo_values::ComputationValues &of_a_, &of_b_;
  Rewriters& rewriters_;
  llvm::DenseMap<const hlo::Instruction*, int64_t> numbers_;
  // A reduction that was added, and another instruction that may have it too: "" of none.
  struct Origin {
    compare::ReductionForm reduction;
    const hlo::Instruction* instruction = nullptr;
    std::string of_two = {};
  };
  llvm::DenseMap<terms::Term, std::vector<Origin>> origins_;  // by form
  llvm::DenseMap<terms::Term, compare::ReductionForm> normal_forms_;
};

// Instructions of B that stand for one of A by proofs that leave an order open: of one form for
// each. And the reductions of B in these proofs: the same ones wherever one of A is used.
class LicensedParts {
 public:
  LicensedParts(const hlo::Computation& a, const hlo::Computation& b);
  // Whether `of_b`, whose terms are in `values_b`, may stand for `of_a`, with these orders of A's
  // reductions.
  bool Add(const hlo::Instruction& of_a, const hlo::Instruction& of_b,
           const hlo_values::ComputationValues& values_a,
           const hlo_values::ComputationValues& values_b, const compare::FoldOrders& orders);
  // Whether in other terms, too, the reductions of A that these parts have are those of B.
  bool Agrees(const hlo_values::ComputationValues& values_a,
              const hlo_values::ComputationValues& values_b) const;

 private:
  std::set<int64_t> OpenReductions(const hlo_values::ComputationValues& values) const;

  llvm::DenseMap<const hlo::Instruction*, int64_t> numbers_;
  llvm::DenseMap<int64_t, int64_t> stands_for_;      // by form of A: that of B
  std::map<int64_t, std::set<int64_t>> reductions_;  // by form of A: those of B
};

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_FOLD_ORIGINS_H_
