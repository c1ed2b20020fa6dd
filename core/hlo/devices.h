// The devices that a module runs on, and which of its values depend on them.
//
//   HloModule m, replica_count=2, num_partitions=4   // DevicesOf: 2 replicas of 4 partitions each
#ifndef AFFIRM_CORE_HLO_DEVICES_H_
#define AFFIRM_CORE_HLO_DEVICES_H_

#include <cstdint>
#include <optional>

#include "core/hlo/module.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo {

// The largest number of devices, of replicas, and of partitions.
inline constexpr int64_t kMaxDevices = 4096;

struct Devices {
  int64_t replicas = 1, partitions = 1;
  int64_t count() const { return replicas * partitions; }
};
// The counts in the module's header (replica_count, num_partitions); 1 where there is none.
Devices DevicesOf(const Module& module);
// An error unless both counts are from 1 to kMaxDevices, and so is their product.
llvm::Error CheckDevices(const Devices& devices);

// The number in the module's header under a key, such as "replica_count"; nullopt where there is
// none.
std::optional<int64_t> CountInHeader(const Module& module, llvm::StringRef key);

// Is it an op in which devices communicate?
bool IsCollective(Opcode opcode);
// Is it partition-id or replica-id?
bool IsDeviceNumber(Opcode opcode);
// Whether the computation, or one that it calls, has collectives or asks for the device's number.
bool DependsOnDevices(const Computation& computation);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_DEVICES_H_
