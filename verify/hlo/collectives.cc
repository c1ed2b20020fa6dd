// Collectives, as seen within one operand: which elements of it, on whatever replica, an element of
// the result needs. Where the op says which member of the replica group has the operand, that is
// part of the meaning too (Relation::on_devices).
#include <algorithm>
#include <memory>
#include <utility>

#include "core/hlo/replica_groups.h"
#include "verify/hlo/meanings.h"

namespace affirm::meaning {

Answer SamePlace(const Query& q) {
  return q.operand == q.output_id ? SameIndex(q) : Answer(Nothing(q));
}

namespace {

// The relation with the member of a group of `members`, by position, whose operand is read: `who`
// is over the index of the result.
Answer ReadFrom(const Query& q, Answer answer, SymbolicExpr who, int64_t members) {
  if (!answer || members <= 0) return answer;
  Relation on_devices = *answer;
  on_devices.input.push_back({0, members - 1});
  // The new coordinate is the variable behind the operand's index.
  on_devices.reads = Formula::And({answer->reads, Formula::Eq(q.Runtime(0), who)});
  answer->on_devices = std::make_shared<const Relation>(std::move(on_devices));
  return answer;
}

// How many pieces of the operand's size make the result; 0 where groups of another size are
// written.
int64_t NumGathered(const Query& q, int64_t along) {
  const int64_t part = q.input.dims[along], whole = q.output.dims[along];
  if (part <= 0 || whole % part != 0) return 0;
  const int64_t written = hlo::GroupSize(q.op);
  const bool times_partitions = hlo::ModeOf(q.op) == hlo::GroupMode::kReplicasAllPartitions;
  if (written == 0) return whole / part;  // everybody, however many that are
  const bool fits = times_partitions ? whole / part % written == 0 : whole / part == written;
  return fits ? whole / part : 0;
}

// The replicas' operands stand one behind the other along one dimension.
Answer Gathered(const Query& q) {
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
  return ReadFrom(q, All(q, std::move(facts)), q.Out(along).FloorDiv(q.input.dims[along]),
                  NumGathered(q, along));
}

// The same index, but along one dimension the same place in some piece of `size`.
Answer SamePlaceInPiece(const Query& q, int64_t along, int64_t size) {
  if (along < 0 || along >= q.out_rank() || q.in_rank() != q.out_rank() || size <= 0) {
    return std::nullopt;
  }
  std::vector<Formula> facts;
  for (int64_t i = 0; i < q.out_rank(); ++i) {
    bool cut = i == along;
    facts.push_back(
        Formula::Eq(cut ? q.In(i).Mod(size) : q.In(i), cut ? q.Out(i).Mod(size) : q.Out(i)));
  }
  return AtMost(All(q, std::move(facts)));
}

int64_t OnlyDimension(const Query& q) {
  const std::vector<int64_t>& dims = q.op.attributes.dimensions;
  return dims.size() == 1 ? dims[0] : -1;
}

}  // namespace

Answer AllGather(const Query& q) {
  return q.operand == q.output_id ? Gathered(q) : Answer(Nothing(q));
}

// Gives (operands, results).
Answer AllGatherStart(const Query& q) {
  int64_t n = static_cast<int64_t>(q.op.operands.size());
  if (q.output_id == q.operand) return SameIndex(q);
  return q.output_id - n == q.operand ? Gathered(q) : Answer(Nothing(q));
}

Answer SecondHalfDone(const Query& q) {
  int64_t results = NumLeaves(q.op.shape);
  return q.leaf == results + q.output_id ? SameIndex(q) : Answer(Nothing(q));
}

// Gives (operand, result, contexts).
Answer PermuteStart(const Query& q) {
  if (q.op.operands.size() != 1) return std::nullopt;
  return q.output_id < 2 ? SameIndex(q) : Answer(Nothing(q));
}

// Which piece of the reduced array a replica gets depends on its place in the group.
Answer ReduceScatter(const Query& q) {
  if (q.operand != q.output_id) return Nothing(q);
  int64_t along = OnlyDimension(q);
  if (along < 0 || along >= q.out_rank()) return std::nullopt;
  if (q.output.dims[along] == 0) return Nothing(q);
  return SamePlaceInPiece(q, along, q.output.dims[along]);
}

// Arrays are cut into as many pieces as there are replicas, and piece r comes from replica r; of a
// tuple, element r does. Which piece or element of theirs depends on the replica that asks.
Answer AllToAll(const Query& q) {
  int64_t along = OnlyDimension(q);
  if (along < 0 || q.op.shape.IsTuple()) {
    return ReadFrom(q, AtMost(SameIndex(q)), q.Constant(q.output_id), std::ssize(q.op.operands));
  }
  int64_t members = hlo::GroupSize(q.op);
  if (along >= q.out_rank() || members <= 0 || q.output.dims[along] % members != 0) {
    return std::nullopt;
  }
  const int64_t piece = q.output.dims[along] / members;
  if (piece == 0) return Nothing(q);
  return ReadFrom(q, SamePlaceInPiece(q, along, piece), q.Out(along).FloorDiv(piece), members);
}

// Everybody gets what the first of the group has.
Answer CollectiveBroadcast(const Query& q) {
  return ReadFrom(q, SamePlace(q), q.Constant(0), std::max<int64_t>(hlo::GroupSize(q.op), 1));
}

// Operands: input, output, then offsets and sizes. Row r of a result is a row of someone's input,
// or row r of the output operand; which, the offsets and sizes of every replica say.
Answer RaggedAllToAll(const Query& q) {
  if (q.op.operands.size() != 6 || q.out_rank() == 0) return std::nullopt;
  if (q.operand >= 2) return AtMost(Everything(q));
  if (q.operand == 1) return AtMost(SameIndex(q));
  if (q.in_rank() != q.out_rank()) return std::nullopt;
  std::vector<Formula> facts;
  for (int64_t i = 1; i < q.out_rank(); ++i) facts.push_back(Formula::Eq(q.In(i), q.Out(i)));
  return AtMost(All(q, std::move(facts)));
}

}  // namespace affirm::meaning
