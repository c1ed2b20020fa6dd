#include "core/symbolic/bounded_json.h"

#include "core/symbolic/error.h"

namespace affirm {
namespace {

bool NestsTooDeeply(llvm::StringRef text) {
  constexpr int kMaxNesting = 500;
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxNesting) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace

llvm::Expected<llvm::json::Value> ParseJson(llvm::StringRef text) {
  if (NestsTooDeeply(text))
    return MakeError("JSON that nests too deeply, expected at most 500 levels");
  return llvm::json::parse(text);
}

}  // namespace affirm
