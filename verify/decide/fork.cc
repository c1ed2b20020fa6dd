#include "verify/decide/fork.h"

#include <unistd.h>

#include <mutex>

namespace affirm {

pid_t ForkOneAtATime() {
  static std::mutex forking;
  const std::lock_guard lock(forking);
  return fork();
}

}  // namespace affirm
