// The order of exit statuses, and the status of a verdict.
#include "driver/exit_status.h"

namespace affirm::driver {

int Worse(int a, int b) {
  // By rank: all well, unknown, different, bad input.
  constexpr int kRank[] = {0, 2, 1, 3};
  return kRank[a] >= kRank[b] ? a : b;
}

int StatusOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kProved:
      return kSuccess;
    case Verdict::kRefuted:
      return kDifferent;
    case Verdict::kUnknown:
      return kUnknown;
  }
  return kUnknown;
}

}  // namespace affirm::driver
