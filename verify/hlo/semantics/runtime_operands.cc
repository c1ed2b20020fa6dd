// Runtime values of access relations, with their values where the graph alone tells: the producer
// is a constant or an iota behind ops that only move elements. In
//
//   i = s32[4] iota(), iota_dimension=0
//   r = f32[4,1] gather(f32[8] x, s32[4] i), ...
//
// the index vector that element (d0, 0) reads is known to be d0.
#include <algorithm>
#include <optional>
#include <utility>

#include "core/hlo/dynamic_sizes.h"
#include "core/hlo/tiles.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/semantics/op_semantics.h"

namespace affirm::hlo_semantics {
namespace {

// The range of an integer type, intersected with that of int64.
Interval ValuesOf(hlo::PrimitiveType type) {
  const int bits = hlo::BitWidth(type);
  if (hlo::IsUnsignedInt(type)) {
    return {0, bits >= 63 ? kInt64Max : (int64_t{1} << bits) - 1};
  }
  if (bits >= 64) return {kInt64Min, kInt64Max};
  return {-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
}

SymbolicExpr Clamp(SymbolicExpr v, int64_t limit) {
  Context& context = *v.context();
  return v.Max(context.Constant(0)).Min(context.Constant(limit));
}

// The value of an element of a literal, when the element is known or all elements are the same one.
// Conversions, the last one in front, keep the low bits.
SymbolicExpr ConstantValue(Context& context, const hlo::Instruction& op,
                           llvm::ArrayRef<SymbolicExpr> at,
                           llvm::ArrayRef<hlo::PrimitiveType> conversions, int64_t limit) {
  if (!op.literal || !hlo::IsInt(op.shape.type) || op.literal->shape().dims != op.shape.dims) {
    return {};
  }
  std::vector<int64_t> index;
  for (size_t i = 0; i < at.size(); ++i) {
    bool only = op.shape.dims[i] == 1;
    if (!only && !at[i].IsConstant()) return {};
    index.push_back(only ? 0 : at[i].value());
    if (index.back() < 0 || index.back() >= op.shape.dims[i]) return {};
  }
  hlo::Literal value(hlo::Shape::Array(op.shape.type, {}));
  value.SetInt(0, op.literal->GetInt(op.literal->Linear(index)));
  for (hlo::PrimitiveType type : llvm::reverse(conversions)) {
    hlo::Literal converted(hlo::Shape::Array(type, {}));
    converted.SetInt(0, value.GetInt(0));
    value = std::move(converted);
  }
  int64_t v = value.GetInt(0);
  // An unsigned value past int64 reads as negative, and clamps to the limit.
  if (v < 0 && hlo::IsUnsignedInt(value.shape().type)) v = limit;
  return context.Constant(std::clamp<int64_t>(v, 0, limit));
}

// An iota holds the index along its dimension. Null when that exceeds its type, or a type that it
// is converted to.
SymbolicExpr IotaValue(const hlo::Instruction& op, llvm::ArrayRef<SymbolicExpr> at,
                       llvm::ArrayRef<hlo::PrimitiveType> conversions, int64_t limit) {
  if (op.attributes.dimensions.size() != 1 || !hlo::IsInt(op.shape.type)) return {};
  int64_t along = op.attributes.dimensions[0];
  if (along < 0 || along >= op.shape.rank()) return {};
  int64_t largest = std::max<int64_t>(op.shape.dims[along] - 1, 0);
  if (largest > ValuesOf(op.shape.type).upper) return {};
  for (hlo::PrimitiveType type : conversions) {
    if (largest > ValuesOf(type).upper) return {};
  }
  return Clamp(at[along], limit);
}

// The operand's index of the element that an op which only moves elements puts at `at`; nullopt
// for other ops.
std::optional<std::vector<SymbolicExpr>> MovedFrom(const hlo::Instruction& op,
                                                   llvm::ArrayRef<SymbolicExpr> at) {
  const hlo::Attributes& a = op.attributes;
  std::vector<SymbolicExpr> from;
  switch (op.opcode) {
    case hlo::Opcode::kCopy:
      return at.vec();
    case hlo::Opcode::kBroadcast:
      for (int64_t d : a.dimensions) {
        if (d < 0 || d >= static_cast<int64_t>(at.size())) return std::nullopt;
        from.push_back(at[d]);
      }
      return from;
    case hlo::Opcode::kTranspose:
      from.resize(at.size());
      if (a.dimensions.size() != at.size()) return std::nullopt;
      for (size_t i = 0; i < at.size(); ++i) {
        if (a.dimensions[i] < 0 || a.dimensions[i] >= static_cast<int64_t>(at.size())) {
          return std::nullopt;
        }
        from[a.dimensions[i]] = at[i];
      }
      return from;
    case hlo::Opcode::kReverse:
      for (size_t i = 0; i < at.size(); ++i) {
        bool reversed = std::count(a.dimensions.begin(), a.dimensions.end(), int64_t(i)) > 0;
        from.push_back(reversed ? -at[i] + (op.shape.dims[i] - 1) : at[i]);
      }
      return from;
    case hlo::Opcode::kSlice:
      if (a.slice.size() != at.size()) return std::nullopt;
      for (size_t i = 0; i < at.size(); ++i) {
        from.push_back(at[i] * a.slice[i].stride + a.slice[i].start);
      }
      return from;
    default:
      return std::nullopt;
  }
}

// The dimensions of an array in the order in which its elements stand in memory, fastest first;
// nullopt for tiles.
std::optional<std::vector<int64_t>> OrderInMemory(const hlo::Shape& shape) {
  const auto tiles = hlo::Tiles(shape);
  std::vector<int64_t> order = shape.MinorToMajor(), sorted = order;
  llvm::sort(sorted);
  bool is_permutation = std::ssize(order) == shape.rank();
  for (size_t i = 0; i < sorted.size(); ++i) is_permutation &= sorted[i] == static_cast<int64_t>(i);
  if (!tiles || !tiles->empty() || !is_permutation) return std::nullopt;
  return order;
}

std::vector<int64_t> RowMajorOrder(int64_t rank) {
  std::vector<int64_t> order;
  for (int64_t i = rank; i-- > 0;) order.push_back(i);
  return order;
}

// The same for reshapes, which keep the row-major position of an element, and for bitcasts, which
// keep its position in memory.
std::optional<std::vector<SymbolicExpr>> ReshapedFrom(Context& context, const hlo::Instruction& op,
                                                      llvm::ArrayRef<SymbolicExpr> at) {
  const bool is_bitcast = op.opcode == hlo::Opcode::kBitcast;
  if (op.opcode != hlo::Opcode::kReshape && !is_bitcast) return std::nullopt;
  const hlo::Shape& in = op.operands[0]->shape;
  const auto out_order = is_bitcast ? OrderInMemory(op.shape) : RowMajorOrder(op.shape.rank());
  const auto in_order = is_bitcast ? OrderInMemory(in) : RowMajorOrder(in.rank());
  if (!out_order || !in_order || op.shape.NumElements() != in.NumElements()) return std::nullopt;
  SymbolicExpr position = context.Constant(0);
  for (int64_t d : llvm::reverse(*out_order)) {
    if (op.shape.dims[d] != 1) position = position * op.shape.dims[d] + at[d];
  }
  std::vector<SymbolicExpr> from(in.dims.size());
  int64_t weight = 1;
  for (int64_t d : *in_order) {
    if (in.dims[d] <= 0) return std::nullopt;
    from[d] = position.FloorDiv(weight).Mod(in.dims[d]);
    weight *= in.dims[d];
  }
  return from;
}

// The value of the producer's element at `at`, clamped to [0, limit]; null when it is not known.
SymbolicExpr KnownValue(Context& context, const hlo::Instruction& producer,
                        std::vector<SymbolicExpr> at, int64_t limit) {
  const hlo::Instruction* op = &producer;
  std::vector<hlo::PrimitiveType> conversions;
  while (static_cast<int64_t>(at.size()) == op->shape.rank()) {
    if (hlo::UsesDynamicSizes(*op)) return {};  // its dims are bounds, not sizes
    if (op->opcode == hlo::Opcode::kConstant) {
      return ConstantValue(context, *op, at, conversions, limit);
    }
    if (op->opcode == hlo::Opcode::kIota) return IotaValue(*op, at, conversions, limit);
    if (op->operands.size() != 1 || !op->operands[0]) return {};
    const hlo::Instruction& operand = *op->operands[0];
    if (op->opcode == hlo::Opcode::kGetTupleElement) {
      const auto index = static_cast<size_t>(op->attributes.tuple_index);
      if (operand.opcode != hlo::Opcode::kTuple || index >= operand.operands.size()) return {};
      op = operand.operands[index];
      continue;
    }
    if (op->opcode == hlo::Opcode::kConvert) {
      if (!hlo::IsInt(op->shape.type) || !hlo::IsInt(operand.shape.type)) return {};
      conversions.push_back(op->shape.type);
      op = &operand;
      continue;
    }
    auto from = MovedFrom(*op, at);
    if (!from) from = ReshapedFrom(context, *op, at);
    if (!from) return {};
    // XLA operation semantics, "Bitcast": the bits stay, the type that reads them may be another.
    if (op->shape.type != operand.shape.type) {
      const bool integers = hlo::IsInt(op->shape.type) && hlo::IsInt(operand.shape.type);
      if (!integers || hlo::BitWidth(op->shape.type) != hlo::BitWidth(operand.shape.type))
        return {};
      conversions.push_back(op->shape.type);
    }
    at = std::move(*from);
    op = op->operands[0];
  }
  return {};
}

}  // namespace

SymbolicExpr AddRuntimeOperand(const AccessQuery& q, AccessRelation& relation,
                               const hlo::Instruction& producer, std::vector<SymbolicExpr> at,
                               int64_t limit) {
  SymbolicExpr known = limit >= 0 ? KnownValue(q.context, producer, at, limit) : SymbolicExpr();
  relation.runtime.push_back({0, limit});
  relation.runtime_operands.push_back({producer.id, std::move(at), known});
  return q.Runtime(static_cast<int64_t>(relation.runtime.size()) - 1);
}

}  // namespace affirm::hlo_semantics
