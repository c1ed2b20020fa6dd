// libFuzzer target: any bytes are read as a proto of XLA or refused with a place, and the module
// that was read prints to text that reads back as the same.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/hlo/text.h"
#include "core/hlo/verifier.h"
#include "core/hlo_proto/text.h"
#include "llvm/ADT/StringRef.h"

namespace {

[[noreturn]] void Report(const char* what, const std::string& detail) {
  std::fprintf(stderr, "%s: %s\n", what, detail.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const llvm::StringRef bytes(reinterpret_cast<const char*>(data), size);
  auto module = affirm::hlo_proto::ReadModule(bytes, "fuzz");
  if (!module) {
    const std::string error = llvm::toString(module.takeError());
    if (!llvm::StringRef(error).starts_with("fuzz:1:1: error: HLO proto: "))
      Report("error without a place", error);
    return 0;
  }
  llvm::consumeError(affirm::hlo::VerifyExecutable(**module, "fuzz"));
  const std::string printed = affirm::hlo::ToString(**module);
  auto again = affirm::hlo::ParseModule(printed, "printed");
  if (!again) Report(printed.c_str(), llvm::toString(again.takeError()));
  if (!affirm::hlo::SameModule(**module, **again)) Report("reads as another module", printed);
  return 0;
}
