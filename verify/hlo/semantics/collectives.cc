// Access relations of collectives: which elements of an operand, on whatever replica, an element of
// the result reads. Where the op says which member of the replica group holds the operand, that is
// part of the relation too (AccessRelation::on_devices).
#include <algorithm>
#include <memory>
#include <utility>

#include "core/hlo/replica_groups.h"
#include "verify/hlo/semantics/op_semantics.h"

namespace affirm::hlo_semantics {

OptionalRelation SameIndexOfSameOperand(const AccessQuery& q) {
  return q.operand == q.output_id ? SameIndex(q) : OptionalRelation(ReadsNothing(q));
}

namespace {

// The relation together with the position, among the `members` of a replica group, of the one whose
// operand is read: `who`, over the index of the result.
OptionalRelation FromMember(const AccessQuery& q, OptionalRelation answer, SymbolicExpr who,
                            int64_t members) {
  if (!answer || members <= 0) return answer;
  AccessRelation on_devices = *answer;
  on_devices.input.push_back({0, members - 1});
  // The new coordinate is the variable behind the operand's index.
  on_devices.reads = Formula::And({answer->reads, Formula::Eq(q.Runtime(0), who)});
  answer->on_devices = std::make_shared<const AccessRelation>(std::move(on_devices));
  return answer;
}

// How many operands an all-gather concatenates; 0 where the replica groups have another size.
int64_t NumGathered(const AccessQuery& q, int64_t along) {
  const int64_t part = q.input.dims[along], whole = q.output.dims[along];
  if (part <= 0 || whole % part != 0) return 0;
  const int64_t written = hlo::GroupSize(q.op);
  const bool times_partitions = hlo::ModeOf(q.op) == hlo::GroupMode::kReplicasAllPartitions;
  if (written == 0) return whole / part;  // everybody, however many that are
  const bool fits = times_partitions ? whole / part % written == 0 : whole / part == written;
  return fits ? whole / part : 0;
}

// The result is the concatenation of the replicas' operands along one dimension:
// (d0, d1) -> (d0 mod size, d1), of member d0 floordiv size.
OptionalRelation Gathered(const AccessQuery& q) {
  const std::vector<int64_t>& dims = q.op.attributes.dimensions;
  if (dims.size() != 1 || dims[0] < 0 || dims[0] >= q.out_rank() || q.in_rank() != q.out_rank()) {
    return std::nullopt;
  }
  std::vector<Formula> facts;
  for (int64_t i = 0; i < q.out_rank(); ++i) {
    SymbolicExpr out = q.Out(i);
    if (i == dims[0]) {
      int64_t size = q.input.dims[i];
      if (size <= 0) return std::nullopt;
      out = out.Mod(size);
    }
    facts.push_back(Formula::Eq(q.In(i), out));
  }
  const int64_t along = dims[0];
  return FromMember(q, Where(q, std::move(facts)), q.Out(along).FloorDiv(q.input.dims[along]),
                    NumGathered(q, along));
}

// The same index, but along one dimension only the offset within a block of `size` is the same.
OptionalRelation SameOffsetInBlock(const AccessQuery& q, int64_t along, int64_t size) {
  if (along < 0 || along >= q.out_rank() || q.in_rank() != q.out_rank() || size <= 0) {
    return std::nullopt;
  }
  std::vector<Formula> facts;
  for (int64_t i = 0; i < q.out_rank(); ++i) {
    bool in_blocks = i == along;
    facts.push_back(Formula::Eq(in_blocks ? q.In(i).Mod(size) : q.In(i),
                                in_blocks ? q.Out(i).Mod(size) : q.Out(i)));
  }
  return UpperBound(Where(q, std::move(facts)));
}

int64_t OnlyDimension(const AccessQuery& q) {
  const std::vector<int64_t>& dims = q.op.attributes.dimensions;
  return dims.size() == 1 ? dims[0] : -1;
}

}  // namespace

OptionalRelation AllGather(const AccessQuery& q) {
  return q.operand == q.output_id ? Gathered(q) : OptionalRelation(ReadsNothing(q));
}

// The result of all-gather-start is the tuple (operands, results).
OptionalRelation AllGatherStart(const AccessQuery& q) {
  int64_t n = static_cast<int64_t>(q.op.operands.size());
  if (q.output_id == q.operand) return SameIndex(q);
  return q.output_id - n == q.operand ? Gathered(q) : OptionalRelation(ReadsNothing(q));
}

OptionalRelation CollectiveDone(const AccessQuery& q) {
  int64_t results = NumLeaves(q.op.shape);
  return q.leaf == results + q.output_id ? SameIndex(q) : OptionalRelation(ReadsNothing(q));
}

// The result of collective-permute-start is the tuple (operand, result, contexts).
OptionalRelation CollectivePermuteStart(const AccessQuery& q) {
  if (q.op.operands.size() != 1) return std::nullopt;
  return q.output_id < 2 ? SameIndex(q) : OptionalRelation(ReadsNothing(q));
}

// Which block of the reduced array a replica gets depends on its position in the group.
OptionalRelation ReduceScatter(const AccessQuery& q) {
  if (q.operand != q.output_id) return ReadsNothing(q);
  int64_t along = OnlyDimension(q);
  if (along < 0 || along >= q.out_rank()) return std::nullopt;
  if (q.output.dims[along] == 0) return ReadsNothing(q);
  return SameOffsetInBlock(q, along, q.output.dims[along]);
}

// An array result has as many blocks as there are replicas, and block r comes from replica r; of a
// tuple result, element r does. Which block or element of that replica is read depends on the
// position of the reader.
OptionalRelation AllToAll(const AccessQuery& q) {
  int64_t along = OnlyDimension(q);
  if (along < 0 || q.op.shape.IsTuple()) {
    return FromMember(q, UpperBound(SameIndex(q)), q.Constant(q.output_id),
                      std::ssize(q.op.operands));
  }
  int64_t members = hlo::GroupSize(q.op);
  if (along >= q.out_rank() || members <= 0 || q.output.dims[along] % members != 0) {
    return std::nullopt;
  }
  const int64_t block = q.output.dims[along] / members;
  if (block == 0) return ReadsNothing(q);
  return FromMember(q, SameOffsetInBlock(q, along, block), q.Out(along).FloorDiv(block), members);
}

// Every member reads the operand of the first of its group.
OptionalRelation CollectiveBroadcast(const AccessQuery& q) {
  return FromMember(q, SameIndexOfSameOperand(q), q.Constant(0),
                    std::max<int64_t>(hlo::GroupSize(q.op), 1));
}

// The operands are input, output, then offsets and sizes. Row r of the result is a row of some
// replica's input, or row r of the output operand; the offsets and sizes of every replica decide.
OptionalRelation RaggedAllToAll(const AccessQuery& q) {
  if (q.op.operands.size() != 6 || q.out_rank() == 0) return std::nullopt;
  if (q.operand >= 2) return UpperBound(ReadsAll(q));
  if (q.operand == 1) return UpperBound(SameIndex(q));
  if (q.in_rank() != q.out_rank()) return std::nullopt;
  std::vector<Formula> facts;
  for (int64_t i = 1; i < q.out_rank(); ++i) facts.push_back(Formula::Eq(q.In(i), q.Out(i)));
  return UpperBound(Where(q, std::move(facts)));
}

}  // namespace affirm::hlo_semantics
