// libFuzzer: any text is either refused or read as rules that print, read back and compile.
#include <cstdio>
#include <cstdlib>

#include "core/simplify/rule_table.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char*>(data), size);
  auto rules = affirm::ParseRules(text, "fuzz");
  if (!rules) {
    llvm::consumeError(rules.takeError());
    return 0;
  }
  for (const affirm::Rule& rule : *rules) {
    std::string printed = affirm::ToString(rule);
    auto back = affirm::ParseRules(printed, "printed");
    if (!back) {
      std::fprintf(stderr, "%s%s\n", printed.c_str(), llvm::toString(back.takeError()).c_str());
      std::abort();
    }
    if (affirm::ToString(back->front()) != printed) std::abort();
  }
  affirm::RuleTable table(*std::move(rules));
  return 0;
}
