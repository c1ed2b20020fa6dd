// On how many devices a module runs.
//
//   HloModule m, num_partitions=8            -> 1 replica, 8 partitions
//   all-reduce(x), replica_groups={{0,1,2}}  -> 3 replicas, where the header has no replica_count
#ifndef AFFIRM_VERIFY_REFERENCE_DEVICE_COUNT_H_
#define AFFIRM_VERIFY_REFERENCE_DEVICE_COUNT_H_

#include <string>

#include "verify/reference/devices.h"

namespace affirm::hlo {

struct DeviceCount {
  Devices devices;
  // Conclusions beyond the header: "8 replicas, from the groups of its collectives"; empty without
  // any.
  std::string assumed;
};

// The counts of the header (replica_count, num_partitions). A count that is not there is the least
// that the module's collectives allow: the numbers that their groups and pairs name, and the sizes
// that they concatenate and split. Where these leave it open, and the module asks for the device's
// number or has a collective of everybody, it is 2, so that something is communicated; else it is
// 1.
DeviceCount CountDevices(const Module& module);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_DEVICE_COUNT_H_
