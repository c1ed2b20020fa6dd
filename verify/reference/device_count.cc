// Counts of devices from the header of a module, and from what its collectives need.
#include "verify/reference/device_count.h"

#include <algorithm>
#include <optional>

#include "core/hlo/leaves.h"
#include "core/hlo/replica_groups.h"

namespace affirm::hlo {
namespace {

// How many there must be at least of something, and how that is known.
struct Least {
  enum class From : uint8_t { kNothing, kCommunication, kSizes, kGroups };
  int64_t count = 1;
  From from = From::kNothing;

  void Raise(int64_t to, From why) {
    if (to > count || (to == count && why > from)) {
      count = to;
      from = why;
    }
  }
};

const char* TextOf(Least::From from) {
  switch (from) {
    case Least::From::kGroups:
      return ", from the groups of its collectives";
    case Least::From::kSizes:
      return ", from the sizes of its collectives";
    default:
      return ", the fewest that communicate";
  }
}

// whole / part where that is a number of members; else 0.
int64_t Ratio(const Shape& whole, const Shape& part, const Attributes& attributes) {
  if (attributes.dimensions.size() != 1 || whole.rank() != part.rank()) return 0;
  const int64_t d = attributes.dimensions[0];
  if (d < 0 || d >= whole.rank() || part.dims[d] <= 0) return 0;
  return whole.dims[d] % part.dims[d] == 0 ? whole.dims[d] / part.dims[d] : 0;
}

// How many members a group has by the shapes of the op; 0 where they do not say.
int64_t MembersByShape(const Instruction& op) {
  if (op.operands.empty()) return 0;
  const Shape& in = op.operands[0]->shape;
  const std::vector<const Shape*> leaves = LeafShapes(op.shape);
  if (leaves.empty() || !in.IsArray()) return 0;
  switch (op.opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
      return Ratio(*leaves.back(), in, op.attributes);
    case Opcode::kReduceScatter:
      return Ratio(in, *leaves.front(), op.attributes);
    case Opcode::kAllToAll:
      return op.shape.IsTuple() ? std::ssize(op.operands) : 0;
    case Opcode::kRaggedAllToAll: {
      const Shape& sizes = op.operands.back()->shape;
      return sizes.rank() == 1 ? sizes.dims[0] : 0;
    }
    default:
      return 0;
  }
}

// One more than the largest number that the op's groups or pairs name; 0 if they name none.
int64_t Named(const Instruction& op) {
  int64_t end = 0;
  for (const auto& group : ReplicaGroups(op).value_or(std::vector<std::vector<int64_t>>())) {
    for (int64_t v : group) end = std::max(end, v + 1);
  }
  for (auto [source, target] :
       SourceTargetPairs(op).value_or(std::vector<std::pair<int64_t, int64_t>>())) {
    end = std::max({end, source + 1, target + 1});
  }
  return end;
}

class Counter {
 public:
  void Add(const Instruction& op) {
    using From = Least::From;
    if (op.opcode == Opcode::kReplicaId) replicas_.Raise(2, From::kCommunication);
    if (op.opcode == Opcode::kPartitionId) partitions_.Raise(2, From::kCommunication);
    if (!IsCollective(op.opcode)) return;
    const GroupMode mode = ModeOf(op);
    const bool of_all = mode == GroupMode::kDevices || mode == GroupMode::kReplicasAllPartitions;
    Least& counted = mode == GroupMode::kPartitions ? partitions_
                     : mode == GroupMode::kDevices  ? devices_
                                                    : replicas_;
    const int64_t named = Named(op), members = MembersByShape(op), group = GroupSize(op);
    counted.Raise(named, From::kGroups);
    if (named > 0 && mode != GroupMode::kReplicasAllPartitions) return;
    // Groups of all devices, or of replicas with all of their partitions.
    if (named > 0 && members > 0 && members % group == 0) {
      partitions_.Raise(members / group, From::kSizes);
    } else if (named == 0) {
      (of_all ? devices_ : counted)
          .Raise(std::max<int64_t>(members, 2), members > 0 ? From::kSizes : From::kCommunication);
    }
  }

  DeviceCount Finish(std::optional<int64_t> replicas, std::optional<int64_t> partitions) {
    DeviceCount count{{replicas.value_or(replicas_.count), partitions.value_or(partitions_.count)},
                      ""};
    // Numbers of devices: more partitions of each replica, or more replicas.
    auto needed = [&](int64_t per) { return per <= 0 ? 1 : (devices_.count + per - 1) / per; };
    if (!partitions) {
      partitions_.Raise(needed(count.devices.replicas), devices_.from);
      count.devices.partitions = partitions_.count;
    } else if (!replicas) {
      replicas_.Raise(needed(count.devices.partitions), devices_.from);
      count.devices.replicas = replicas_.count;
    }
    if (!replicas) Say(replicas_, "replicas", count.assumed);
    if (!partitions) Say(partitions_, "partitions", count.assumed);
    return count;
  }

 private:
  static void Say(const Least& least, const char* what, std::string& text) {
    if (least.count == 1) return;
    if (!text.empty()) text += "; ";
    text += std::to_string(least.count) + " " + what + TextOf(least.from);
  }

  Least replicas_, partitions_, devices_;
};

}  // namespace

DeviceCount CountDevices(const Module& module) {
  Counter counter;
  for (const auto& computation : module.computations) {
    for (const auto& op : computation->instructions) counter.Add(*op);
  }
  return counter.Finish(CountInHeader(module, "replica_count"),
                        CountInHeader(module, "num_partitions"));
}

}  // namespace affirm::hlo
