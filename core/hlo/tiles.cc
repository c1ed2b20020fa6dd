// Reads the annotations of a layout.
#include "core/hlo/tiles.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace affirm::hlo {

std::optional<std::vector<TileSizes>> Tiles(const Shape& shape) {
  std::vector<TileSizes> out;
  if (!shape.layout) return out;
  llvm::StringRef text = shape.layout->annotations;
  size_t at = text.find("T(");
  if (at == llvm::StringRef::npos) return out;
  text = text.drop_front(at + 1);
  while (text.consume_front("(")) {
    auto [inside, rest] = text.split(')');
    text = rest;
    llvm::SmallVector<llvm::StringRef> parts;
    inside.split(parts, ',');
    TileSizes tile;
    for (llvm::StringRef part : parts) {
      int64_t size;
      if (part.trim().getAsInteger(10, size) || size < 1) return std::nullopt;
      tile.push_back(size);
    }
    out.push_back(std::move(tile));
  }
  return out;
}

std::optional<int64_t> ElementSizeInBits(const Shape& shape) {
  if (!shape.layout) return std::nullopt;
  llvm::StringRef text = shape.layout->annotations;
  const size_t at = text.find("E(");
  int64_t bits = 0;
  const bool written = at != llvm::StringRef::npos &&
                       !text.drop_front(at + 2).split(')').first.getAsInteger(10, bits);
  return written && bits > 0 ? std::optional(bits) : std::nullopt;
}

// The annotations that arrange elements: all but memory spaces, "S(5)".
static std::string ArrangementOf(const Shape& shape) {
  if (!shape.layout) return "";
  llvm::StringRef rest = shape.layout->annotations;
  std::string arrangement;
  while (!rest.empty()) {
    const size_t end = rest.find(')');
    const llvm::StringRef part = rest.substr(0, end == llvm::StringRef::npos ? end : end + 1);
    if (!part.starts_with("S(")) arrangement += part;
    rest = rest.drop_front(part.size());
  }
  return arrangement;
}

bool LieAlike(const Shape& a, const Shape& b) {
  return a.MinorToMajor() == b.MinorToMajor() && ArrangementOf(a) == ArrangementOf(b);
}

}  // namespace affirm::hlo
