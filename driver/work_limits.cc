// Limits from text, and back.
#include "driver/work_limits.h"

#include <cmath>

#include "core/symbolic/error.h"
#include "driver/json_text.h"
#include "driver/process_use.h"

namespace affirm::driver {
namespace {

constexpr double kGibibyte = 1024.0 * 1024 * 1024;
constexpr double kLeastMemory = kGibibyte / 16;
constexpr double kMostMemory = 1e18;

// The size of a unit such as "M" or "MiB", in bytes; 0 for other text.
double BytesOf(llvm::StringRef unit) {
  const std::string lower = unit.lower();
  if (lower.empty()) return kGibibyte;
  const llvm::StringRef rest = llvm::StringRef(lower).drop_front();
  if (!rest.empty() && rest != "b" && rest != "ib") return 0;
  switch (lower[0]) {
    case 'm':
      return kGibibyte / 1024;
    case 'g':
      return kGibibyte;
    case 't':
      return kGibibyte * 1024;
    default:
      return 0;
  }
}

}  // namespace

WorkLimits LimitsOf(double cpu_seconds, unsigned threads, uint64_t memory) {
  if (cpu_seconds <= 0) return {.memory = memory};
  return {.cpu_seconds = cpu_seconds * threads,
          .clock_seconds = cpu_seconds * kClockPerCpu,
          .memory = memory};
}

llvm::Expected<uint64_t> ParseMemoryLimit(llvm::StringRef text) {
  if (text.empty()) return MemoryOfMachine() / 2;
  const llvm::StringRef number =
      text.take_while([](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  double value = 0;
  const double unit = BytesOf(text.drop_front(number.size()).trim());
  if (number.getAsDouble(value) || unit == 0) {
    return MakeError("--memory-limit: '" + text +
                     "' is no amount of memory, expected one as 6G or 512M");
  }
  const double bytes = value * unit;
  if (!(bytes >= kLeastMemory) || bytes > kMostMemory) {
    return MakeError("--memory-limit: '" + text + "' is out of range, expected at least 64M");
  }
  return static_cast<uint64_t>(bytes);
}

std::string MemoryText(uint64_t bytes) {
  return Fixed(static_cast<double>(bytes) / kGibibyte, 1) + " GiB";
}

std::string WhyEnded(const WorkerProcess& worker, const WorkLimits& limits) {
  switch (worker.exceeded()) {
    case WorkerProcess::Exceeded::kTime:
      return kOutOfTime;
    case WorkerProcess::Exceeded::kMemory:
      return std::string(kOutOfMemory) + " (limit " + MemoryText(limits.memory) + ")";
    case WorkerProcess::Exceeded::kNothing:
      break;
  }
  return "its process ended (" + worker.how_it_ended() + ")";
}

}  // namespace affirm::driver
