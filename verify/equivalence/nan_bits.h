// Whose NaNs are seen to the bit, so that a value in which another NaN stands is another value.
//
//   s = f32[8] select(isnan(p), nan, p), r = s32[8] bitcast-convert(s)
//   // NanBitsSeen(computation, false).IsSeen(s): s is p, as a number, and may not stand for it
//
// A proof that two values are the same takes all NaNs for one, but for what it knows to see more.
// Where the values then stand for each other, the proof has to be of their bits.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_NAN_BITS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_NAN_BITS_H_

#include "core/hlo/module.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace affirm::equivalence {

// Whether an operation sees them: those that do by what they mean (hlo::SeesBitsOfNaN), and custom
// calls that are given floats. A call that is left has no known meaning: those with one are HLO by
// now.
bool MaySeeBitsOfNaN(const hlo::Instruction& op);
// Whether one of the computation does, or of one that it calls.
bool MaySeeBitsOfNaN(const hlo::Computation& computation);

class NanBitsSeen {
 public:
  // `of_results`: whether those of the result are. The computation outlives this.
  NanBitsSeen(const hlo::Computation& computation, bool of_results);

  // Whether something that reads the value, or what is computed from it, may see them.
  bool IsSeen(const hlo::Instruction& value) const { return seen_.contains(&value); }

 private:
  // Whether an operation of the computation, or of one that it calls, sees them.
  bool Sees(const hlo::Computation& computation);

  llvm::DenseMap<const hlo::Computation*, bool> sees_;
  llvm::DenseSet<const hlo::Instruction*> seen_;
};

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_NAN_BITS_H_
