// affirm indexing --tile
#include "core/analysis/uses/tiling.h"

#include "core/symbolic/text.h"
#include "driver/errors.h"
#include "driver/json_text.h"
#include "driver/reports/map_analyses.h"
#include "llvm/ADT/STLExtras.h"
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

std::string BoundText(const Tile& tile, size_t dim) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Print(tile.upper_bounds[dim], os,
        [&](VarKind kind, int64_t i) { return tile.offsets.VariableName(kind, i); });
  return text;
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

void PrintJson(const hlo::Instruction& instruction, llvm::ArrayRef<int64_t> sizes,
               const GroupedTiles& tiles, const AnalysisReportOptions& options) {
  llvm::json::OStream json(llvm::outs());
  json.object([&] {
    json.attribute("instruction", JsonText(instruction.name));
    json.attribute("id", options.id);
    json.attribute("tile", llvm::json::Array(sizes));
    json.attributeArray("instructions", [&] {
      for (const auto& [op, of_op] : tiles) {
        json.object([&, op = op, &of_op = of_op] {
          json.attribute("name", JsonText(op->name));
          json.attribute("shape", JsonText(op->shape.ToString()));
          json.attributeArray("tiles", [&] {
            for (const LeafTile& leaf : of_op) WriteJson(leaf, json);
          });
        });
      }
    });
  });
  llvm::outs() << "\n";
}

}  // namespace

llvm::Error PrintTiles(const hlo::Instruction& instruction, llvm::StringRef text,
                       const AnalysisReportOptions& options) {
  auto sizes = ParseSizes(text, options);
  if (!sizes) return sizes.takeError();
  bool is_fusion = instruction.opcode == hlo::Opcode::kFusion && instruction.called.size() == 1;
  const hlo::Instruction& root = is_fusion ? *instruction.called[0]->root : instruction;
  Context context;
  auto tiles = ComputationTiles(root, options.id, *sizes, context, {.exact = options.exact});
  if (!tiles) return ErrorAt(options.file, instruction.location, MessageOf(tiles.takeError()));
  if (options.json) {
    PrintJson(instruction, *sizes, *tiles, options);
    return llvm::Error::success();
  }
  for (const auto& [op, of_op] : *tiles) {
    for (const LeafTile& leaf : of_op) {
      llvm::outs() << op->name << ": " << op->shape.ToString();
      if (op->shape.IsTuple()) llvm::outs() << ", element " << leaf.leaf;
      llvm::outs() << "\n";
      WriteText(leaf.tile, llvm::outs());
    }
  }
  return llvm::Error::success();
}

}  // namespace affirm::driver
