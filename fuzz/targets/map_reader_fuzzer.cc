// libFuzzer: any text is either refused or read as a map that prints and reads back.
#include <cstdio>
#include <cstdlib>

#include "core/simplify/simplify.h"
#include "fuzz/properties/map_operations.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  affirm::Context context;
  llvm::StringRef text(reinterpret_cast<const char*>(data), size);
  auto map = affirm::ParseIndexingMap(text, context);
  if (!map) {
    llvm::consumeError(map.takeError());
    return 0;
  }
  std::string wrong = affirm::fuzz::CheckText(*map, context);
  if (!wrong.empty()) {
    std::fprintf(stderr, "%s\n", wrong.c_str());
    std::abort();
  }
  affirm::Simplify(*map);
  return 0;
}
