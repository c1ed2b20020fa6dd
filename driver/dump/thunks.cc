#include "driver/dump/thunks.h"

#include <map>
#include <optional>
#include <set>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::driver {

namespace {

// The list behind "key: [1, 2, 3]".
std::optional<std::array<int64_t, 3>> ReadSizes(llvm::StringRef line, llvm::StringRef key) {
  const size_t at = line.find(key);
  if (at == llvm::StringRef::npos) return std::nullopt;
  llvm::SmallVector<llvm::StringRef, 3> parts;
  line.drop_front(at + key.size()).split(']').first.split(parts, ',');
  std::array<int64_t, 3> sizes = {1, 1, 1};
  if (parts.size() > sizes.size()) return std::nullopt;
  for (size_t k = 0; k < parts.size(); ++k) {
    if (parts[k].trim().getAsInteger(10, sizes[k])) return std::nullopt;
  }
  return sizes;
}

std::map<int64_t, std::string> ReadAnnotations(llvm::StringRef metadata) {
  std::map<int64_t, std::string> annotations;
  std::string annotation;
  while (!metadata.empty()) {
    auto [line, rest] = metadata.split('\n');
    metadata = rest;
    line = line.trim();
    int64_t id = 0;
    if (line.consume_front("profile_annotation: \"")) annotation = line.split('"').first.str();
    if (line.consume_front("thunk_id: ") && !line.getAsInteger(10, id)) {
      annotations[id] = annotation;
      annotation.clear();
    }
  }
  return annotations;
}

}  // namespace

Thunks ParseThunks(llvm::StringRef sequence, llvm::StringRef metadata) {
  const std::map<int64_t, std::string> annotations = ReadAnnotations(metadata);
  Thunks thunks;
  std::set<std::pair<int64_t, std::string>> seen;
  // What stands deeper behind a kDynamicSliceFusion is a part of it.
  std::pair<size_t, std::string> slices;
  while (!sequence.empty()) {
    auto [text, rest] = sequence.split('\n');
    sequence = rest;
    llvm::StringRef line = text.trim();
    auto [number, what] = line.split(": ");
    int64_t id = 0;
    if (number.getAsInteger(10, id) || !what.starts_with("k")) continue;
    const llvm::StringRef kind = what.take_until([](char c) { return c == ' '; });
    if (!seen.insert({id, kind.str()}).second) continue;
    auto annotation = annotations.find(id);
    const std::string instruction = annotation == annotations.end() ? "" : annotation->second;
    const size_t depth = text.size() - text.ltrim().size();
    if (depth <= slices.first) slices = {};
    const std::string within = slices.second;
    if (kind == "kDynamicSliceFusion") slices = {depth, instruction};
    const size_t grid_at = what.find(" grid: [");
    auto grid = ReadSizes(what, " grid: ["), threads = ReadSizes(what, " threads: [");
    if (!grid || !threads) {
      thunks.others.push_back({kind.str(), instruction, within});
      continue;
    }
    KernelThunk thunk;
    thunk.kernel = what.take_front(grid_at).rsplit(' ').second.str();
    thunk.grid = *grid;
    thunk.threads = *threads;
    llvm::StringRef shared = what.split("shared_memory: ").second;
    shared.consumeInteger(10, thunk.shared_bytes);
    thunk.instruction = instruction;
    thunks.kernels.push_back(std::move(thunk));
  }
  return thunks;
}

}  // namespace affirm::driver
