// The acceptance cases, which live beside the repository; tests skip when they are absent.
#ifndef AFFIRM_TESTS_MAPS_CASE_FILES_H_
#define AFFIRM_TESTS_MAPS_CASE_FILES_H_

#include <string>
#include <vector>

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

namespace affirm {

struct PairCase {
  std::string id, kind, lhs, rhs, truth;
};

// Empty when the file isn't there.
inline std::vector<PairCase> ReadPairs(const std::string& name) {
  std::vector<PairCase> cases;
  auto buffer = llvm::MemoryBuffer::getFile("../shared/cases/" + name);
  if (!buffer) return cases;
  llvm::SmallVector<llvm::StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines) {
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(line);
    if (!value) {
      llvm::consumeError(value.takeError());
      continue;
    }
    const llvm::json::Object& o = *value->getAsObject();
    auto text = [&](llvm::StringRef key) { return o.getString(key).value_or("").str(); };
    cases.push_back({text("id"), text("kind"), text("lhs"), text("rhs"), text("truth")});
  }
  return cases;
}

}  // namespace affirm

#endif  // AFFIRM_TESTS_MAPS_CASE_FILES_H_
