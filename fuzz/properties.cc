#include "fuzz/properties.h"

#include "core/simplify/simplify.h"
#include "fuzz/meaning.h"

namespace affirm::fuzz {

std::string CheckSimplify(const IndexingMap& map) {
  IndexingMap simplified = Simplify(map);
  auto before = Enumerate(map), after = Enumerate(simplified);
  if (!before) return "";
  if (!after) return "the simplified map " + simplified.ToString() + " can't be enumerated";
  std::string difference = Difference(*before, *after);
  if (!difference.empty()) return simplified.ToString() + " differs " + difference;
  IndexingMap again = Simplify(simplified);
  if (!(again == simplified)) {
    return "not idempotent: " + simplified.ToString() + " then " + again.ToString();
  }
  return "";
}

std::string CheckText(const IndexingMap& map, Context& context) {
  for (bool multi_line : {false, true}) {
    std::string text = map.ToString(multi_line);
    auto back = ParseIndexingMap(text, context);
    if (!back) return text + "\ndoes not read back: " + llvm::toString(back.takeError());
    if (!(*back == map) || back->Hash() != map.Hash()) {
      return text + "\nreads back as " + back->ToString();
    }
  }
  return "";
}

}  // namespace affirm::fuzz
