// A computation in the form in which it is compared. Internal to verify/equivalence.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_COMPARED_FORM_H_
#define AFFIRM_VERIFY_EQUIVALENCE_COMPARED_FORM_H_

#include <memory>

#include "core/hlo/module.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/equivalence/inline_calls.h"
#include "verify/equivalence/loop_invariants.h"
#include "verify/equivalence/stable_sorts.h"
#include "verify/equivalence/topk_as_sort.h"

namespace affirm::equivalence {

// Normalizes a computation: inlines calls, moves loop invariants out of loops, rewrites topk to
// stable sorts, and sorts that break ties by position to stable sorts. The original must outlive
// it.
class ComparedForm {
 public:
  explicit ComparedForm(const hlo::Computation& computation)
      : computation_(&computation), inlined_(InlineCalls(computation)) {
    if (inlined_) computation_ = inlined_.get();
    beside_ = WithInvariantsBeside(*computation_);
    if (beside_) computation_ = beside_.get();
    if (llvm::any_of(computation_->instructions,
                     [](const auto& op) { return op->opcode == hlo::Opcode::kTopk; })) {
      sorted_ = WithTopKAsSort(*computation_);
      computation_ = sorted_->entry;
    }
    stable_ = WithStableSorts(*computation_);
    if (stable_) computation_ = stable_->entry;
  }
  const hlo::Computation& Get() const { return *computation_; }

 private:
  const hlo::Computation* computation_;
  std::unique_ptr<hlo::Computation> inlined_, beside_;
  std::unique_ptr<hlo::Module> sorted_, stable_;
};

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_COMPARED_FORM_H_
