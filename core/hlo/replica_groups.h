// Which devices take part in a collective (XLA's replica groups and channels).
#ifndef AFFIRM_CORE_HLO_REPLICA_GROUPS_H_
#define AFFIRM_CORE_HLO_REPLICA_GROUPS_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/hlo/module.h"

namespace affirm::hlo {

// The meaning of the numbers in the groups.
enum class GroupMode : uint8_t {
  kReplicas,               // replicas; each partition keeps to itself
  kPartitions,             // partitions; each replica keeps to itself
  kReplicasAllPartitions,  // replicas, which come with all of their partitions
  kDevices,                // replica * partitions + partition
};
GroupMode ModeOf(const Instruction& collective);

// The groups as lists, "[2,4]<=[4,2]T(1,0)" expanded; an empty list: everybody is in one group.
// nullopt where the text is of no known kind, or names more than 2^20 devices.
std::optional<std::vector<std::vector<int64_t>>> ReplicaGroups(const Instruction& collective);

// Whether the text of replica_groups is of a kind that ReplicaGroups reads.
bool IsReplicaGroups(llvm::StringRef text);

// Members of the first group; 0 where the text does not say.
int64_t GroupSize(const Instruction& collective);

// collective-permute: {{source, target}, ..}. nullopt where that is not what the text says.
std::optional<std::vector<std::pair<int64_t, int64_t>>> SourceTargetPairs(
    const Instruction& collective);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_REPLICA_GROUPS_H_
