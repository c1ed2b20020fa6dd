#include "verify/kernel/lane_reduction.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

namespace affirm::kernel {

std::optional<LaneReduction> ReductionOf(const llvm::CallBase& call) {
  using Kind = LaneReduction::Kind;
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::nvvm_redux_sync_add:
      return LaneReduction{Kind::kAdd};
    case llvm::Intrinsic::nvvm_redux_sync_min:
      return LaneReduction{Kind::kMin};
    case llvm::Intrinsic::nvvm_redux_sync_max:
      return LaneReduction{Kind::kMax};
    case llvm::Intrinsic::nvvm_redux_sync_umin:
      return LaneReduction{Kind::kUMin};
    case llvm::Intrinsic::nvvm_redux_sync_umax:
      return LaneReduction{Kind::kUMax};
    case llvm::Intrinsic::nvvm_redux_sync_and:
      return LaneReduction{Kind::kAnd};
    case llvm::Intrinsic::nvvm_redux_sync_or:
      return LaneReduction{Kind::kOr};
    case llvm::Intrinsic::nvvm_redux_sync_xor:
      return LaneReduction{Kind::kXor};
    case llvm::Intrinsic::nvvm_redux_sync_fmin:
      return LaneReduction{Kind::kMinimumNumber};
    case llvm::Intrinsic::nvvm_redux_sync_fmin_abs:
      return LaneReduction{Kind::kMinimumNumber, /*of_magnitudes=*/true};
    case llvm::Intrinsic::nvvm_redux_sync_fmin_NaN:
      return LaneReduction{Kind::kMinimum};
    case llvm::Intrinsic::nvvm_redux_sync_fmin_abs_NaN:
      return LaneReduction{Kind::kMinimum, /*of_magnitudes=*/true};
    case llvm::Intrinsic::nvvm_redux_sync_fmax:
      return LaneReduction{Kind::kMaximumNumber};
    case llvm::Intrinsic::nvvm_redux_sync_fmax_abs:
      return LaneReduction{Kind::kMaximumNumber, /*of_magnitudes=*/true};
    case llvm::Intrinsic::nvvm_redux_sync_fmax_NaN:
      return LaneReduction{Kind::kMaximum};
    case llvm::Intrinsic::nvvm_redux_sync_fmax_abs_NaN:
      return LaneReduction{Kind::kMaximum, /*of_magnitudes=*/true};
    default:
      return std::nullopt;
  }
}

}  // namespace affirm::kernel
