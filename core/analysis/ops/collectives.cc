// Maps of collectives. A map leads to the operand of the replica that `replica_id` names by its
// position in the group; without one, to the operand at the same index on every replica that takes
// part. An all-gather of f32[4] from two replicas along dimension 0 has, from an element of f32[8],
//   (d0) -> (d0 mod 4), on replica (d0) -> (d0 floordiv 4).
#include "core/analysis/ops/op_helpers.h"
#include "core/hlo/replica_groups.h"

namespace affirm::analysis {
namespace {

// The only dim of the `dimensions` attribute, or -1.
int64_t OnlyDimension(const hlo::Instruction& op, const hlo::Shape& shape) {
  const std::vector<int64_t>& dims = op.attributes.dimensions;
  return dims.size() == 1 && dims[0] >= 0 && dims[0] < shape.rank() ? dims[0] : -1;
}

// whole / part; nullopt unless that is even and `part` is positive.
std::optional<int64_t> DivideEvenly(int64_t whole, int64_t part) {
  if (part <= 0 || whole < 0 || whole % part != 0) return std::nullopt;
  return whole / part;
}

// Output element d comes from replica d floordiv size, where it is element d mod size.
LabeledMap Gathered(const hlo::Shape& out, const hlo::Shape& in, int64_t along, Context& context) {
  if (along < 0 || in.rank() != out.rank()) return Unknown();
  if (out.dims[along] == 0) return Exact(IndexingMap::KnownEmpty(context));
  if (!DivideEvenly(out.dims[along], in.dims[along])) return Unknown();
  int64_t size = in.dims[along];
  SymbolicExpr d = context.Dim(along);
  std::vector<SymbolicExpr> results = Dims(context, out.rank());
  results[along] = d.Mod(size);
  LabeledMap map = Exact(Canonical(IndexingMap::FromShapes(context, results, out.dims, {})));
  map.replica_id = Canonical(IndexingMap::FromShapes(context, {d.FloorDiv(size)}, out.dims, {}));
  return map;
}

LabeledMap SameIndex(const hlo::Shape& out, const hlo::Shape& in, Context& context) {
  if (out.dims != in.dims) return Unknown();
  return Exact(IndexingMap::Identity(context, out.dims));
}

}  // namespace

// Output k gathers operand k.
InstructionIndexing AllGatherOutputToInput(const hlo::Instruction& op, int64_t id,
                                           Session& session) {
  InstructionIndexing out = NothingRead(op);
  if (id >= static_cast<int64_t>(op.operands.size())) return UnknownOutputToInput(op, id, session);
  const hlo::Shape& result = *LeafShape(op.shape, id);
  out.maps[id].push_back(
      Gathered(result, op.operands[id]->shape, OnlyDimension(op, result), session.context));
  return out;
}

// Where the element lands depends on the replica that it comes from, so the map leads to all
// replicas' shards of the result and is over-approximate.
InstructionIndexing AllGatherInputToOutput(const hlo::Instruction& op, int64_t operand,
                                           Session& session) {
  InstructionIndexing out = NothingWritten(op);
  const hlo::Shape* result = LeafShape(op.shape, operand);
  const hlo::Shape& in = op.operands[operand]->shape;
  int64_t along = OnlyDimension(op, in);
  if (!result || along < 0 || result->rank() != in.rank()) {
    return UnknownInputToOutput(op, operand, session);
  }
  if (result->dims[along] == 0) return out;
  std::optional<int64_t> shards = DivideEvenly(result->dims[along], in.dims[along]);
  if (!shards) return UnknownInputToOutput(op, operand, session);
  Context& context = session.context;
  std::vector<SymbolicExpr> results = Dims(context, in.rank());
  results[along] = context.Range(0) * in.dims[along] + context.Dim(along);
  out.maps[operand].push_back(
      OverApproximate(IndexingMap::FromShapes(context, results, in.dims, {*shards})));
  return out;
}

// all-gather-start gives (operands, results).
InstructionIndexing AllGatherStartOutputToInput(const hlo::Instruction& op, int64_t id,
                                                Session& session) {
  InstructionIndexing out = NothingRead(op);
  int64_t n = static_cast<int64_t>(op.operands.size());
  const hlo::Shape& result = *LeafShape(op.shape, id);
  if (NumLeaves(op.shape) != 2 * n) return UnknownOutputToInput(op, id, session);
  if (id < n) {
    out.maps[id].push_back(SameIndex(result, op.operands[id]->shape, session.context));
  } else {
    out.maps[id - n].push_back(
        Gathered(result, op.operands[id - n]->shape, OnlyDimension(op, result), session.context));
  }
  return out;
}

// The done half of a start that gives (operands, results, ...): the results.
InstructionIndexing AllGatherDoneOutputToInput(const hlo::Instruction& op, int64_t id,
                                               Session& session) {
  InstructionIndexing out = NothingRead(op);
  int64_t leaf = NumLeaves(op.shape) + id;
  const hlo::Shape* in = LeafShape(op.operands[0]->shape, leaf);
  const hlo::Shape& result = *LeafShape(op.shape, id);
  if (!in || in->dims != result.dims) return UnknownOutputToInput(op, id, session);
  out.maps[0].push_back(Exact(IndexingMap::Identity(session.context, result.dims), leaf));
  return out;
}

// all-reduce, all-reduce-start and collective-permute of arrays: output k reads operand k at the
// same index.
InstructionIndexing AllReduceOutputToInput(const hlo::Instruction& op, int64_t id,
                                           Session& session) {
  InstructionIndexing out = NothingRead(op);
  if (id >= static_cast<int64_t>(op.operands.size())) return UnknownOutputToInput(op, id, session);
  out.maps[id].push_back(
      SameIndex(*LeafShape(op.shape, id), op.operands[id]->shape, session.context));
  return out;
}

// Everybody gets what the first of the group has.
InstructionIndexing CollectiveBroadcastOutputToInput(const hlo::Instruction& op, int64_t id,
                                                     Session& session) {
  InstructionIndexing out = AllReduceOutputToInput(op, id, session);
  for (std::vector<LabeledMap>& maps : out.maps) {
    for (LabeledMap& map : maps) {
      if (map.map.IsUndefined()) continue;
      map.replica_id = map.map.WithResults(session.context.Constant(0));
    }
  }
  return out;
}

// Rows of the input come from every replica; the sizes and offsets there say how many and from
// where. The other rows are those of the second operand.
InstructionIndexing RaggedAllToAllOutputToInput(const hlo::Instruction& op, int64_t id,
                                                Session& session) {
  Context& context = session.context;
  const hlo::Shape& result = *LeafShape(op.shape, id);
  if (op.operands.size() != 6 || result.rank() == 0 ||
      op.operands[0]->shape.rank() != result.rank()) {
    return UnknownOutputToInput(op, id, session);
  }
  InstructionIndexing out = NothingRead(op);
  const hlo::Shape& in = op.operands[0]->shape;
  std::vector<SymbolicExpr> row = Dims(context, result.rank());
  row[0] = context.Range(0);
  out.maps[0].push_back(
      OverApproximate(IndexingMap::FromShapes(context, row, result.dims, {in.dims[0]})));
  out.maps[1].push_back(SameIndex(result, op.operands[1]->shape, context));
  for (LabeledMap& same : out.maps[1]) {
    same.exactness = Weaker(same.exactness, Exactness::kOverApproximate);
  }
  for (size_t k = 2; k < 6; ++k) {
    out.maps[k].push_back(
        OverApproximate(ReadsAll(context, result.dims, op.operands[k]->shape.dims)));
  }
  return out;
}

// collective-permute-start gives (operand, result, contexts).
InstructionIndexing CollectivePermuteStartOutputToInput(const hlo::Instruction& op, int64_t id,
                                                        Session& session) {
  InstructionIndexing out = NothingRead(op);
  if (op.operands.size() != 1) return UnknownOutputToInput(op, id, session);
  if (id > 1) return out;
  out.maps[0].push_back(
      SameIndex(*LeafShape(op.shape, id), op.operands[0]->shape, session.context));
  return out;
}

// The shard that this replica gets depends on its position, so the map leads to any shard and is
// over-approximate.
InstructionIndexing ReduceScatterOutputToInput(const hlo::Instruction& op, int64_t id,
                                               Session& session) {
  Context& context = session.context;
  InstructionIndexing out = NothingRead(op);
  if (id >= static_cast<int64_t>(op.operands.size())) return UnknownOutputToInput(op, id, session);
  const hlo::Shape& result = *LeafShape(op.shape, id);
  const hlo::Shape& in = op.operands[id]->shape;
  int64_t along = OnlyDimension(op, result);
  if (along < 0 || in.rank() != result.rank()) return UnknownOutputToInput(op, id, session);
  if (result.dims[along] == 0) return out;
  std::optional<int64_t> shards = DivideEvenly(in.dims[along], result.dims[along]);
  if (!shards) return UnknownOutputToInput(op, id, session);
  std::vector<SymbolicExpr> results = Dims(context, result.rank());
  results[along] = context.Range(0) * result.dims[along] + context.Dim(along);
  out.maps[id].push_back(
      OverApproximate(IndexingMap::FromShapes(context, results, result.dims, {*shards})));
  return out;
}

// As an array: shard r of the result along the dim is, on replica r, the shard that belongs to this
// replica. As a tuple: result r is, on replica r, the operand that belongs to this replica. Which
// one that is depends on this replica's position, so the map leads to any and is over-approximate.
InstructionIndexing AllToAllOutputToInput(const hlo::Instruction& op, int64_t id,
                                          Session& session) {
  Context& context = session.context;
  const hlo::Shape& result = *LeafShape(op.shape, id);
  InstructionIndexing out = NothingRead(op);
  int64_t along = OnlyDimension(op, result);
  if (along < 0 || op.shape.IsTuple()) {
    for (size_t k = 0; k < op.operands.size(); ++k) {
      LabeledMap map = SameIndex(result, op.operands[k]->shape, context);
      if (!map.map.IsUndefined()) {
        map.exactness = Exactness::kOverApproximate;
        map.replica_id = map.map.WithResults(context.Constant(id));
      }
      out.maps[k].push_back(std::move(map));
    }
    return out;
  }
  if (result.dims[along] == 0) return out;
  int64_t members = hlo::GroupSize(op);
  std::optional<int64_t> shard_size = DivideEvenly(result.dims[along], members);
  if (op.operands.size() != 1 || op.operands[0]->shape.dims != result.dims || !shard_size ||
      !*shard_size) {
    return UnknownOutputToInput(op, id, session);
  }
  std::vector<SymbolicExpr> results = Dims(context, result.rank());
  SymbolicExpr d = context.Dim(along);
  results[along] = context.Range(0) * *shard_size + d.Mod(*shard_size);
  LabeledMap map =
      OverApproximate(IndexingMap::FromShapes(context, results, result.dims, {members}));
  map.replica_id = map.map.WithResults(d.FloorDiv(*shard_size));
  out.maps[0].push_back(std::move(map));
  return out;
}

}  // namespace affirm::analysis
