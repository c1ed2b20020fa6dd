// Values whose NaN an instruction of the kernel may have changed, which their terms do not show.
//
//   %y = fmul float %x, 1.0          some NaN where %x is one; the term is that of %x
//   %b = bitcast float %y to i32     the bits of %x, by the term
//
// Terms take all NaNs for one. Where the bits of one are seen, as in %b, whoever compares terms has
// to ask (LLVM LangRef, "Behavior of Floating-Point NaN values").
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_CHANGED_NANS_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_CHANGED_NANS_H_

#include <cstdint>

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Instruction.h"
#include "verify/kernel/lift/functions.h"
#include "verify/kernel/lift/value.h"

namespace affirm::kernel {

class ChangedNans {
 public:
  // Records the result of an executed instruction; `callee`: the function that it calls, if any.
  void Note(const llvm::Instruction& instruction, const Callee* callee, const Value& result);
  // Whether such a value may have been loaded from the buffer that this is a load of.
  bool HasBuffer(terms::Term load) const {
    return is_any_ || buffers_.contains(static_cast<int64_t>(load->number));
  }
  // Whether one was a number: its bits may be numbers in terms.
  bool has_literal() const { return has_literal_; }
  // The first instruction that changed one; null where there is none.
  const llvm::Instruction* first() const { return first_; }

 private:
  void NoteValue(const llvm::Instruction& instruction, const Value& value);
  void NoteTerm(const llvm::Instruction& instruction, terms::Term term);

  llvm::DenseSet<int64_t> buffers_;
  bool is_any_ = false;  // a value that a loop carries, or a name, which stand for others
  bool has_literal_ = false;
  llvm::DenseSet<terms::Term> seen_;
  const llvm::Instruction* first_ = nullptr;
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_CHANGED_NANS_H_
