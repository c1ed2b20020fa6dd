#include "verify/kernel/small_float_pairs.h"

namespace affirm::kernel {

using hlo::PrimitiveType;

std::optional<SmallFloatPair> FindSmallFloatPair(llvm::StringRef intrinsic) {
  for (PrimitiveType small : {PrimitiveType::kF8E4M3FN, PrimitiveType::kF8E5M2}) {
    const llvm::StringRef pair = small == PrimitiveType::kF8E5M2 ? "e5m2x2" : "e4m3x2";
    llvm::StringRef name = intrinsic;
    if (!name.consume_front("llvm.nvvm.") || !name.consume_back(".rn")) continue;
    auto [from, to] = name.split(".to.");
    if (from == "ff" && to == pair) return SmallFloatPair{small, PrimitiveType::kF32, true};
    if (from == "f16x2" && to == pair) return SmallFloatPair{small, PrimitiveType::kF16, true};
    if (from == pair && to == "f16x2") return SmallFloatPair{small, PrimitiveType::kF16, false};
  }
  return std::nullopt;
}

}  // namespace affirm::kernel
