// Tracks which instructions of B its reductions come from. HLO leaves the order of each instruction
// open, but a term does not name its instruction:
//
//   r = reduce(p), dimensions={1}    s = reduce(transpose(p)), dimensions={0}    ROOT d = r - s
//
// is the term r - r, which is 0. But d need not be 0 if a device sums rows and columns in different
// orders.
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
  // Instructions of one form (same_parts.h) count as one. Terms are rewritten by the laws first.
  FoldOrigins(terms::Scope& scope, const hlo::Computation& a, const hlo::Computation& b,
              hlo_values::ComputationValues& of_a, hlo_values::ComputationValues& of_b,
              Rewriters& rewriters)
      : scope_(scope), a_(a), b_(b), of_a_(of_a), of_b_(of_b), rewriters_(rewriters) {}

  // Records the reductions in a value of B.
  void Add(terms::Term value);
  // Why a reduction may have two orders in B but one in A, or "": a reduction in the instruction's
  // value comes from two instructions of B, among all recorded ones; or one reduction of A has two
  // forms that do not come from one instruction of B. Records the value. Reductions that the
  // instruction needs count even if they cancel in its value, as r - r does.
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
  // A recorded reduction, its instruction, and the name of another one that may have it, or "".
  struct Origin {
    compare::ReductionForm reduction;
    const hlo::Instruction* instruction = nullptr;
    std::string of_two = {};
  };
  llvm::DenseMap<terms::Term, std::vector<Origin>> origins_;  // by form
  llvm::DenseMap<terms::Term, compare::ReductionForm> normal_forms_;
};

// Records instructions of B that implement one of A by a proof that fixes open orders. All uses of
// an instruction of A must be implemented by one form of B, with the same reductions of B.
class LicensedParts {
 public:
  LicensedParts(const hlo::Computation& a, const hlo::Computation& b);
  // Whether `of_b`, whose terms are in `values_b`, may implement `of_a`, with these orders of A's
  // reductions.
  bool Add(const hlo::Instruction& of_a, const hlo::Instruction& of_b,
           const hlo_values::ComputationValues& values_a,
           const hlo_values::ComputationValues& values_b, const compare::FoldOrders& orders);
  // Whether other terms use the same reductions of B for the recorded reductions of A.
  bool Agrees(const hlo_values::ComputationValues& values_a,
              const hlo_values::ComputationValues& values_b) const;

 private:
  std::set<int64_t> OpenReductions(const hlo_values::ComputationValues& values) const;

  llvm::DenseMap<const hlo::Instruction*, int64_t> numbers_;
  llvm::DenseMap<int64_t, int64_t> stands_for_;      // form of A -> form of B
  std::map<int64_t, std::set<int64_t>> reductions_;  // form of A -> reductions of B
};

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_FOLD_ORIGINS_H_
