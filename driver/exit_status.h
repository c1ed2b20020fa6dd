// The exit statuses of the command line, as docs/oracle.md and `affirm --help` promise them. That
// of a verdict: StatusOf (verify/verdict.h).
#ifndef AFFIRM_DRIVER_EXIT_STATUS_H_
#define AFFIRM_DRIVER_EXIT_STATUS_H_

#include "verify/verdict.h"  // StatusOf

namespace affirm::driver {

// Exit statuses, worst last (but see Worse).
inline constexpr int kSuccess = 0;
inline constexpr int kDifferent = 1;  // different, refuted or mismatched
inline constexpr int kUnknown = 2;    // unknown, or only executed
inline constexpr int kBadInput = 3;

// The status of a whole from those of its parts: bad input before different before unknown.
int Worse(int a, int b);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_EXIT_STATUS_H_
