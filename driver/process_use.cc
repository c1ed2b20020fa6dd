// The figures of proc(5) and cgroups(7).
#include "driver/process_use.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>

#include "llvm/Support/MemoryBuffer.h"

namespace affirm::driver {
namespace {

// The text of a file of the kernel; empty where it cannot be read. A process may end between the
// opening and the reading of its file: an iterator over a stream throws there.
std::string TextOf(const std::string& path) {
  auto text = llvm::MemoryBuffer::getFileAsStream(path);
  return text ? (*text)->getBuffer().str() : "";
}

std::string FileOf(pid_t process, const char* name) {
  return TextOf("/proc/" + std::to_string(process) + "/" + name);
}

// A thread's children stand under the thread that started them.
void AppendChildren(pid_t process, std::vector<pid_t>& processes) {
  const std::string tasks = "/proc/" + std::to_string(process) + "/task";
  DIR* folder = opendir(tasks.c_str());
  if (folder == nullptr) return;
  while (const dirent* task = readdir(folder)) {
    if (task->d_name[0] == '.') continue;
    std::istringstream children(TextOf(tasks + "/" + task->d_name + "/children"));
    for (pid_t child = 0; children >> child;) processes.push_back(child);
  }
  closedir(folder);
}

// The fields of /proc/PID/stat from number `first` on, counted from 1, as many as there are in
// `values`; false where they cannot be read.
bool StatFields(pid_t process, int first, std::vector<double>& values) {
  const std::string text = FileOf(process, "stat");
  // The second field is a name in parentheses, which may hold anything.
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return false;
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < first; ++field) fields >> skipped;
  for (double& value : values) {
    if (!(fields >> value)) return false;
  }
  return true;
}

// Pages of a process that belong to no file, in bytes: those that it shares with its parent since a
// fork are counted for both.
uint64_t AnonymousBytes(pid_t process) {
  std::istringstream text(FileOf(process, "statm"));
  uint64_t size = 0, resident = 0, shared = 0;
  if (!(text >> size >> resident >> shared) || shared > resident) return 0;
  return (resident - shared) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// The number of bytes behind "NAME:" in lines as those of /proc/meminfo; 0 where there is none.
uint64_t BytesAt(const std::string& text, const std::string& name) {
  constexpr uint64_t kKilobyte = 1024;
  const size_t at = text.find(name + ":");
  if (at == std::string::npos) return 0;
  std::istringstream number(text.substr(at + name.size() + 1));
  uint64_t kilobytes = 0;
  return number >> kilobytes ? kilobytes * kKilobyte : 0;
}

}  // namespace

std::vector<pid_t> ProcessTree(pid_t root) {
  std::vector<pid_t> processes = {root};
  for (size_t i = 0; i < processes.size(); ++i) AppendChildren(processes[i], processes);
  return processes;
}

double CpuSecondsOf(const std::vector<pid_t>& processes) {
  constexpr int kUserTime = 14;  // then system time, and both of children that have ended
  double ticks = 0;
  for (pid_t process : processes) {
    std::vector<double> times(4);
    if (!StatFields(process, kUserTime, times)) continue;
    for (double time : times) ticks += time;
  }
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

bool HoldMoreThan(uint64_t limit, const std::vector<pid_t>& processes) {
  uint64_t bytes = 0;
  for (pid_t process : processes) bytes += AnonymousBytes(process);
  if (bytes <= limit) return false;
  if (processes.size() == 1) return true;
  // Slower, and exact: a page counts in equal parts for all that have it.
  uint64_t parts = 0;
  for (pid_t process : processes) {
    const uint64_t part = BytesAt(FileOf(process, "smaps_rollup"), "Pss_Anon");
    parts += part > 0 ? part : AnonymousBytes(process);
  }
  return parts > limit;
}

uint64_t MemoryHere() { return AnonymousBytes(getpid()); }

uint64_t MemoryOfMachine() {
  uint64_t bytes = std::numeric_limits<uint64_t>::max();
  if (const uint64_t total = BytesAt(TextOf("/proc/meminfo"), "MemTotal")) bytes = total;
  // The cgroup of version 2, then of version 1; "max" is no number.
  for (const char* file :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::istringstream group(TextOf(file));
    uint64_t limit = 0;
    if (group >> limit && limit > 0) bytes = std::min(bytes, limit);
  }
  return bytes;
}

}  // namespace affirm::driver
