// The maps of MLIR text, of its parts between the headers of pass dumps, and what they mean.
#include "driver/reports/mlir_maps.h"

#include <utility>

#include "core/indexing/map_text.h"
#include "core/symbolic/error.h"
#include "driver/reports/affine_text.h"
#include "driver/reports/equiv.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {
namespace {

// The part of a dump under one "// -----// IR Dump Before|After PASS //----- //".
struct Section {
  bool before = false;
  std::string pass;
  llvm::StringRef text;
  int64_t first_line = 1;

  // The operation that was printed: " ('func.func' operation: @f)".
  llvm::StringRef Operation() const {
    const size_t at = pass.rfind(" ('");
    return at == std::string::npos ? llvm::StringRef() : llvm::StringRef(pass).drop_front(at);
  }
  // The dump may be of the whole module, whatever the pass ran on.
  bool IsModule() const { return text.starts_with("module ") || text.contains("\nmodule "); }
};

// Whether two dumps, one right after the other, are of the same thing.
bool PrintTheSame(const Section& a, const Section& b) {
  return a.Operation() == b.Operation() || (a.IsModule() && b.IsModule());
}

std::vector<Section> Sections(llvm::StringRef text) {
  std::vector<Section> sections;
  int64_t line = 1;
  while (!text.empty()) {
    auto [here, rest] = text.split('\n');
    llvm::StringRef head = here.trim();
    if (head.consume_front("// -----// IR Dump ") && head.consume_back("//----- //")) {
      bool before = head.consume_front("Before ");
      if (!before) head.consume_front("After ");
      head = head.trim();
      head.consume_back(" Failed");
      sections.push_back({before, head.str(), rest.take_front(0), line + 1});
    } else if (!sections.empty()) {
      llvm::StringRef& body = sections.back().text;
      body = llvm::StringRef(body.begin(), here.end() - body.begin());
    }
    text = rest;
    ++line;
  }
  return sections;
}

std::string Where(const MlirMap& place, llvm::StringRef file) {
  return (file + ":" + llvm::Twine(place.line) + ":" + llvm::Twine(place.column)).str();
}

// Reads the map by `read`; errors get its place.
template <typename Read>
auto ReadInPlace(const MlirMap& place, llvm::StringRef file, Read read) -> decltype(read()) {
  auto map = read();
  if (map) return map;
  return MakeError(Where(place, file) + ": error: in this map: " + llvm::toString(map.takeError()));
}

}  // namespace

llvm::Expected<std::vector<MlirMap>> FindMlirMaps(llvm::StringRef text, llvm::StringRef file,
                                                  int64_t first_line) {
  auto maps = ScanMlirMaps(text, file, first_line);
  if (!maps) return maps;
  auto is_indexing_map = [](const MlirMap& map) { return map.kind == MlirMap::Kind::kIndexingMap; };
  if (llvm::any_of(*maps, is_indexing_map)) {
    llvm::erase_if(*maps, [&](const MlirMap& map) { return !is_indexing_map(map); });
  }
  return maps;
}

llvm::Expected<IndexingMap> ReadMlirMap(const MlirMap& place, llvm::StringRef file,
                                        Context& context) {
  auto map = ReadInPlace(place, file, [&]() -> llvm::Expected<IndexingMap> {
    if (place.kind == MlirMap::Kind::kIndexingMap)
      return ParseIndexingMap(place.text, context, "map");
    auto affine = ReadAffineMap(place.text, context, "map");
    if (!affine) return affine.takeError();
    auto pair = MakeAffinePair(*affine, *affine, context);
    if (!pair) return pair.takeError();
    return std::move(pair->a);
  });
  return map;
}

llvm::Expected<MlirPair> ReadMlirPair(const MlirMap& a, llvm::StringRef a_file, const MlirMap& b,
                                      llvm::StringRef b_file, Context& context) {
  using Kind = MlirMap::Kind;
  if (a.kind == Kind::kIndexingMap || b.kind == Kind::kIndexingMap) {
    auto first = ReadMlirMap(a, a_file, context);
    if (!first) return first.takeError();
    auto second = ReadMlirMap(b, b_file, context);
    if (!second) return second.takeError();
    if (a.kind != b.kind)
      return MakeError(Where(b, b_file) + ": error: one map is affine and the other has a domain");
    if (llvm::Error error = CheckSamePoints(*first, *second, Where(b, b_file))) return error;
    return MlirPair{std::move(*first), std::move(*second), ""};
  }
  auto read = [&](const MlirMap& place, llvm::StringRef file) {
    return ReadInPlace(place, file, [&] { return ReadAffineMap(place.text, context, "map"); });
  };
  auto first = read(a, a_file);
  if (!first) return first.takeError();
  auto second = read(b, b_file);
  if (!second) return second.takeError();
  auto pair = MakeAffinePair(*first, *second, context);
  if (pair) return MlirPair{std::move(pair->a), std::move(pair->b), std::move(pair->reading)};
  return MakeError(Where(b, b_file) + ": error: this affine_map has " +
                   llvm::toString(pair.takeError()) + " than that at " + Where(a, a_file));
}

std::vector<PassMaps> FindPassMaps(llvm::StringRef text, llvm::StringRef file) {
  std::vector<Section> sections = Sections(text);
  std::vector<PassMaps> passes;
  auto maps_of = [&](const Section& section, std::string& problem) {
    auto maps = FindMlirMaps(section.text, file, section.first_line);
    if (maps) return std::move(*maps);
    if (std::string why = llvm::toString(maps.takeError()); problem.empty())
      problem = std::move(why);
    return std::vector<MlirMap>();
  };
  for (size_t i = 0; i < sections.size(); ++i) {
    if (sections[i].before) continue;
    // The nearest dump before this pass, else the one above.
    size_t from = i;
    for (size_t j = i; j-- > 0 && from == i;) {
      if (sections[j].before && sections[j].pass == sections[i].pass) from = j;
    }
    if (from == i && i == 0) continue;
    if (from == i) from = i - 1;
    PassMaps pass{.pass = sections[i].pass, .before = {}, .after = {}, .problem = ""};
    if (!PrintTheSame(sections[from], sections[i])) {
      pass.problem = "the dump above is of something else, and there is none before the pass";
      passes.push_back(std::move(pass));
      continue;
    }
    pass.before = maps_of(sections[from], pass.problem);
    pass.after = maps_of(sections[i], pass.problem);
    passes.push_back(std::move(pass));
  }
  return passes;
}

}  // namespace affirm::driver
