// Values whose NaN an instruction of the kernel may have made or changed, which their terms do not
// show.
//
//   %y = fmul float %x, 1.0          some NaN where %x is one; the term is that of %x
//   %b = bitcast float %y to i32     the bits of %x, by the term
//   %s = fadd float %x, %y           two NaNs, of one term
//   %t = fadd float %y, %x
//
// Terms identify all NaNs. A comparison of terms that observes NaN payloads, as in %b, must ask
// here first (LangRef, "Behavior of Floating-Point NaN values").
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_CHANGED_NANS_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_CHANGED_NANS_H_

#include <cstdint>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instruction.h"
#include "verify/kernel/lift/functions.h"
#include "verify/kernel/lift/value.h"

namespace affirm::kernel {

class ChangedNans {
 public:
  // The lifter begins anew, under other facts: what was computed before is computed again.
  void BeginCase() { computed_.clear(); }
  // Records the result of an executed instruction; `callee`: the function that it calls, if any.
  void Note(const llvm::Instruction& instruction, const Callee* callee, const Value& result);
  // The same of a result in which any NaN is one of the device's.
  void NoteValue(const llvm::Instruction& instruction, const Value& value);
  // Records what an operation on integers or a branch makes of an operand. Bits of a float that its
  // result lacks are gone from the terms: those of %s are in `xor %b, %b`, and not in its term,
  // which is 0.
  void NoteUse(const Value& operand, const Value& result);
  // Records what an obligation is about. Bits of one term, in it and in a fact, may be of two NaNs.
  void NoteDecided(terms::Term integer);
  // The floats whose bits obligations are about.
  const llvm::SetVector<terms::Term>& decided_by() const { return decided_by_; }
  // Floats whose bits such an operation took, and whose term does not show that.
  const llvm::SetVector<terms::Term>& with_bits_gone() const { return with_bits_gone_; }
  // Whether such a value may have been loaded from the buffer that this is a load of.
  bool HasBuffer(terms::Term load) const {
    return is_any_ || buffers_.contains(static_cast<int64_t>(load->number));
  }
  // Whether the value was computed in two executions, of one instruction or two, by one thread or
  // two: each gives a NaN of its own.
  bool IsComputedTwice(terms::Term value) const { return twice_.contains(value); }
  // Whether one was a number: its bits may be numbers in terms.
  bool has_literal() const { return has_literal_; }
  // The first instruction that changed one, or computed it again; null where there is none.
  const llvm::Instruction* first() const { return first_; }

 private:
  void NoteTerm(const llvm::Instruction& instruction, terms::Term term);

  llvm::DenseSet<int64_t> buffers_;
  bool is_any_ = false;  // a loop-carried value or a name, which may hold data of any buffer
  bool has_literal_ = false;
  llvm::DenseSet<terms::Term> seen_, twice_;
  llvm::DenseSet<terms::Term> computed_;  // in this case
  // The floats whose bits are in an integer or a condition.
  using Floats = llvm::SmallVector<terms::Term, 2>;
  const Floats& FloatsIn(terms::Term term);
  llvm::DenseMap<terms::Term, Floats> floats_in_;
  // Whether there are any. Kept of each part: the next sum of a row contains this one.
  bool HasFloats(terms::Term term);
  llvm::DenseMap<terms::Term, bool> has_floats_;
  llvm::SetVector<terms::Term> with_bits_gone_, decided_by_;
  const llvm::Instruction* first_ = nullptr;
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_CHANGED_NANS_H_
