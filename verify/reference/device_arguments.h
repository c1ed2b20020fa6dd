// Arguments of a module on each of its devices.
#ifndef AFFIRM_VERIFY_REFERENCE_DEVICE_ARGUMENTS_H_
#define AFFIRM_VERIFY_REFERENCE_DEVICE_ARGUMENTS_H_

#include <cstdint>
#include <vector>

#include "verify/reference/arguments.h"
#include "verify/reference/devices.h"

namespace affirm::hlo {

// Which arguments are the same on all devices. Where a loop with collectives ends by what an
// argument holds, its devices meet only if they are given the same.
enum class SharedArguments : uint8_t { kNone, kScalars, kAll };
const char* Name(SharedArguments shared);  // "none", "scalars", "all"

// The arguments of each device; those of device 0 are MakeArguments of the seed. Offsets and sizes
// of a ragged-all-to-all that are arguments, copied or reshaped at most, fit each other: each
// member of a group sends rows to each.
std::vector<std::vector<Literal>> MakeArgumentsOnDevices(const Computation& computation,
                                                         uint64_t seed, ArgumentKind kind,
                                                         const Devices& devices,
                                                         SharedArguments shared);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_DEVICE_ARGUMENTS_H_
