// Collects obligations while a kernel is lifted.
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_OBLIGATIONS_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_OBLIGATIONS_H_

#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "verify/kernel/lift/lift.h"

namespace affirm::kernel {

// True when the condition holds wherever the facts of the scope do. Where ranges do not show it,
// the choices in it are taken apart, a few of them.
bool Proves(terms::Scope& scope, terms::Term condition);

class Obligations {
 public:
  // The obligation of the instruction; `what` is a literal.
  Obligation& At(Obligation::Claim claim, const char* what, const llvm::Instruction& instruction,
                 int line);
  // Adds what another list met.
  void Merge(Obligations&& other);
  std::vector<Obligation> Take();
  // From here on what is met may be forgotten. Each Begin has its Keep, or its Forget, after those
  // of the Begins that came later. A thread goes through many loops: the list is not copied.
  void Begin();
  void Keep();
  void Forget();

 private:
  using Key = std::pair<const llvm::Instruction*, const char*>;
  // An obligation as it was when it was met for the first time since a Begin.
  struct Before {
    size_t place;
    int64_t times, failed;
  };
  struct Mark {
    size_t before, list;  // how many there were
  };
  std::vector<Obligation> list_;
  llvm::DenseMap<Key, size_t> index_;
  std::vector<Mark> marks_;
  std::vector<Before> before_;
  llvm::DenseMap<size_t, size_t> last_before_;  // of a place, the last one in `before_`
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_OBLIGATIONS_H_
