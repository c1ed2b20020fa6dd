// A compiled statement as machine code of the host, by LLVM's JIT.
#ifndef AFFIRM_VERIFY_LEMMA_MACHINE_CODE_H_
#define AFFIRM_VERIFY_LEMMA_MACHINE_CODE_H_

#include <cstdint>
#include <memory>

#include "llvm/Support/Error.h"
#include "verify/lemma/compile.h"

namespace affirm::lemma {

class MachineCode {
 public:
  // An error: the operations that have no IR, or what the JIT says.
  static llvm::Expected<MachineCode> Create(const Statement& statement);
  MachineCode(MachineCode&&) noexcept;
  MachineCode& operator=(MachineCode&&) noexcept;
  ~MachineCode();

  // At how many of `count` points from `begin` on the sides differ.
  uint32_t CountDifferences(uint32_t begin, uint32_t count, uint32_t choices) const {
    return count_differences_(begin, count, choices);
  }
  SidesAtPoint Evaluate(uint32_t point, uint32_t choices) const;
  // `choices` is below two to the power of this.
  int num_choices() const { return num_choices_; }

 private:
  struct Jit;
  MachineCode();

  std::unique_ptr<Jit> jit_;
  uint32_t (*count_differences_)(uint32_t, uint32_t, uint32_t) = nullptr;
  void (*evaluate_)(uint32_t, uint32_t, SidesAtPoint*) = nullptr;
  int num_choices_ = 0;
};

}  // namespace affirm::lemma

#endif  // AFFIRM_VERIFY_LEMMA_MACHINE_CODE_H_
