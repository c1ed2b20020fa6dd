// Reductions over the lanes of a warp, as llvm.nvvm.redux.sync.* names them.
//
//   ReductionOf(call)   // of llvm.nvvm.redux.sync.fmax.abs.NaN: {kMaximum, of_magnitudes}
#ifndef AFFIRM_VERIFY_KERNEL_LANE_REDUCTION_H_
#define AFFIRM_VERIFY_KERNEL_LANE_REDUCTION_H_

#include <cstdint>
#include <optional>

#include "llvm/IR/InstrTypes.h"

namespace affirm::kernel {

// PTX ISA, "redux.sync": of integers of 32 bits, or of f32.
struct LaneReduction {
  enum class Kind : uint8_t {
    kAdd,
    kMin,
    kMax,
    kUMin,
    kUMax,
    kAnd,
    kOr,
    kXor,
    // For floats, -0.0 is below 0.0: NaN wins (.NaN), or a number does.
    kMinimum,
    kMaximum,
    kMinimumNumber,
    kMaximumNumber,
  };
  Kind kind = Kind::kAdd;
  bool of_magnitudes = false;  // .abs

  bool OfFloats() const { return kind >= Kind::kMinimum; }
};

// nullopt for any other call.
std::optional<LaneReduction> ReductionOf(const llvm::CallBase& call);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LANE_REDUCTION_H_
