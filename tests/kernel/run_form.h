// Runs a form of an instruction three times: as terms, on the emulator, and on the host.
#ifndef AFFIRM_TESTS_KERNEL_RUN_FORM_H_
#define AFFIRM_TESTS_KERNEL_RUN_FORM_H_

#include <memory>
#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "tests/kernel/instruction_forms.h"

namespace affirm::kernel {

// The outcome of a form.
struct FormResult {
  bool lifted = false;    // else it is unknown, which is allowed
  bool proved = false;    // every obligation
  bool emulated = false;  // else the emulator does not execute it
  int64_t compared = 0;   // operands at which the values were compared
  std::string lift_error;
  std::vector<std::string> faults;  // a false value, or poison that no obligation says
};

// Host functions for forms; forms that the host cannot compile have none.
class HostForms {
 public:
  explicit HostForms(llvm::ArrayRef<Form> forms);
  ~HostForms();
  using Function = void (*)(const void*, const void*, const void*, void*, int32_t);
  Function Find(size_t form) const;  // null where there is none

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Lifts the form, and compares it on directed and random operands with the emulator and, where
// there is a function of the host, with that.
FormResult RunForm(const Form& form, HostForms::Function host, uint64_t seed);

}  // namespace affirm::kernel

#endif  // AFFIRM_TESTS_KERNEL_RUN_FORM_H_
