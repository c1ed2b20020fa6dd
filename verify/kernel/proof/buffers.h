// Which buffers of the kernel the arrays of the computation are in, and which launches are of the
// computation at all. Internal to verify/kernel/proof.
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
  // Both outlive this.
  Buffers(const Launch& launch, const hlo::Computation& computation);

  // Why nothing is said of such a launch; nullopt where its parameters are the array leaves of the
  // computation's parameters and result, each in order, and two results in one memory have one
  // form.
  std::optional<std::string> Problem() const;

  // The parameter of the launch that is array leaf `leaf` of a parameter of the computation. Only
  // where there is no problem, like what follows.
  size_t InputOf(int64_t parameter, int64_t leaf) const;
  // The parameters of the launch that are results, by leaf.
  const std::vector<size_t>& outputs() const { return outputs_; }
  // The number of the buffer, as effects and loads have it: the first parameter of its memory.
  int64_t NumberOf(size_t param) const;
  // The number by which loads name what the result holds before the kernel runs.
  int64_t InitialOf(size_t output) const;
  // Whether the elements of the result hold those of the operand, at the same indices, before the
  // kernel runs: it has that memory, or is made a copy of it.
  bool BeginsAs(size_t output, size_t input) const;
  // The same of bytes, whatever elements they are.
  bool BeginsWithBytesOf(size_t output, size_t input) const;

 private:
  const Launch& launch_;
  const hlo::Computation& computation_;
  std::vector<size_t> inputs_, outputs_;
  std::vector<size_t> first_leaf_;  // of each parameter of the computation, among all
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_PROOF_BUFFERS_H_
