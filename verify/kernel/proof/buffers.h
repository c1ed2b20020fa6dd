// Maps the arrays of a computation to the buffers of a kernel's launch, and checks that the launch
// fits the computation. Internal to verify/kernel/proof.
#ifndef AFFIRM_VERIFY_KERNEL_PROOF_BUFFERS_H_
#define AFFIRM_VERIFY_KERNEL_PROOF_BUFFERS_H_

#include <optional>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "verify/kernel/launch.h"

namespace affirm::kernel {

class Buffers {
 public:
  // Both must outlive this object.
  Buffers(const Launch& launch, const hlo::Computation& computation);

  // Why the launch does not fit; nullopt if its parameters are the array leaves of the
  // computation's parameters and result, in order, and results that share a memory have one shape
  // and layout.
  std::optional<std::string> Problem() const;

  // The launch's parameter for array leaf `leaf` of a parameter of the computation. This and the
  // following require that Problem() is nullopt.
  size_t InputOf(int64_t parameter, int64_t leaf) const;
  // The launch's parameters for the results, by leaf.
  const std::vector<size_t>& outputs() const { return outputs_; }
  // The buffer's number in effects and loads: the first parameter with its memory.
  int64_t NumberOf(size_t param) const;
  // The load number of the result's initial contents.
  int64_t InitialOf(size_t output) const;
  // Whether the result initially equals the operand, element by element: it shares its memory, or
  // starts as a copy of it.
  bool BeginsAs(size_t output, size_t input) const;
  // The same for bytes, whatever the shapes.
  bool BeginsWithBytesOf(size_t output, size_t input) const;

 private:
  const Launch& launch_;
  const hlo::Computation& computation_;
  std::vector<size_t> inputs_, outputs_;
  std::vector<size_t> first_leaf_;  // by parameter of the computation: its first leaf among all
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_PROOF_BUFFERS_H_
