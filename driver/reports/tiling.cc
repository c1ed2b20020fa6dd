// affirm indexing --tile
#include "core/analysis/uses/tiling.h"

#include <algorithm>
#include <optional>

#include "core/analysis/uses/contracted_tiles.h"
#include "core/analysis/uses/exact_tilings.h"
#include "core/analysis/uses/symbolic_tile.h"
#include "core/hlo/leaves.h"
#include "core/symbolic/text.h"
#include "driver/errors.h"
#include "driver/json_text.h"
#include "driver/reports/map_analyses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {
namespace {

llvm::Expected<std::vector<int64_t>> ParseSizes(llvm::StringRef text,
                                                const AnalysisReportOptions& options) {
  std::vector<int64_t> sizes;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/!text.empty());
  for (llvm::StringRef part : parts) {
    int64_t size;
    if (part.trim().getAsInteger(10, size)) {
      return ErrorAt(options.file, {},
                     "'" + part + "' is not a tile size, expected integers with commas between");
    }
    sizes.push_back(size);
  }
  return sizes;
}

std::string Joined(llvm::ArrayRef<int64_t> values) {
  std::string text;
  for (int64_t v : values) text += (text.empty() ? "" : ", ") + std::to_string(v);
  return text;
}

std::string MapText(const IndexingMap& map) {
  return map.IsUndefined() ? "undefined" : map.ToString();
}

// An expression over the variables of a map.
std::string TextIn(const IndexingMap& map, SymbolicExpr e) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Print(e, os, [&](VarKind kind, int64_t i) { return map.VariableName(kind, i); });
  return text;
}

std::string BoundText(const Tile& tile, size_t dim) {
  return TextIn(tile.offsets, tile.upper_bounds[dim]);
}

bool HasBounds(const Tile& tile) {
  return llvm::any_of(tile.upper_bounds, [](SymbolicExpr e) { return bool(e); });
}

void WriteText(const Tile& tile, llvm::raw_ostream& os) {
  os << "  offsets       " << MapText(tile.offsets) << "\n";
  if (tile.IsKnown() && !tile.sizes.empty()) {
    os << "  sizes         " << Joined(tile.sizes) << "\n";
    os << "  strides       " << Joined(tile.strides) << "\n";
  }
  if (HasBounds(tile)) {
    os << "  upper bounds  ";
    for (size_t k = 0; k < tile.upper_bounds.size(); ++k) {
      os << (k ? ", " : "") << (tile.upper_bounds[k] ? BoundText(tile, k) : "none");
    }
    os << "\n";
  }
  if (tile.exactness != Exactness::kExact) {
    os << "  exactness     " << Name(tile.exactness) << ": " << tile.reason << "\n";
  }
}

void WriteJson(const LeafTile& leaf, llvm::json::OStream& json) {
  const Tile& tile = leaf.tile;
  json.object([&] {
    json.attribute("leaf", leaf.leaf);
    json.attribute("offsets", JsonText(MapText(tile.offsets)));
    json.attribute("sizes", llvm::json::Array(tile.sizes));
    json.attribute("strides", llvm::json::Array(tile.strides));
    json.attributeArray("upper_bounds", [&] {
      for (size_t k = 0; k < tile.upper_bounds.size(); ++k) {
        if (tile.upper_bounds[k]) {
          json.value(JsonText(BoundText(tile, k)));
        } else {
          json.value(nullptr);
        }
      }
    });
    json.attribute("exactness", Name(tile.exactness));
    if (!tile.reason.empty()) json.attribute("reason", tile.reason);
  });
}

// A symbolic tile of a leaf of an instruction.
struct SymbolicLeafTile {
  SymbolicTile tile;
  int64_t leaf = 0;
};

// "o0 in [0, 31]" for each unknown and each constraint between them: where the tile lies within the
// map's domain.
std::vector<std::string> DomainOf(const IndexingMap& parameters) {
  std::vector<std::string> out;
  for (VarKind kind : {VarKind::kDim, VarKind::kRuntime}) {
    for (size_t i = 0; i < parameters.vars(kind).size(); ++i) {
      out.push_back(parameters.VariableName(kind, static_cast<int64_t>(i)) + " in " +
                    parameters.vars(kind)[i].bounds.ToString());
    }
  }
  for (const Constraint& c : parameters.constraints())
    out.push_back(TextIn(parameters, c.expr) + " in " + c.bounds.ToString());
  return out;
}

void WriteText(const SymbolicTile& tile, llvm::raw_ostream& os) {
  const IndexingMap& parameters = tile.parameters;
  const std::string domain = tile.cases.empty() ? "" : llvm::join(DomainOf(parameters), ", ");
  if (!domain.empty()) os << "  domain        " << domain << "\n";
  auto joined = [&](llvm::ArrayRef<SymbolicExpr> list) {
    return llvm::join(llvm::map_range(list, [&](SymbolicExpr e) { return TextIn(parameters, e); }),
                      ", ");
  };
  for (const SymbolicTileCase& one : tile.cases) {
    if (one.offsets.empty()) continue;
    os << "  offsets       " << joined(one.offsets) << "\n"
       << "  sizes         " << joined(one.sizes) << "\n"
       << "  strides       " << joined(one.strides) << "\n";
    for (const Constraint& c : one.conditions) {
      os << (&c == one.conditions.data() ? "  where         " : "                ")
         << TextIn(parameters, c.expr) << " in " << c.bounds.ToString() << "\n";
    }
  }
  if (tile.cases.empty()) {
    os << "  no symbolic tile: " << tile.reason << "\n";
  } else if (tile.exactness != Exactness::kExact) {
    os << "  exactness     " << Name(tile.exactness) << ": the map covers what is read\n";
  }
}

void WriteJson(const SymbolicLeafTile& leaf, llvm::json::OStream& json) {
  const IndexingMap& parameters = leaf.tile.parameters;
  auto texts = [&](llvm::ArrayRef<SymbolicExpr> list) {
    llvm::json::Array out;
    for (SymbolicExpr e : list) out.push_back(JsonText(TextIn(parameters, e)));
    return out;
  };
  json.object([&] {
    json.attribute("leaf", leaf.leaf);
    if (!leaf.tile.cases.empty()) {
      json.attributeArray("domain", [&] {
        for (const std::string& text : DomainOf(parameters)) json.value(JsonText(text));
      });
    }
    WriteRows(json, "cases", leaf.tile.cases, [&](const SymbolicTileCase& one) {
      json.attribute("offsets", texts(one.offsets));
      json.attribute("sizes", texts(one.sizes));
      json.attribute("strides", texts(one.strides));
      json.attributeArray("conditions", [&] {
        for (const Constraint& c : one.conditions) {
          json.value(JsonText(TextIn(parameters, c.expr) + " in " + c.bounds.ToString()));
        }
      });
    });
    json.attribute("exactness", Name(leaf.tile.exactness));
    if (!leaf.tile.reason.empty()) json.attribute("reason", JsonText(leaf.tile.reason));
  });
}

template <typename Tiles>
void PrintJson(const hlo::Instruction& instruction, const llvm::json::Value& sizes,
               const Tiles& tiles, const AnalysisReportOptions& options) {
  PrintJsonObject([&](llvm::json::OStream& json) {
    json.attribute("instruction", JsonText(instruction.name));
    json.attribute("id", options.id);
    json.attribute("tile", sizes);
    json.attributeArray("instructions", [&] {
      for (const auto& [op, of_op] : tiles) {
        json.object([&, op = op, &of_op = of_op] {
          json.attribute("name", JsonText(op->name));
          json.attribute("shape", JsonText(op->shape.ToString()));
          json.attributeArray("tiles", [&] {
            for (const auto& leaf : of_op) WriteJson(leaf, json);
          });
        });
      }
    });
  });
}

template <typename Tiles>
void PrintText(const Tiles& tiles) {
  for (const auto& [op, of_op] : tiles) {
    for (const auto& leaf : of_op) {
      llvm::outs() << op->name << ": " << op->shape.ToString();
      if (op->shape.IsTuple()) llvm::outs() << ", element " << leaf.leaf;
      llvm::outs() << "\n";
      WriteText(leaf.tile, llvm::outs());
    }
  }
}

// The root of the computation that a fusion calls; any other instruction itself.
const hlo::Instruction* RootOf(const hlo::Instruction* instruction) {
  bool is_fusion = instruction->opcode == hlo::Opcode::kFusion && instruction->called.size() == 1;
  return is_fusion ? instruction->called[0]->root : instruction;
}

llvm::Error CheckId(const hlo::Instruction& instruction, const AnalysisReportOptions& options) {
  if (options.direction == Direction::kOutputToInput) return llvm::Error::success();
  const bool is_array = options.id < std::ssize(instruction.operands) &&
                        instruction.operands[options.id]->shape.IsArray();
  if (is_array) return llvm::Error::success();
  return ErrorAt(options.file, instruction.location,
                 "'" + instruction.name + "' has no array as operand " + llvm::Twine(options.id) +
                     ", expected one to cut into tiles");
}

// The symbolic tiles along each map.
llvm::MapVector<const hlo::Instruction*, std::vector<SymbolicLeafTile>> SymbolicTiles(
    const hlo::Instruction& instruction, Context& context, const AnalysisReportOptions& options) {
  const IndexingOptions how{.exact = options.exact};
  GroupedIndexing grouped =
      options.direction == Direction::kOutputToInput
          ? ComputationIndexing(*RootOf(&instruction), options.id, context, how)
          : ConsumerIndexing(instruction, options.id, 0, context, how);
  llvm::MapVector<const hlo::Instruction*, std::vector<SymbolicLeafTile>> out;
  for (const auto& [op, maps] : grouped) {
    for (const LabeledMap& map : maps) out[op].push_back({SymbolicTileOf(map), map.leaf});
  }
  return out;
}

constexpr llvm::StringRef kList = "list";

llvm::Expected<GroupedTiles> TilesOf(const hlo::Instruction& instruction,
                                     llvm::ArrayRef<int64_t> sizes,
                                     const std::optional<std::vector<int64_t>>& contracted,
                                     Context& context, const AnalysisReportOptions& options) {
  const IndexingOptions how{.exact = options.exact};
  if (options.direction != Direction::kOutputToInput)
    return ConsumerTiles(instruction, options.id, sizes, context, how);
  const hlo::Instruction& root = *RootOf(&instruction);
  if (!contracted) return ComputationTiles(root, options.id, sizes, context, how);
  return ContractedTiles(root, options.id, sizes, *contracted, context, how);
}

llvm::StringRef NameOf(TileSizes which) {
  switch (which) {
    case TileSizes::kAll:
      return "all sizes";
    case TileSizes::kDivisorsAndPowersOfTwo:
      return "divisors and powers of two";
    case TileSizes::kPowersOfTwo:
      return "powers of two and whole dims";
  }
  llvm_unreachable("each kind has a name");
}

std::string WithCommas(llvm::ArrayRef<int64_t> sizes) {
  return llvm::join(llvm::map_range(sizes, [](int64_t n) { return std::to_string(n); }), ",");
}

// A list of tilings of one array, or of an array and contracted dims behind its own.
class TilingReport {
 public:
  TilingReport(const hlo::Instruction& instruction, const AnalysisReportOptions& options)
      : instruction_(instruction), options_(options) {}

  llvm::Error Print(const TileRequest& request) {
    if (llvm::Error error = SetUp(request)) return error;
    // The fault of any tiling.
    if (auto whole = Tiles(listed_); !whole)
      return ErrorAt(options_.file, instruction_.location, MessageOf(whole.takeError()));
    const TilingList list =
        ExactTilings(listed_, request.most, [&](llvm::ArrayRef<int64_t> listed) {
          auto tiles = Tiles(listed);
          if (tiles) return AreExact(*tiles);
          llvm::consumeError(tiles.takeError());
          return false;
        });
    if (options_.json) {
      WriteJson(list);
    } else {
      WriteText(list);
    }
    return llvm::Error::success();
  }

 private:
  // The extents of what is listed, and the sizes that are given.
  llvm::Error SetUp(const TileRequest& request) {
    const bool is_output = options_.direction == Direction::kOutputToInput;
    const hlo::Instruction& root = *RootOf(&instruction_);
    if (request.sizes == kList) {
      const hlo::Shape* shape = is_output ? hlo::LeafShape(root.shape, options_.id)
                                          : &instruction_.operands[options_.id]->shape;
      if (shape == nullptr || !shape->IsArray())
        return ErrorAt(options_.file, instruction_.location,
                       "'" + root.name + "' has no array as output " + llvm::Twine(options_.id));
      listed_ = shape->dims;
    } else {
      auto sizes = ParseSizes(request.sizes, options_);
      if (!sizes) return sizes.takeError();
      given_ = *std::move(sizes);
    }
    num_tile_ = listed_.size();
    has_contracted_ = !request.contracted.empty();
    if (request.contracted == kList) {
      Context context;
      auto extents = ContractedExtents(root, options_.id, context, {.exact = options_.exact});
      if (!extents)
        return ErrorAt(options_.file, instruction_.location, MessageOf(extents.takeError()));
      llvm::append_range(listed_, *extents);
    } else {
      auto sizes = ParseSizes(request.contracted, options_);
      if (!sizes) return sizes.takeError();
      given_contracted_ = *std::move(sizes);
    }
    for (int64_t& extent : listed_) extent = std::max<int64_t>(extent, 1);
    return llvm::Error::success();
  }

  std::vector<int64_t> SizesOf(llvm::ArrayRef<int64_t> listed) const {
    return given_ ? *given_ : listed.take_front(num_tile_).vec();
  }
  std::optional<std::vector<int64_t>> ContractedOf(llvm::ArrayRef<int64_t> listed) const {
    if (!has_contracted_) return std::nullopt;
    return given_contracted_ ? *given_contracted_ : listed.drop_front(num_tile_).vec();
  }
  llvm::Expected<GroupedTiles> Tiles(llvm::ArrayRef<int64_t> listed) const {
    Context context;
    return TilesOf(instruction_, SizesOf(listed), ContractedOf(listed), context, options_);
  }

  void WriteText(const TilingList& list) const {
    llvm::outs() << "exact: " << list.exact.size() << " of " << list.tried << " tilings ("
                 << NameOf(list.which);
    if (list.tried < list.candidates)
      llvm::outs() << "; the first of " << list.candidates << ", see --most-tilings";
    llvm::outs() << ")\n";
    for (const std::vector<int64_t>& one : list.exact) {
      const std::vector<int64_t> sizes = SizesOf(one);
      llvm::outs() << "  --tile " << (sizes.empty() ? "''" : WithCommas(sizes));
      if (auto contracted = ContractedOf(one))
        llvm::outs() << " --tile-contracted " << WithCommas(*contracted);
      llvm::outs() << "\n";
    }
  }

  void WriteJson(const TilingList& list) const {
    PrintJsonObject([&](llvm::json::OStream& json) {
      json.attribute("instruction", JsonText(instruction_.name));
      json.attribute("id", options_.id);
      json.attribute("tile", kList);
      json.attribute("sizes", NameOf(list.which));
      json.attribute("candidates", list.candidates);
      json.attribute("tried", list.tried);
      WriteRows(json, "tilings", list.exact, [&](const std::vector<int64_t>& one) {
        json.attribute("tile", llvm::json::Array(SizesOf(one)));
        if (auto contracted = ContractedOf(one))
          json.attribute("contracted", llvm::json::Array(*contracted));
      });
    });
  }

  const hlo::Instruction& instruction_;
  const AnalysisReportOptions& options_;
  std::vector<int64_t> listed_;  // extents: of the array if its sizes are listed, then contracted
  size_t num_tile_ = 0;          // how many of them are of the array
  bool has_contracted_ = false;
  std::optional<std::vector<int64_t>> given_, given_contracted_;
};

}  // namespace

llvm::Error PrintTiles(const hlo::Instruction& instruction, const TileRequest& request,
                       const AnalysisReportOptions& options) {
  if (llvm::Error error = CheckId(instruction, options)) return error;
  const bool is_output = options.direction == Direction::kOutputToInput;
  if (!request.contracted.empty() && (!is_output || request.sizes == "symbolic"))
    return ErrorAt(options.file, instruction.location,
                   "--tile-contracted needs sizes of a tile of the output");
  if (request.sizes == kList || request.contracted == kList)
    return TilingReport(instruction, options).Print(request);
  Context context;
  if (request.sizes == "symbolic") {
    auto tiles = SymbolicTiles(instruction, context, options);
    if (options.json) {
      PrintJson(instruction, request.sizes, tiles, options);
    } else {
      PrintText(tiles);
    }
    return llvm::Error::success();
  }
  auto sizes = ParseSizes(request.sizes, options);
  if (!sizes) return sizes.takeError();
  std::optional<std::vector<int64_t>> contracted;
  if (!request.contracted.empty()) {
    auto steps = ParseSizes(request.contracted, options);
    if (!steps) return steps.takeError();
    contracted = *std::move(steps);
  }
  auto tiles = TilesOf(instruction, *sizes, contracted, context, options);
  if (!tiles) return ErrorAt(options.file, instruction.location, MessageOf(tiles.takeError()));
  if (options.json) {
    PrintJson(instruction, llvm::json::Array(*sizes), *tiles, options);
  } else {
    PrintText(*tiles);
  }
  return llvm::Error::success();
}

}  // namespace affirm::driver
