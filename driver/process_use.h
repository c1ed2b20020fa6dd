// Time and memory of a process and of the processes that it has started, directly or through
// others.
#ifndef AFFIRM_DRIVER_PROCESS_USE_H_
#define AFFIRM_DRIVER_PROCESS_USE_H_

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace affirm::driver {

// The process and its living descendants, itself first.
std::vector<pid_t> ProcessTree(pid_t root);

// Seconds of processor time, user and system, that the processes and their ended children took;
// what cannot be read counts as 0.
double CpuSecondsOf(const std::vector<pid_t>& processes);

// Whether the processes hold more than `limit` bytes of memory. A page that several of them share
// counts once.
bool HoldMoreThan(uint64_t limit, const std::vector<pid_t>& processes);

// Bytes that this process alone holds, pages of files left out.
uint64_t MemoryHere();

// Bytes that this process may use: those of the machine, or of its control group where that has
// fewer.
uint64_t MemoryOfMachine();

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_PROCESS_USE_H_
