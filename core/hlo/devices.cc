#include "core/hlo/devices.h"

#include <string>
#include <system_error>

#include "llvm/ADT/SetVector.h"

namespace affirm::hlo {

std::optional<int64_t> CountInHeader(const Module& module, llvm::StringRef key) {
  for (const auto& [name, value] : module.extra_attributes) {
    int64_t count = 0;
    if (name == key && !llvm::StringRef(value).trim().getAsInteger(10, count)) return count;
  }
  return std::nullopt;
}

Devices DevicesOf(const Module& module) {
  return {CountInHeader(module, "replica_count").value_or(1),
          CountInHeader(module, "num_partitions").value_or(1)};
}

llvm::Error CheckDevices(const Devices& devices) {
  const bool fits = devices.replicas >= 1 && devices.partitions >= 1 &&
                    devices.replicas <= kMaxDevices && devices.partitions <= kMaxDevices &&
                    devices.count() <= kMaxDevices;
  if (fits) return llvm::Error::success();
  return llvm::createStringError(std::errc::invalid_argument,
                                 "expected from 1 to %d devices, found %s replicas of %s "
                                 "partitions",
                                 static_cast<int>(kMaxDevices),
                                 std::to_string(devices.replicas).c_str(),
                                 std::to_string(devices.partitions).c_str());
}

bool IsCollective(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kAllToAll:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kRaggedAllToAll:
    case Opcode::kReduceScatter:
      return true;
    default:
      return false;
  }
}

bool IsDeviceNumber(Opcode opcode) {
  return opcode == Opcode::kReplicaId || opcode == Opcode::kPartitionId;
}

bool DependsOnDevices(const Computation& computation) {
  llvm::SetVector<const Computation*> reached;
  reached.insert(&computation);
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const auto& op : reached[i]->instructions) {
      if (IsCollective(op->opcode) || IsDeviceNumber(op->opcode)) return true;
      reached.insert(op->called.begin(), op->called.end());
    }
  }
  return false;
}

}  // namespace affirm::hlo
