// The limits of a piece of work as users give them: processor time and memory.
//
// Limits are of processor time, so that a verdict does not depend on other work of the machine. The
// clock is a backstop: it may run kClockPerCpu times as long.
#ifndef AFFIRM_DRIVER_WORK_LIMITS_H_
#define AFFIRM_DRIVER_WORK_LIMITS_H_

#include <cstdint>
#include <string>

#include "driver/worker_process.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::driver {

inline constexpr double kClockPerCpu = 1.5;

// Limits of `cpu_seconds` (0: no limit) for work on `threads` at a time, and of bytes of memory.
WorkLimits LimitsOf(double cpu_seconds, unsigned threads, uint64_t memory);

// Bytes: "6G", "512M", "1.5GiB"; a number alone is of GiB; empty: half of the machine's memory. An
// error for other text, and for less than 64 MiB, in which nothing starts.
llvm::Expected<uint64_t> ParseMemoryLimit(llvm::StringRef text);

// "6.0 GiB"
std::string MemoryText(uint64_t bytes);

// Why a worker was ended: "out of time", "out of memory (limit 6.0 GiB)", or how it ended by
// itself. Only the last is a fault of the work.
inline constexpr char kOutOfTime[] = "out of time";
inline constexpr char kOutOfMemory[] = "out of memory";
std::string WhyEnded(const WorkerProcess& worker, const WorkLimits& limits);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_WORK_LIMITS_H_
