// Instructions of devices that convert two floats to or from floats of eight bits at a time. The
// emulator and the proof read their names here, both.
//
//   i16 @llvm.nvvm.ff.to.e4m3x2.rn(float %high, float %low)
//   i16 @llvm.nvvm.f16x2.to.e5m2x2.rn(<2 x half> %low_and_high)
//   <2 x half> @llvm.nvvm.e4m3x2.to.f16x2.rn(i16 %pair)
//
// The lower byte belongs to element 0 of a vector, and to the second of two arguments. Narrowing
// rounds to the nearest, ties to even; what lies beyond the largest finite number becomes that
// number, of its sign, and NaN stays NaN. Widening is exact.
#ifndef AFFIRM_VERIFY_KERNEL_SMALL_FLOAT_PAIRS_H_
#define AFFIRM_VERIFY_KERNEL_SMALL_FLOAT_PAIRS_H_

#include <optional>

#include "core/hlo/shape.h"
#include "llvm/ADT/StringRef.h"

namespace affirm::kernel {

struct SmallFloatPair {
  hlo::PrimitiveType small;  // f8e4m3fn or f8e5m2
  hlo::PrimitiveType wide;   // f16 or f32
  bool narrows = false;      // to the small type
};

// The instruction that an intrinsic is; nullopt for all others.
std::optional<SmallFloatPair> FindSmallFloatPair(llvm::StringRef intrinsic);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_SMALL_FLOAT_PAIRS_H_
