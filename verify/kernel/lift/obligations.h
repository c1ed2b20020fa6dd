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

 private:
  using Key = std::pair<const llvm::Instruction*, const char*>;
  std::vector<Obligation> list_;
  llvm::DenseMap<Key, size_t> index_;
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_OBLIGATIONS_H_
