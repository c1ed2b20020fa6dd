// Alignments and sizes that arguments promise, held against the launch.
#include "verify/kernel/promises.h"

#include <algorithm>

#include "llvm/Support/MathExtras.h"

namespace affirm::kernel {

int64_t AlignmentOf(const llvm::Argument& argument, const Param& param) {
  if (param.alignment) return *param.alignment;
  const int64_t declared =
      argument.getParamAlign() ? static_cast<int64_t>(argument.getParamAlign()->value()) : 1;
  return std::max(declared, kAllocationAlignment);
}

const Param* ParamOf(const llvm::Argument& argument, const Launch& launch) {
  for (size_t k = 0; k < launch.params.size(); ++k) {
    if (launch.ArgumentOf(k) == static_cast<int64_t>(argument.getArgNo())) return &launch.params[k];
  }
  return nullptr;
}

std::vector<std::string> BrokenPromises(const KernelIr& ir, const Launch& launch) {
  std::vector<std::string> broken;
  for (const llvm::Argument& argument : ir.kernel->args()) {
    const Param* param = ParamOf(argument, launch);
    if (param == nullptr || !argument.getType()->isPointerTy()) continue;
    const std::string which = "argument " + std::to_string(argument.getArgNo()) + " is said to be ";
    const uint64_t alignment =
        argument.getParamAlign() ? argument.getParamAlign()->value() : uint64_t{1};
    if (param->alignment && alignment > static_cast<uint64_t>(*param->alignment)) {
      broken.push_back(which + "aligned to " + std::to_string(alignment) +
                       " bytes, and the launch aligns it to " + std::to_string(*param->alignment));
    }
    const uint64_t allocated = llvm::alignTo(static_cast<uint64_t>(param->bytes),
                                             static_cast<uint64_t>(kAllocationAlignment));
    const uint64_t bytes =
        std::max(argument.getDereferenceableBytes(), argument.getDereferenceableOrNullBytes());
    if (bytes > allocated) {
      broken.push_back(which + std::to_string(bytes) + " bytes, and its buffer has " +
                       std::to_string(param->bytes));
    }
  }
  return broken;
}

}  // namespace affirm::kernel
