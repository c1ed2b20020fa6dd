// Tiles, utilization and coalescing, counted element by element and byte by byte.
#include "fuzz/properties/map_analyses.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/analysis/indexing.h"
#include "core/analysis/uses/tiling.h"
#include "core/analysis/uses/utilization.h"
#include "core/hlo/leaves.h"
#include "core/symbolic/checked.h"
#include "fuzz/properties/runtime_values.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::fuzz {
namespace {

// The tile ids of an array cut into tiles, each with the elements of its tile.
std::map<Point, Points> Cut(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> tile,
                            Context& context) {
  std::map<Point, Points> out;
  IndexingMap all = IndexingMap::Identity(context, shape);
  all.ForEachPoint([&](auto index, auto, auto) {
    Point id = index.vec();
    for (size_t k = 0; k < id.size(); ++k) id[k] /= tile[k];
    out[id].insert(index.vec());
    return true;
  });
  return out;
}

enum class Fit { kExact, kWider, kNone };

std::string CompareTiles(const std::vector<LabeledMap>& maps, const std::vector<LeafTile>& tiles,
                         const std::map<Point, Points>& cut, Fit fit, int64_t seed) {
  for (const auto& [id, elements] : cut) {
    Points want, have;
    for (const LabeledMap& m : maps) {
      for (const Point& d : elements) want.merge(SetAt(m.map, d, seed));
    }
    for (const LeafTile& t : tiles) have.merge(SetAt(t.tile.Elements(), id, seed));
    const bool covers = std::includes(have.begin(), have.end(), want.begin(), want.end());
    if (covers && (fit == Fit::kWider || have == want)) continue;
    std::string text;
    for (const LeafTile& t : tiles) text += t.tile.Elements().ToString() + "\n";
    return text + "has " + std::to_string(have.size()) + " elements at tile (" +
           llvm::join(llvm::map_range(id, [](int64_t i) { return std::to_string(i); }), ", ") +
           "), where the maps give " + std::to_string(want.size());
  }
  return "";
}

// How many elements all maps together lead to, from anywhere, under some values of the indices.
int64_t Marked(const std::vector<LabeledMap>& maps, llvm::ArrayRef<int64_t> shape, int64_t seed) {
  Points read;
  for (const LabeledMap& m : maps) {
    if (m.map.state() != IndexingMap::State::kNormal) continue;
    IndexingMap everywhere(*m.map.context(), SymbolicMap(m.map.map().num_dims(), 0, 0, {}),
                           m.map.dims(), {}, {});
    everywhere.ForEachPoint([&](auto dims, auto, auto) {
      read.merge(SetAt(m.map, dims, seed));
      return true;
    });
  }
  std::erase_if(read, [&](const Point& p) {
    for (size_t k = 0; k < p.size(); ++k) {
      if (p[k] < 0 || p[k] >= shape[k]) return true;
    }
    return false;
  });
  return static_cast<int64_t>(read.size());
}

}  // namespace

TileCheck CheckTiles(const hlo::Instruction& root, int64_t output_id, llvm::ArrayRef<int64_t> sizes,
                     int64_t seed) {
  constexpr const char* kNames[] = {"exact", "wider", "none"};
  Fit worst = Fit::kExact;
  Context context;
  auto tiles = ComputationTiles(root, output_id, sizes, context);
  if (!tiles) return {llvm::toString(tiles.takeError()), ""};
  GroupedIndexing grouped = ComputationIndexing(root, output_id, context);
  if (tiles->size() != grouped.size()) return {"an instruction has maps and no tiles", ""};
  const auto cut = Cut(LeafShape(root.shape, output_id)->dims, sizes, context);
  for (const auto& [op, maps] : grouped) {
    Fit fit = Fit::kExact;
    for (const LeafTile& t : (*tiles)[op]) {
      const bool exact = t.tile.exactness == Exactness::kExact;
      if (t.tile.reason.empty() != exact) return {op->name + ": a reason stands with exact", ""};
      if (!exact) fit = std::max(fit, t.tile.IsKnown() ? Fit::kWider : Fit::kNone);
    }
    worst = std::max(worst, fit);
    if (fit == Fit::kNone) continue;
    std::string problem = CompareTiles(maps, (*tiles)[op], cut, fit, seed);
    if (!problem.empty()) return {op->name + ": " + problem, ""};
  }
  return {"", kNames[static_cast<int>(worst)]};
}

UtilizationCheck CheckUtilization(const hlo::Instruction& root, int64_t seeds) {
  UtilizationCheck out;
  Context context;
  InstructionIndexing indexing = OutputToInput(root, 0, context, {.exact = true});
  for (const OperandUtilization& u : UtilizationOf(root, context)) {
    std::vector<LabeledMap> maps = indexing.maps[u.operand];
    std::erase_if(maps, [&](const LabeledMap& m) { return m.leaf != u.leaf; });
    const hlo::Shape& shape = *LeafShape(root.operands[u.operand]->shape, u.leaf);
    const bool all_exact = std::all_of(maps.begin(), maps.end(), [](const LabeledMap& m) {
      return m.exactness == Exactness::kExact;
    });
    const std::string says = "operand " + std::to_string(u.operand) + ": " +
                             std::to_string(u.read.at_least) + " to " +
                             std::to_string(u.read.at_most) + " of " +
                             std::to_string(u.read.elements) + " elements are read, ";
    for (int64_t seed = 0; seed < seeds; ++seed) {
      int64_t read = Marked(maps, shape.dims, seed);
      if (u.read.at_most < read || (all_exact && u.read.at_least > read)) {
        out.problem = says + "the maps give " + std::to_string(read);
        return out;
      }
    }
    if (u.read.IsExact() != u.read.reason.empty()) out.problem = says + "and a reason with exact";
    out.is_exact = out.is_exact && u.read.IsExact();
  }
  return out;
}

Coalescing CountSectors(const IndexingMap& addresses, int64_t bytes, const MemoryModel& model) {
  std::map<Point, std::set<int64_t>> accesses;
  addresses.ForEachPoint([&](auto dims, auto ranges, auto) {
    Point access = dims.vec();
    access[0] /= model.warp_threads;
    access.insert(access.end(), ranges.begin(), ranges.end());
    accesses[access].insert(llvm::cantFail(addresses.Evaluate(dims, ranges))[0]);
    return true;
  });
  Coalescing out;
  out.is_contiguous = true;
  for (const auto& [access, positions] : accesses) {
    std::set<int64_t> sectors;
    for (int64_t p : positions) {
      for (int64_t b = p * bytes; b < (p + 1) * bytes; ++b) {
        sectors.insert(FloorDivUnchecked(b, model.sector_bytes));
      }
    }
    auto n = static_cast<int64_t>(positions.size());
    int64_t ideal = CeilDivUnchecked(n * bytes, model.sector_bytes);
    ++out.accesses;
    out.sectors += static_cast<int64_t>(sectors.size());
    out.ideal_sectors += ideal;
    out.max_sectors = std::max(out.max_sectors, static_cast<int64_t>(sectors.size()));
    out.max_ideal_sectors = std::max(out.max_ideal_sectors, ideal);
    out.is_contiguous &= *positions.rbegin() - *positions.begin() == n - 1;
  }
  return out;
}

}  // namespace affirm::fuzz
