// Access relations of ops on arrays with dynamic dimensions. Such an op does what it does on static
// arrays of the actual sizes, so its relation is the one at the bounds, restricted to indices below
// the sizes. A size is the scalar that set-dimension-size was given, wherever it is followed to:
//
//   s = f32[<=5] set-dimension-size(f32[5] x, s32[] n), dimensions={0}
//   r = f32[<=5] negate(s)     reads d1 = d0 where d0 < n and d1 < n
#include "core/hlo/dynamic_sizes.h"

#include <map>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/semantics/op_semantics.h"

namespace affirm::hlo_semantics {
namespace {

using hlo::Instruction;
using hlo::Opcode;

// The size of a dimension: the value of `scalar`, or, where that is null, the static size. Not
// known: the size could not be followed to a scalar.
struct Length {
  const Instruction* scalar = nullptr;
  bool is_known = false;
  bool operator==(const Length&) const = default;
};

class Lengths {
 public:
  Length Of(const Instruction& op, int64_t dim) {
    const auto at = std::pair(&op, dim);
    const auto found = found_.find(at);
    if (found != found_.end()) return found->second;
    found_[at] = {};  // until it is known, and where the graph is too deep
    if (++depth_ < 1000) found_[at] = Find(op, dim);
    --depth_;
    return found_[at];
  }

 private:
  // A dimension that is written as dynamic has the length of a scalar, another one has none.
  Length Find(const Instruction& op, int64_t dim) {
    if (!op.shape.IsArray() || dim < 0 || dim >= op.shape.rank()) return {};
    if (hlo::MayHideDynamicSizes(op)) return {};
    Length length = ByDefinition(op, dim);
    if ((length.scalar != nullptr) != op.shape.IsDynamic(dim)) length.is_known = false;
    return length;
  }

  Length ByDefinition(const Instruction& op, int64_t dim) {
    if (!hlo::UsesDynamicSizes(op)) return {nullptr, true};
    for (const Instruction* operand : op.operands) {
      if (!operand) return {};
    }
    const std::vector<int64_t>& dims = op.attributes.dimensions;
    if (hlo::IsElementwise(op.opcode)) return OfAll(op, dim);
    if (op.operands.empty()) return {};
    const Instruction& first = *op.operands[0];
    if (op.opcode == Opcode::kSetDimensionSize) {
      const bool sets = dims.size() == 1 && op.operands.size() == 2 &&
                        op.operands[1]->shape.IsScalar() && hlo::IsInt(op.operands[1]->shape.type);
      if (!sets) return {};
      return dims[0] == dim ? Length{op.operands[1], true} : Of(first, dim);
    }
    if (op.opcode == Opcode::kReverse) return Of(first, dim);
    if (op.opcode == Opcode::kTranspose) {
      return dim < std::ssize(dims) ? Of(first, dims[dim]) : Length();
    }
    // The operand dimensions that stay, in order, are those of a reduction; those that are named
    // are the others of a broadcast.
    if (op.opcode == Opcode::kBroadcast) {
      for (size_t j = 0; j < dims.size(); ++j) {
        if (dims[j] == dim) return Of(first, static_cast<int64_t>(j));
      }
      return {nullptr, true};
    }
    if (op.opcode != Opcode::kReduce) return {};
    int64_t stay = 0;
    for (int64_t j = 0; j < first.shape.rank(); ++j) {
      if (llvm::is_contained(dims, j)) continue;
      if (stay++ == dim) return Of(first, j);
    }
    return {};
  }

  // Elementwise: scalars aside, all operands have the same.
  Length OfAll(const Instruction& op, int64_t dim) {
    std::optional<Length> all;
    for (const Instruction* operand : op.operands) {
      if (operand->shape.IsScalar()) continue;
      const Length length = Of(*operand, dim);
      if (!length.is_known || (all && !(*all == length))) return {};
      all = length;
    }
    return all.value_or(Length());
  }

  std::map<std::pair<const Instruction*, int64_t>, Length> found_;
  int depth_ = 0;
};

// Adds lengths to a relation as runtime values, one for each scalar.
class WithLengths {
 public:
  WithLengths(const AccessQuery& q, AccessRelation& relation) : q_(q), relation_(relation) {}

  // The variable of a dimension's length; null where that is static, or not known.
  SymbolicExpr Add(const Instruction& array, int64_t dim) {
    const Length length = lengths_.Of(array, dim);
    if (!length.is_known || !length.scalar) return {};
    SymbolicExpr& variable = variables_[length.scalar];
    if (!variable)
      variable = AddRuntimeOperand(q_, relation_, *length.scalar, {}, array.shape.dims[dim]);
    return variable;
  }
  bool KnowsAllOf(const Instruction& array) {
    for (int64_t dim = 0; dim < array.shape.rank(); ++dim) {
      if (!lengths_.Of(array, dim).is_known) return false;
    }
    return true;
  }

 private:
  const AccessQuery& q_;
  AccessRelation& relation_;
  Lengths lengths_;
  std::map<const Instruction*, SymbolicExpr> variables_;
};

// Whether the relation of the op at its bounds also says what it reads at other sizes.
bool ScalesWithSizes(const AccessQuery& q) {
  if (!q.op.shape.IsArray() || !q.op.operands[q.operand]->shape.IsArray()) return false;
  if (hlo::MayHideDynamicSizes(q.op)) return false;
  return hlo::IsElementwise(q.op.opcode) || q.op.opcode == Opcode::kBroadcast ||
         q.op.opcode == Opcode::kReduce || q.op.opcode == Opcode::kReverse ||
         q.op.opcode == Opcode::kSetDimensionSize || q.op.opcode == Opcode::kTranspose;
}

}  // namespace

OptionalRelation AtActualSizes(const AccessQuery& q, OptionalRelation at_bounds) {
  if (!ScalesWithSizes(q) || !at_bounds || !at_bounds->runtime.empty()) return std::nullopt;
  AccessRelation relation = *at_bounds;
  WithLengths lengths(q, relation);
  // All operands have a say in the sizes, not only the one that is asked for.
  auto is_known = [&](const Instruction* array) { return lengths.KnowsAllOf(*array); };
  if (!is_known(&q.op) || !llvm::all_of(q.op.operands, is_known)) return std::nullopt;
  std::vector<Formula> facts;
  const bool reverse = q.op.opcode == Opcode::kReverse;
  // A reverse is not what it is at the bounds: the two indices add up to the length less one.
  if (!reverse) facts.push_back(at_bounds->reads);
  for (int64_t i = 0; i < q.out_rank(); ++i) {
    if (SymbolicExpr length = lengths.Add(q.op, i)) {
      facts.push_back(Formula::Le(q.Out(i) + 1, length));
    }
  }
  for (int64_t j = 0; j < q.in_rank(); ++j) {
    const SymbolicExpr length = lengths.Add(*q.op.operands[q.operand], j);
    if (length) facts.push_back(Formula::Le(q.In(j) + 1, length));
    if (!reverse) continue;
    const bool turned = llvm::is_contained(q.op.attributes.dimensions, j);
    const SymbolicExpr whole = length ? length : q.Constant(q.input.dims[j]);
    facts.push_back(turned ? Formula::Eq(q.In(j) + q.Out(j) + 1, whole)
                           : Formula::Eq(q.In(j), q.Out(j)));
  }
  relation.reads = Formula::And(std::move(facts));
  return relation;
}

}  // namespace affirm::hlo_semantics
