// The tile of the dot or reduction, times the tile of its contracted dims, along the maps below it.
#include "core/analysis/uses/contracted_tiles.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm {
namespace {

bool Contracts(const hlo::Instruction& op) {
  return op.opcode == hlo::Opcode::kDot || op.opcode == hlo::Opcode::kReduce;
}

const std::vector<int64_t>& ContractedDims(const hlo::Instruction& op) {
  const bool is_dot = op.opcode == hlo::Opcode::kDot;
  return is_dot ? op.attributes.lhs_contracting : op.attributes.dimensions;
}

bool HasContractedDims(const hlo::Instruction& op) {
  if (op.operands.empty() || !op.operands[0]->shape.IsArray()) return false;
  const int64_t rank = op.operands[0]->shape.rank();
  return llvm::all_of(ContractedDims(op), [&](int64_t dim) { return dim >= 0 && dim < rank; });
}

// The sizes of the contracted dims, in the order of the range variables of its maps: that of the
// attribute of a dot, and from the first dim to the last of a reduction.
std::vector<int64_t> ExtentsOf(const hlo::Instruction& op) {
  std::vector<int64_t> dims = ContractedDims(op);
  if (op.opcode == hlo::Opcode::kReduce) llvm::sort(dims);
  for (int64_t& dim : dims) dim = op.operands[0]->shape.dims[dim];
  return dims;
}

// Adds `op` and all that it needs, without going past `end`.
void AddNeeded(const hlo::Instruction* op, const hlo::Instruction* end,
               std::set<const hlo::Instruction*>& needed) {
  std::vector<const hlo::Instruction*> left = {op};
  while (!left.empty()) {
    const hlo::Instruction* next = left.back();
    left.pop_back();
    if (!needed.insert(next).second || next == end) continue;
    left.insert(left.end(), next->operands.begin(), next->operands.end());
  }
}

// The range variables of a map as dims behind its own, `count` of them; variables that the map
// does not have are read by no one.
IndexingMap RangesAsDims(const IndexingMap& map, const std::vector<Variable>& ranges) {
  Context& context = *map.context();
  const auto dims = std::ssize(map.dims());
  auto as_dim = [&](SymbolicExpr e) {
    return e.Substitute([&](VarKind kind, int64_t i) {
      return kind == VarKind::kRange ? context.Dim(dims + i) : SymbolicExpr();
    });
  };
  std::vector<Variable> variables = map.dims();
  variables.insert(variables.end(), ranges.begin(), ranges.end());
  std::vector<SymbolicExpr> results;
  for (SymbolicExpr e : map.results()) results.push_back(as_dim(e));
  std::vector<Constraint> constraints = map.constraints();
  for (Constraint& c : constraints) c.expr = as_dim(c.expr);
  return IndexingMap(context, results, std::move(variables), {}, {}, constraints);
}

// The product of two families of tiles without runtime variables: those of `b` behind those of `a`.
Tile Product(const Tile& a, const Tile& b, Context& context) {
  if (a.offsets.IsKnownEmpty()) return a;
  if (b.offsets.IsKnownEmpty()) return b;
  const auto shift = std::ssize(a.offsets.dims());
  auto shifted = [&](SymbolicExpr e) {
    return e ? e.Substitute([&](VarKind, int64_t i) { return context.Dim(shift + i); }) : e;
  };
  Tile out = a;
  std::vector<SymbolicExpr> offsets = a.offsets.results().vec();
  std::vector<Variable> ids = a.offsets.dims();
  for (size_t k = 0; k < b.sizes.size(); ++k) {
    offsets.push_back(shifted(b.offsets.results()[k]));
    out.upper_bounds.push_back(shifted(b.upper_bounds[k]));
    ids.push_back(b.offsets.dims()[k]);
    ids.back().name = "step_" + std::to_string(k);
  }
  llvm::append_range(out.sizes, b.sizes);
  llvm::append_range(out.strides, b.strides);
  out.offsets = IndexingMap(context, offsets, std::move(ids), {}, {}, a.offsets.constraints());
  return out;
}

class Contraction {
 public:
  Contraction(const hlo::Instruction& root, Context& context, const IndexingOptions& options)
      : root_(root), context_(context), options_(options) {}

  // Finds the dot or reduction, and what is below it.
  llvm::Error Find(const GroupedTiles& tiles) {
    for (const auto& [op, of_op] : tiles) {
      if (!Contracts(*op)) continue;
      if (hero_)
        return MakeError("'" + hero_->name + "' and '" + op->name +
                         "' both have contracted dims, expected one such instruction");
      hero_ = op;
    }
    if (!hero_) return MakeError("no dot or reduction whose contracted dims could be cut");
    for (const hlo::Instruction* operand : hero_->operands) AddNeeded(operand, nullptr, below_);
    std::set<const hlo::Instruction*> past;
    AddNeeded(&root_, hero_, past);
    for (const auto& [op, of_op] : tiles) {
      const bool is_scalar = op->shape.IsArray() && op->shape.rank() == 0;
      if (!is_scalar && below_.count(op) && past.count(op))
        return MakeError("'" + op->name + "' is also read past '" + hero_->name +
                         "', for all steps at once");
    }
    if (!HasContractedDims(*hero_))
      return MakeError("'" + hero_->name + "' names dims that its operand does not have");
    for (int64_t n : ExtentsOf(*hero_)) ranges_.push_back({{0, n - 1}, "", std::nullopt});
    indexing_ = OutputToInput(*hero_, 0, context_, options_);
    for (const std::vector<LabeledMap>& maps : indexing_.maps) {
      for (const LabeledMap& map : maps) {
        if (map.map.IsUndefined() || !map.map.runtime().empty() || map.leaf != 0)
          return MakeError("'" + hero_->name + "' has no map that could be cut");
        if (!map.map.ranges().empty() && map.map.ranges().size() != ranges_.size())
          return MakeError("'" + hero_->name + "' has no map over its contracted dims");
      }
    }
    return llvm::Error::success();
  }

  // After Find.
  std::vector<int64_t> Extents() const { return ExtentsOf(*hero_); }

  // The contracted dims in tiles of these sizes.
  llvm::Expected<Tile> Steps(llvm::ArrayRef<int64_t> sizes) const {
    hlo::Shape shape = hero_->operands[0]->shape;
    shape.dims.clear();
    for (const Variable& v : ranges_) shape.dims.push_back(v.bounds.upper + 1);
    if (sizes.size() == ranges_.size()) return TilesOfShape(shape, sizes, context_);
    auto text = [](int64_t n) { return std::to_string(n); };
    return MakeError("'" + hero_->name + "' has the contracted dims [" +
                     llvm::join(llvm::map_range(shape.dims, text), ",") +
                     "], expected a size for each, have " + llvm::Twine(sizes.size()));
  }

  // Replaces the tiles below by those of the steps.
  llvm::Error Cut(const Tile& steps, GroupedTiles& tiles) const {
    for (auto& [op, of_op] : tiles) {
      if (below_.count(op)) of_op.clear();
    }
    for (const LeafTile& leaf : tiles.find(hero_)->second) {
      if (!leaf.tile.IsKnown() || !leaf.tile.offsets.runtime().empty())
        return MakeError("'" + hero_->name + "' has no tile that could be cut");
      const Tile whole = Product(leaf.tile, steps, context_);
      for (auto [operand, maps] : llvm::zip(hero_->operands, indexing_.maps)) {
        for (const LabeledMap& map : maps) {
          LabeledMap cut = map;
          cut.map = RangesAsDims(map.map, ranges_);
          Add(*operand, PropagateTile(whole, cut), tiles);
        }
      }
    }
    return llvm::Error::success();
  }

 private:
  void Add(const hlo::Instruction& operand, const Tile& tile, GroupedTiles& tiles) const {
    if (tile.offsets.IsKnownEmpty()) return;
    for (auto& [op, of_op] :
         TilesAlong(ComputationIndexing(operand, 0, context_, options_), tile)) {
      for (LeafTile& next : of_op) {
        std::vector<LeafTile>& all = tiles[op];
        if (!llvm::is_contained(all, next)) all.push_back(std::move(next));
      }
    }
  }

  const hlo::Instruction& root_;
  Context& context_;
  const IndexingOptions& options_;
  const hlo::Instruction* hero_ = nullptr;
  std::set<const hlo::Instruction*> below_;
  InstructionIndexing indexing_;
  std::vector<Variable> ranges_;  // one for each contracted dim
};

}  // namespace

llvm::Expected<GroupedTiles> ContractedTiles(const hlo::Instruction& root, int64_t output_id,
                                             llvm::ArrayRef<int64_t> sizes,
                                             llvm::ArrayRef<int64_t> contracted, Context& context,
                                             const IndexingOptions& options) {
  auto tiles = ComputationTiles(root, output_id, sizes, context, options);
  if (!tiles) return tiles;
  Contraction contraction(root, context, options);
  if (llvm::Error error = contraction.Find(*tiles)) return error;
  auto steps = contraction.Steps(contracted);
  if (!steps) return steps.takeError();
  if (llvm::Error error = contraction.Cut(*steps, *tiles)) return error;
  return tiles;
}

llvm::Expected<std::vector<int64_t>> ContractedExtents(const hlo::Instruction& root,
                                                       int64_t output_id, Context& context,
                                                       const IndexingOptions& options) {
  const hlo::Shape* shape = LeafShape(root.shape, output_id);
  if (!shape) return MakeError("'" + root.name + "' has no output " + llvm::Twine(output_id));
  std::vector<int64_t> whole = shape->dims;
  for (int64_t& size : whole) size = std::max<int64_t>(size, 1);
  auto tiles = ComputationTiles(root, output_id, whole, context, options);
  if (!tiles) return tiles.takeError();
  Contraction contraction(root, context, options);
  if (llvm::Error error = contraction.Find(*tiles)) return error;
  return contraction.Extents();
}

}  // namespace affirm
