#include "driver/dump/thunks.h"

#include <map>

#include "core/symbolic/error.h"
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

// Instructions by (thunk id, kind). An entry reads
//   thunk_metadata { thunk_info { profile_annotation: "x" thunk_id: 1 } thunk_kind: "kCopy" }
// over several lines. Two entries with one key and different names name nothing.
using Annotations = std::map<std::pair<int64_t, std::string>, std::string>;

Annotations ReadAnnotations(llvm::StringRef metadata) {
  Annotations annotations;
  std::string annotation, kind;
  std::optional<int64_t> id;
  auto finish = [&] {
    if (id) {
      auto [known, fresh] = annotations.try_emplace({*id, kind}, annotation);
      if (!fresh && known->second != annotation) known->second.clear();
    }
    annotation.clear();
    kind.clear();
    id.reset();
  };
  while (!metadata.empty()) {
    auto [line, rest] = metadata.split('\n');
    metadata = rest;
    line = line.trim();
    int64_t number = 0;
    if (line.starts_with("thunk_metadata")) finish();
    if (line.consume_front("profile_annotation: \"")) annotation = line.split('"').first.str();
    if (line.consume_front("thunk_kind: \"")) kind = line.split('"').first.str();
    if (line.consume_front("thunk_id: ") && !line.getAsInteger(10, number)) id = number;
  }
  finish();
  return annotations;
}

std::string InstructionOf(const Annotations& annotations, int64_t id, const std::string& kind) {
  for (const std::string& of_kind : {kind, std::string()}) {
    auto found = annotations.find({id, of_kind});
    if (found != annotations.end()) return found->second;
  }
  return "";
}

// "[prev=001 (1) | sink        ] NAME grid: [1, 1, 1] threads: [8, 1, 1]  shared_memory: 0 bytes"
std::optional<KernelLaunch> ReadLaunch(llvm::StringRef text) {
  const size_t grid_at = text.find(" grid: [");
  auto grid = ReadSizes(text, " grid: ["), threads = ReadSizes(text, " threads: [");
  if (!grid || !threads) return std::nullopt;
  KernelLaunch launch{.kernel = text.take_front(grid_at).rsplit(' ').second.str(),
                      .grid = *grid,
                      .threads = *threads};
  llvm::StringRef shared = text.split("shared_memory: ").second;
  if (shared.consumeInteger(10, launch.shared_bytes)) return std::nullopt;
  return launch;
}

class Parser {
 public:
  explicit Parser(const Annotations& annotations) : annotations_(annotations) {}

  llvm::Error AddLine(llvm::StringRef text) {
    llvm::StringRef line = text.trim();
    const size_t depth = text.size() - text.ltrim().size();
    auto [number, what] = line.split(": ");
    int64_t id = 0;
    if (line.empty()) return llvm::Error::success();
    if (line.consume_back(":")) return AddLabel(line, depth);
    if (number.getAsInteger(10, id) || !what.starts_with("k"))
      return MakeError("'" + line + "' is no thunk");
    auto [kind, rest] = what.split(' ');
    Thunk thunk{.kind = kind.str(), .instruction = InstructionOf(annotations_, id, kind.str())};
    thunk.launch = ReadLaunch(rest);
    while (!open_.empty() && open_.back().depth >= depth) open_.pop_back();
    std::vector<Thunk>& thunks = open_.empty() ? top_.thunks : Sequence(*open_.back().thunk);
    thunks.push_back(std::move(thunk));
    // Pointers into vectors that grow: only the last thunk of each open sequence is open.
    open_.push_back({depth, &thunks.back()});
    return llvm::Error::success();
  }

  ThunkSequence Finish() { return std::move(top_); }

 private:
  struct Open {
    size_t depth;
    Thunk* thunk;
  };

  // A label belongs to the thunk that stands less deep; XLA writes "condition:" without any depth,
  // behind the loop.
  llvm::Error AddLabel(llvm::StringRef label, size_t depth) {
    while (depth > 0 && open_.size() > 1 && open_.back().depth >= depth) open_.pop_back();
    if (open_.empty()) return MakeError("'" + label + ":' belongs to no thunk");
    open_.back().thunk->nested.push_back({label.str(), {}});
    return llvm::Error::success();
  }

  static std::vector<Thunk>& Sequence(Thunk& thunk) {
    if (thunk.nested.empty()) thunk.nested.emplace_back();
    return thunk.nested.back().thunks;
  }

  const Annotations& annotations_;
  ThunkSequence top_;
  std::vector<Open> open_;
};

}  // namespace

llvm::Expected<ThunkSequence> ParseThunks(llvm::StringRef sequence, llvm::StringRef metadata) {
  const Annotations annotations = ReadAnnotations(metadata);
  Parser parser(annotations);
  for (int64_t line = 1; !sequence.empty(); ++line) {
    auto [text, rest] = sequence.split('\n');
    sequence = rest;
    if (llvm::Error error = parser.AddLine(text))
      return MakeError("line " + llvm::Twine(line) + ": " + llvm::toString(std::move(error)));
  }
  return parser.Finish();
}

}  // namespace affirm::driver
