// Follows dynamic sizes to the scalars that set them, and restricts maps to these sizes: `index <
// size` becomes the constraint `index - rt in [-bound, -1]`.
#include "core/analysis/dynamic_sizes.h"

#include "core/analysis/ops/op_helpers.h"
#include "core/analysis/runtime_indices.h"
#include "core/hlo/dynamic_sizes.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::analysis {
namespace {

using hlo::Opcode;

// One size of an array, followed to the set-dimension-size that sets it.
struct ArraySize {
  int64_t bound = 0;  // the size itself where it is static
  const hlo::Instruction* producer =
      nullptr;  // the scalar that says how much of the bound is there
  friend bool operator==(const ArraySize&, const ArraySize&) = default;
};

// Ops whose maps at the actual sizes are their maps at the bounds, restricted to these sizes; see
// CutOff for reverse.
bool HasMapsWithDynamicSizes(const hlo::Instruction& op) {
  if (!op.shape.IsArray()) return false;
  if (hlo::IsElementwise(op.opcode)) return true;
  switch (op.opcode) {
    case Opcode::kBroadcast:
    case Opcode::kReduce:
    case Opcode::kReverse:
    case Opcode::kSetDimensionSize:
    case Opcode::kTranspose:
      return true;
    default:
      return false;
  }
}

// Follows sizes through a graph, each one once.
class SizeFinder {
 public:
  std::optional<ArraySize> Find(const hlo::Instruction* op, int64_t dim) {
    if (!op || !op->shape.IsArray() || dim < 0 || dim >= op->shape.rank()) return std::nullopt;
    const auto [known, is_new] = known_.try_emplace({op, dim});
    if (!is_new || depth_ > kMaxDepth) return known->second;
    ++depth_;
    const std::optional<ArraySize> size = Follow(*op, dim);
    --depth_;
    known_[{op, dim}] = size;
    return size;
  }
  std::optional<std::vector<ArraySize>> FindAll(const hlo::Instruction& op) {
    std::vector<ArraySize> sizes;
    for (int64_t d = 0; d < op.shape.rank(); ++d) {
      const std::optional<ArraySize> size = Find(&op, d);
      if (!size) return std::nullopt;
      sizes.push_back(*size);
    }
    return sizes;
  }

 private:
  static constexpr int kMaxDepth = 1000;

  std::optional<ArraySize> Follow(const hlo::Instruction& op, int64_t dim) {
    if (hlo::MayHideDynamicSizes(op)) return std::nullopt;
    const ArraySize written{op.shape.dims[dim], nullptr};
    if (!hlo::UsesDynamicSizes(op)) return written;
    if (!HasMapsWithDynamicSizes(op) || op.operands.empty()) return std::nullopt;
    const std::optional<ArraySize> size = ByRule(op, dim);
    const bool fits = size && size->bound == written.bound &&
                      (size->producer != nullptr) == op.shape.IsDynamic(dim);
    return fits ? size : std::nullopt;
  }

  // The size by the op's own rule, independent of its written shape.
  std::optional<ArraySize> ByRule(const hlo::Instruction& op, int64_t dim) {
    const std::vector<int64_t>& dims = op.attributes.dimensions;
    const hlo::Instruction* operand = op.operands[0];
    if (hlo::IsElementwise(op.opcode)) return Common(op, dim);
    switch (op.opcode) {
      case Opcode::kReverse:
        return Find(operand, dim);
      case Opcode::kTranspose:
        return dim < std::ssize(dims) ? Find(operand, dims[dim]) : std::nullopt;
      case Opcode::kBroadcast: {
        const auto from = llvm::find(dims, dim);
        if (from == dims.end()) return ArraySize{op.shape.dims[dim], nullptr};
        return Find(operand, from - dims.begin());
      }
      case Opcode::kReduce: {
        int64_t kept = dim;
        for (int64_t d = 0; d <= kept; ++d) kept += Contains(dims, d);
        return Find(operand, kept);
      }
      case Opcode::kSetDimensionSize: {
        if (dims.size() != 1 || op.operands.size() != 2) return std::nullopt;
        if (dims[0] != dim) return Find(operand, dim);
        const hlo::Instruction* size = op.operands[1];
        const bool is_number = size && size->shape.IsScalar() && hlo::IsInt(size->shape.type);
        return is_number ? std::optional(ArraySize{op.shape.dims[dim], size}) : std::nullopt;
      }
      default:
        return std::nullopt;
    }
  }

  // The common size of all operands other than scalars, which every element reads.
  std::optional<ArraySize> Common(const hlo::Instruction& op, int64_t dim) {
    std::optional<ArraySize> common;
    for (const hlo::Instruction* operand : op.operands) {
      if (!operand) return std::nullopt;
      if (operand->shape.IsScalar()) continue;
      const std::optional<ArraySize> size = Find(operand, dim);
      if (!size || (common && *common != *size)) return std::nullopt;
      common = size;
    }
    return common;
  }

  std::map<std::pair<const hlo::Instruction*, int64_t>, std::optional<ArraySize>> known_;
  int depth_ = 0;
};

// Builds one map with the sizes as runtime variables.
class SizedMap {
 public:
  SizedMap(const IndexingMap& map, Session& session)
      : map_(map), runtime_(session, Sizes(map.dims()), Sizes(map.ranges())) {}

  // The size as a term over the variables of the map.
  SymbolicExpr Term(const ArraySize& size) {
    if (!size.producer) return map_.context()->Constant(size.bound);
    SymbolicExpr& known = terms_[size.producer];
    if (!known) known = runtime_.Add(*size.producer, {}, size.bound);
    return known;
  }
  // Only where the index is below the size.
  void Restrict(SymbolicExpr index, const ArraySize& size) {
    if (!size.producer) return;
    constraints_.push_back({index - Term(size), Interval{-size.bound, -1}});
  }
  IndexingMap Build(llvm::ArrayRef<SymbolicExpr> results) {
    llvm::append_range(constraints_, map_.constraints());
    return runtime_.Build(results, constraints_);
  }

 private:
  static std::vector<int64_t> Sizes(const std::vector<Variable>& variables) {
    std::vector<int64_t> sizes;
    sizes.reserve(variables.size());
    for (const Variable& v : variables) sizes.push_back(v.bounds.upper + 1);
    return sizes;
  }

  const IndexingMap& map_;
  RuntimeIndices runtime_;
  std::map<const hlo::Instruction*, SymbolicExpr> terms_;  // only looked up
  std::vector<Constraint> constraints_;
};

using ArraySizes = std::vector<ArraySize>;

// The map at the bounds, restricted to the actual sizes of the result and the operand. A reverse
// counts from the last actual element.
IndexingMap CutOff(const hlo::Instruction& op, const IndexingMap& at_bounds,
                   const ArraySizes& output, const ArraySizes& input, Session& session) {
  SizedMap sized(at_bounds, session);
  std::vector<SymbolicExpr> results = at_bounds.results().vec();
  for (size_t i = 0; i < output.size(); ++i) {
    sized.Restrict(session.context.Dim(static_cast<int64_t>(i)), output[i]);
  }
  for (size_t j = 0; j < input.size(); ++j) {
    const auto dim = static_cast<int64_t>(j);
    if (op.opcode == Opcode::kReverse && Contains(op.attributes.dimensions, dim)) {
      results[j] = sized.Term(input[j]) - session.context.Dim(dim) - 1;
    }
    sized.Restrict(results[j], input[j]);
  }
  return sized.Build(results);
}

// Whether a reshape only adds or removes dimensions of size 1, so that every element keeps its
// indices along the others at any sizes.
bool KeepsIndices(const hlo::Instruction& reshape) {
  auto others = [](const hlo::Shape& shape) {
    std::vector<std::pair<int64_t, bool>> sizes;
    for (int64_t d = 0; d < shape.rank(); ++d) {
      if (shape.dims[d] != 1 || shape.IsDynamic(d)) {
        sizes.push_back({shape.dims[d], shape.IsDynamic(d)});
      }
    }
    return sizes;
  };
  return others(reshape.shape) == others(reshape.operands[0]->shape);
}

// Whether an element of the result reads, at any sizes, a subset of the elements that it reads at
// the bounds.
bool ReadsAtMostAsAtBounds(const hlo::Instruction& op) {
  auto is_bounded = [](const hlo::Shape& shape) {
    return shape.IsArray() && !llvm::is_contained(shape.dims, hlo::kUnboundedSize);
  };
  if (!is_bounded(op.shape) || !llvm::all_of(op.operands, [&](const hlo::Instruction* operand) {
        return is_bounded(operand->shape);
      })) {
    return false;
  }
  if (hlo::IsElementwise(op.opcode)) return true;
  switch (op.opcode) {
    case Opcode::kBroadcast:
    case Opcode::kReduce:
    case Opcode::kTranspose:
      return true;
    case Opcode::kReshape:
      return KeepsIndices(op);
    default:
      return false;
  }
}

// The maps where no scalar sets a size, as for a parameter: those at the bounds, which are then
// over-approximate.
InstructionIndexing Covering(const hlo::Instruction& op, InstructionIndexing at_bounds,
                             InstructionIndexing unknown) {
  if (!ReadsAtMostAsAtBounds(op)) return unknown;
  for (std::vector<LabeledMap>& maps : at_bounds.maps) {
    for (LabeledMap& m : maps) m.exactness = Weaker(m.exactness, Exactness::kOverApproximate);
  }
  return at_bounds;
}

}  // namespace

InstructionIndexing WithDynamicSizes(const hlo::Instruction& op, int64_t output_id,
                                     InstructionIndexing at_bounds, Session& session) {
  InstructionIndexing unknown = UnknownOutputToInput(op, output_id, session);
  if (at_bounds.maps.size() != op.operands.size()) return unknown;
  if (!HasMapsWithDynamicSizes(op)) return Covering(op, std::move(at_bounds), unknown);
  SizeFinder sizes;
  const std::optional<ArraySizes> output = sizes.FindAll(op);
  if (!output) return Covering(op, std::move(at_bounds), unknown);
  std::vector<ArraySizes> inputs;
  for (const hlo::Instruction* operand : op.operands) {
    if (!operand->shape.IsArray()) return unknown;
    std::optional<ArraySizes> input = sizes.FindAll(*operand);
    if (!input) return Covering(op, std::move(at_bounds), unknown);
    inputs.push_back(std::move(*input));
  }
  InstructionIndexing out = NothingRead(op);
  for (size_t k = 0; k < op.operands.size(); ++k) {
    for (LabeledMap& m : at_bounds.maps[k]) {
      if (m.map.IsKnownEmpty()) continue;
      if (m.map.IsUndefined() || !m.map.runtime().empty()) return unknown;
      m.map = CutOff(op, m.map, *output, inputs[k], session);
      out.maps[k].push_back(std::move(m));
    }
  }
  return out;
}

}  // namespace affirm::analysis
