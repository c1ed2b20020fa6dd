// Runtime variables: their sources, and the values that are known at compile time: elements of
// constants and iotas, seen through conversions and ops that move elements.
#include "core/analysis/runtime_indices.h"

#include <algorithm>
#include <memory>

#include "core/analysis/ops/op_helpers.h"
#include "core/hlo/tiles.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::analysis {
namespace {

// Ops that only move elements: an element of the result has the bits of an operand's element.
bool MovesElements(const hlo::Instruction& op) {
  auto is_tiled = [](const hlo::Shape& shape) {
    auto tiles = hlo::Tiles(shape);
    return !tiles || !tiles->empty();
  };
  switch (op.opcode) {
    case hlo::Opcode::kBitcast:
      return !is_tiled(op.shape) && op.operands.size() == 1 && !is_tiled(op.operands[0]->shape);
    case hlo::Opcode::kBroadcast:
    case hlo::Opcode::kCopy:
    case hlo::Opcode::kReshape:
    case hlo::Opcode::kReverse:
    case hlo::Opcode::kSlice:
    case hlo::Opcode::kTranspose:
      return true;
    default:
      return false;
  }
}

// The integer types that a value is converted to, from the last conversion to the first.
using Conversions = llvm::SmallVector<hlo::PrimitiveType, 2>;

bool IsIntConversion(const hlo::Instruction& op) {
  return op.opcode == hlo::Opcode::kConvert && op.operands.size() == 1 &&
         hlo::IsInt(op.shape.type) && hlo::IsInt(op.operands[0]->shape.type);
}

// Whether the change of type in a move equals a conversion of integers. A bitcast of u32 to s32
// makes 4294967295 the integer -1, as convert does; a bitcast of f32 to s32 has no such conversion.
bool RetypesAsConversion(const hlo::Instruction& move) {
  const hlo::PrimitiveType from = move.operands[0]->shape.type, to = move.shape.type;
  return from == to ||
         (hlo::IsInt(from) && hlo::IsInt(to) && hlo::BitWidth(from) == hlo::BitWidth(to));
}

// The operand of the tuple that get-tuple-element(tuple(..)) selects; null for any other op.
const hlo::Instruction* TakenFromTuple(const hlo::Instruction& op) {
  if (op.opcode != hlo::Opcode::kGetTupleElement || op.operands.size() != 1) return nullptr;
  const hlo::Instruction& tuple = *op.operands[0];
  const int64_t k = op.attributes.tuple_index;
  const bool there =
      tuple.opcode == hlo::Opcode::kTuple && k >= 0 && k < std::ssize(tuple.operands);
  return there ? tuple.operands[k] : nullptr;
}

// The low bits of v as a number of the type.
int64_t Wrap(int64_t v, hlo::PrimitiveType type) {
  const int shift = 64 - hlo::BitWidth(type);
  const auto low = static_cast<uint64_t>(v) << shift;
  return hlo::IsSignedInt(type) ? static_cast<int64_t>(low) >> shift
                                : static_cast<int64_t>(low >> shift);
}

// Whether the type can represent 0 to `last`.
bool Counts(hlo::PrimitiveType type, int64_t last) {
  const int bits = hlo::BitWidth(type) - (hlo::IsSignedInt(type) ? 1 : 0);
  return bits >= 63 || last < (int64_t{1} << bits);
}

int64_t Clamp(int64_t v, int64_t limit) { return std::clamp<int64_t>(v, 0, limit); }

// The element of a literal: known when its index is constant, or when there is only one.
std::optional<int64_t> ConstantElement(const hlo::Instruction& op,
                                       llvm::ArrayRef<SymbolicExpr> producer_index,
                                       const Conversions& conversions, int64_t limit) {
  if (!op.literal || !hlo::IsInt(op.shape.type) || op.literal->shape().dims != op.shape.dims) {
    return std::nullopt;
  }
  int64_t n = op.shape.NumElements();
  int64_t linear = 0;
  if (n != 1) {
    std::vector<int64_t> index;
    for (size_t i = 0; i < producer_index.size(); ++i) {
      if (!producer_index[i].IsConstant()) return std::nullopt;
      int64_t v = producer_index[i].value();
      if (v < 0 || v >= op.shape.dims[i]) return std::nullopt;
      index.push_back(v);
    }
    linear = op.literal->Linear(index);
  }
  int64_t v = op.literal->GetInt(linear);
  for (hlo::PrimitiveType type : llvm::reverse(conversions)) v = Wrap(v, type);
  // A u64 beyond int64 is negative here; its clamped value is the limit.
  const hlo::PrimitiveType type = conversions.empty() ? op.shape.type : conversions.front();
  if (v < 0 && hlo::IsUnsignedInt(type)) return limit;
  return Clamp(v, limit);
}

// The clamped value of an iota's element, where no value of the iota wraps in any of the types.
SymbolicExpr IotaElement(const hlo::Instruction& op, llvm::ArrayRef<SymbolicExpr> producer_index,
                         const Conversions& conversions, int64_t limit) {
  if (op.attributes.dimensions.size() != 1 || !hlo::IsInt(op.shape.type)) return {};
  int64_t along = op.attributes.dimensions[0];
  if (along < 0 || along >= op.shape.rank()) return {};
  int64_t last = op.shape.dims[along] - 1;
  auto counts = [&](hlo::PrimitiveType type) { return Counts(type, last); };
  if (!counts(op.shape.type) || !llvm::all_of(conversions, counts)) return {};
  SymbolicExpr v = producer_index[along];
  return last <= limit ? v : v.Min(v.context()->Constant(limit));
}

// The value of the element of `producer` at the index `at`, clamped to [0, limit]; null when it is
// not known at compile time.
SymbolicExpr KnownElement(const hlo::Instruction& producer, llvm::ArrayRef<SymbolicExpr> at,
                          int64_t limit, Session& session) {
  const hlo::Instruction* op = &producer;
  std::vector<SymbolicExpr> producer_index(at.begin(), at.end());
  Conversions conversions;
  while (true) {
    if (const hlo::Instruction* element = TakenFromTuple(*op)) {
      op = element;
      continue;
    }
    if (IsIntConversion(*op)) {
      conversions.push_back(op->shape.type);
      op = op->operands[0];
      continue;
    }
    if (!MovesElements(*op) || op->operands.size() != 1) break;
    if (!RetypesAsConversion(*op)) return {};
    if (op->shape.type != op->operands[0]->shape.type) conversions.push_back(op->shape.type);
    InstructionIndexing step = OutputToInput(*op, 0, session);
    if (step.maps.size() != 1 || step.maps[0].size() != 1) return {};
    const IndexingMap& map = step.maps[0][0].map;
    if (map.IsUndefined() || !map.ranges().empty() || !map.runtime().empty()) return {};
    std::vector<SymbolicExpr> next;
    for (SymbolicExpr e : map.results()) {
      next.push_back(e.Substitute([&](VarKind, int64_t i) { return producer_index[i]; }));
    }
    producer_index = std::move(next);
    op = op->operands[0];
  }
  if (static_cast<int64_t>(producer_index.size()) != op->shape.rank()) return {};
  if (op->opcode == hlo::Opcode::kConstant) {
    std::optional<int64_t> v = ConstantElement(*op, producer_index, conversions, limit);
    return v ? session.context.Constant(*v) : SymbolicExpr();
  }
  if (op->opcode == hlo::Opcode::kIota) return IotaElement(*op, producer_index, conversions, limit);
  return {};
}

}  // namespace

SymbolicExpr RuntimeIndices::Add(const hlo::Instruction& producer,
                                 llvm::ArrayRef<SymbolicExpr> producer_index, int64_t limit) {
  if (session_.options.fold_runtime && limit >= 0) {
    if (SymbolicExpr known = KnownElement(producer, producer_index, limit, session_)) return known;
  }
  RuntimeSource source{
      producer.id, Interval{0, limit}, producer.name,
      std::make_shared<IndexingMap>(session_.context, producer_index, VariablesOfSizes(dims_),
                                    VariablesOfSizes(ranges_), std::vector<Variable>{})};
  runtime_.push_back({Interval{0, limit}, "", std::move(source)});
  return session_.context.Runtime(static_cast<int64_t>(runtime_.size()) - 1);
}

IndexingMap RuntimeIndices::Build(llvm::ArrayRef<SymbolicExpr> results,
                                  llvm::ArrayRef<Constraint> constraints) const {
  return IndexingMap(session_.context, results, VariablesOfSizes(dims_), VariablesOfSizes(ranges_),
                     runtime_, constraints);
}

}  // namespace affirm::analysis
