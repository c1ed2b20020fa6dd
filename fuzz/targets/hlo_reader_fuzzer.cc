// libFuzzer target: any bytes are read or refused, and what was read prints to text that reads back
// to the same modules.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "core/hlo/text.h"
#include "core/hlo/verifier.h"
#include "llvm/ADT/StringRef.h"

namespace {

[[noreturn]] void Report(const char* what, const std::string& text, const std::string& detail) {
  std::fprintf(stderr, "%s: %s\n%s\n", what, detail.c_str(), text.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const llvm::StringRef text(reinterpret_cast<const char*>(data), size);
  auto modules = affirm::hlo::ParseModules(text, "fuzz");
  if (!modules) {
    const std::string error = llvm::toString(modules.takeError());
    if (!llvm::StringRef(error).starts_with("fuzz:")) Report("error without a place", "", error);
    return 0;
  }
  for (const auto& module : *modules) {
    llvm::consumeError(affirm::hlo::VerifyExecutable(*module, "fuzz"));
    const std::string printed = affirm::hlo::ToString(*module);
    auto again = affirm::hlo::ParseModule(printed, "printed");
    if (!again) {
      Report("printed text is refused", printed, llvm::toString(again.takeError()));
    }
    if (!affirm::hlo::SameModule(*module, **again)) {
      Report("printed text reads as another module", printed, affirm::hlo::ToString(**again));
    }
  }
  return 0;
}
