// affirm indexing --tile
#include "core/analysis/uses/tiling.h"

#include "core/analysis/uses/contracted_tiles.h"
#include "core/analysis/uses/symbolic_tile.h"
#include "core/symbolic/text.h"
#include "driver/errors.h"
#include "driver/json_text.h"
#include "driver/reports/map_analyses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
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

// Of a fusion the root of what it calls, else the instruction itself.
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

}  // namespace

llvm::Error PrintTiles(const hlo::Instruction& instruction, llvm::StringRef text,
                       llvm::StringRef contracted, const AnalysisReportOptions& options) {
  if (llvm::Error error = CheckId(instruction, options)) return error;
  const bool is_output = options.direction == Direction::kOutputToInput;
  if (!contracted.empty() && (!is_output || text == "symbolic"))
    return ErrorAt(options.file, instruction.location,
                   "--tile-contracted needs sizes of a tile of the output");
  Context context;
  if (text == "symbolic") {
    auto tiles = SymbolicTiles(instruction, context, options);
    if (options.json) {
      PrintJson(instruction, text, tiles, options);
    } else {
      PrintText(tiles);
    }
    return llvm::Error::success();
  }
  auto sizes = ParseSizes(text, options);
  if (!sizes) return sizes.takeError();
  const IndexingOptions how{.exact = options.exact};
  auto steps = ParseSizes(contracted, options);
  if (!steps) return steps.takeError();
  auto make = [&]() -> llvm::Expected<GroupedTiles> {
    if (!is_output) return ConsumerTiles(instruction, options.id, *sizes, context, how);
    const hlo::Instruction& root = *RootOf(&instruction);
    if (contracted.empty()) return ComputationTiles(root, options.id, *sizes, context, how);
    return ContractedTiles(root, options.id, *sizes, *steps, context, how);
  };
  auto tiles = make();
  if (!tiles) return ErrorAt(options.file, instruction.location, MessageOf(tiles.takeError()));
  if (options.json) {
    PrintJson(instruction, llvm::json::Array(*sizes), *tiles, options);
  } else {
    PrintText(*tiles);
  }
  return llvm::Error::success();
}

}  // namespace affirm::driver
