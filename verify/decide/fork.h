// Copies of this process.
#ifndef AFFIRM_VERIFY_DECIDE_FORK_H_
#define AFFIRM_VERIFY_DECIDE_FORK_H_

#include <sys/types.h>

namespace affirm {

// fork(), by one thread at a time: Z3 takes its locks in handlers that run in fork, and two threads
// that fork at once block each other in them for good.
pid_t ForkOneAtATime();

}  // namespace affirm

#endif  // AFFIRM_VERIFY_DECIDE_FORK_H_
