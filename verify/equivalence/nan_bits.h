// Finds values whose NaN bits are observed, so that replacing one NaN by another changes a result.
//
//   s = f32[8] select(isnan(p), nan, p), r = s32[8] bitcast-convert(s)
//   // NanBitsSeen(computation, false).IsSeen(s): s equals p up to NaN bits, but must not replace
//   it
//
// A proof of equality identifies NaNs. Before one value replaces the other where NaN bits are
// observed, the proof must be about bits.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_NAN_BITS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_NAN_BITS_H_

#include "core/hlo/module.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace affirm::equivalence {

// Whether an operation may observe NaN bits: by its semantics (hlo::SeesBitsOfNaN), or because it
// is a custom call with float operands. Custom calls with a known meaning have been expanded to
// HLO.
bool MaySeeBitsOfNaN(const hlo::Instruction& op);
// Whether an operation of the computation, or of one that it calls, may.
bool MaySeeBitsOfNaN(const hlo::Computation& computation);

class NanBitsSeen {
 public:
  // `of_results`: whether NaN bits of the results are observed. The computation must outlive this.
  NanBitsSeen(const hlo::Computation& computation, bool of_results);

  // Whether a transitive user of the value may observe its NaN bits.
  bool IsSeen(const hlo::Instruction& value) const { return seen_.contains(&value); }

 private:
  // Memoized MaySeeBitsOfNaN.
  bool Sees(const hlo::Computation& computation);

  llvm::DenseMap<const hlo::Computation*, bool> sees_;
  llvm::DenseSet<const hlo::Instruction*> seen_;
};

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_NAN_BITS_H_
