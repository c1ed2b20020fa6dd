// Collects obligations while a kernel is lifted.
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_OBLIGATIONS_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_OBLIGATIONS_H_

#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "verify/kernel/lift/lift.h"

namespace affirm::kernel {

// Whether the facts of the scope are proved to imply the condition. If ranges do not show it,
// splits on a few picks in the condition.
bool Proves(terms::Scope& scope, terms::Term condition);

class Obligations {
 public:
  // Finds or adds the obligation of the instruction. `what` must be a string literal.
  Obligation& At(Obligation::Claim claim, const char* what, const llvm::Instruction& instruction,
                 int line);
  // Adds the obligations and counts of another list.
  void Merge(Obligations&& other);
  std::vector<Obligation> Take();
  // Nested transactions: Keep commits, Forget rolls back to the matching Begin. They copy only
  // changed entries, since a thread may attempt many loops.
  void Begin();
  void Keep();
  void Forget();

 private:
  using Key = std::pair<const llvm::Instruction*, const char*>;
  // The counts of an obligation before its first change since a Begin.
  struct Before {
    size_t place;
    int64_t times, failed;
  };
  struct Mark {
    size_t before, list;  // sizes of before_ and list_ at a Begin
  };
  std::vector<Obligation> list_;
  llvm::DenseMap<Key, size_t> index_;
  std::vector<Mark> marks_;
  std::vector<Before> before_;
  llvm::DenseMap<size_t, size_t> last_before_;  // index in list_ -> its last entry in before_
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_OBLIGATIONS_H_
