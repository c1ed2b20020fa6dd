// The maps of MLIR text, of its parts between the headers of pass dumps, and what they mean.
#include "driver/reports/mlir_maps.h"

#include <utility>

#include "core/indexing/map_text.h"
#include "core/symbolic/error.h"
#include "core/symbolic/text.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {
namespace {

// The part of a dump under one "// -----// IR Dump Before|After PASS //----- //".
struct Section {
  bool before = false;
  std::string pass;
  llvm::StringRef text;
  int64_t first_line = 1;

  // What was printed: " ('func.func' operation: @f)".
  llvm::StringRef Operation() const {
    const size_t at = pass.rfind(" ('");
    return at == std::string::npos ? llvm::StringRef() : llvm::StringRef(pass).drop_front(at);
  }
  // Whatever the pass ran on, the whole module may be printed.
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

// A map of MLIR's own: its symbols are parameters, as its dims are, and nothing bounds either.
llvm::Expected<IndexingMap> ReadAffineMap(llvm::StringRef text, Context& context) {
  std::vector<ReadDivisor> divisors;
  auto map = ParseSymbolicMap(text, context, "map", /*first_line=*/1, &divisors);
  if (!map) return map.takeError();
  // MLIR Language Reference, "Affine Expressions": divisors and moduli are positive.
  auto is_defined = [](SymbolicExpr e) {
    const bool divides = e.kind() == ExprKind::kFloorDiv || e.kind() == ExprKind::kCeilDiv ||
                         e.kind() == ExprKind::kMod;
    return !divides || (e.op(1).IsConstant() && e.op(1).value() > 0);
  };
  bool all_defined = divisors.empty();
  for (SymbolicExpr e : map->results())
    e.Walk([&](SymbolicExpr part) { all_defined &= is_defined(part); });
  if (!all_defined)
    return MakeError("a divisor is no positive constant, so the map may have no value");
  const int64_t dims = map->num_dims();
  std::vector<SymbolicExpr> results;
  for (SymbolicExpr e : map->results()) {
    results.push_back(e.Substitute([&](VarKind kind, int64_t i) {
      return context.Dim(kind == VarKind::kDim ? i : dims + i);
    }));
  }
  std::vector<Variable> variables(static_cast<size_t>(dims + map->num_ranges()),
                                  {Interval::All(), "", std::nullopt});
  for (int64_t i = 0; i < map->num_ranges(); ++i)
    variables[dims + i].name = "s" + std::to_string(i);
  return IndexingMap(context, results, std::move(variables), {}, {});
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
  auto map = place.kind == MlirMap::Kind::kAffineMap ? ReadAffineMap(place.text, context)
                                                     : ParseIndexingMap(place.text, context, "map");
  if (map) return map;
  std::string message = llvm::toString(map.takeError());
  return MakeError(file + ":" + llvm::Twine(place.line) + ":" + llvm::Twine(place.column) +
                   ": error: in this map: " + message);
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
