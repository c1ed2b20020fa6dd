#include "verify/kernel/proof/lifting.h"

#include <optional>

#include "llvm/Support/thread.h"

namespace affirm::kernel {

void OnLargeStack(llvm::function_ref<void()> work) {
  constexpr unsigned kStackBytes = 1u << 30;
  llvm::thread worker(std::optional<unsigned>(kStackBytes), [&] { work(); });
  worker.join();
}

bool FlushesDenormals(const KernelIr& ir) {
  for (const llvm::Function& function : *ir.module) {
    for (const char* name : {"denormal-fp-math", "denormal-fp-math-f32"}) {
      llvm::StringRef mode = function.getFnAttribute(name).getValueAsString();
      if (!mode.empty() && mode != "ieee" && mode != "ieee,ieee") return true;
    }
  }
  return false;
}

}  // namespace affirm::kernel
