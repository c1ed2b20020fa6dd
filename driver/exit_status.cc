// The order of exit statuses.
#include "driver/exit_status.h"

namespace affirm::driver {

int Worse(int a, int b) {
  // By rank: all well, unknown, different, bad input.
  constexpr int kRank[] = {0, 2, 1, 3};
  return kRank[a] >= kRank[b] ? a : b;
}

}  // namespace affirm::driver
