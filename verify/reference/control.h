// The decisions of control flow, which are the same on one device and on many.
#ifndef AFFIRM_VERIFY_REFERENCE_CONTROL_H_
#define AFFIRM_VERIFY_REFERENCE_CONTROL_H_

#include "verify/reference/ops.h"

namespace affirm::hlo {

// Loops that run longer are reported instead of running forever.
inline constexpr int64_t kMaxTrips = int64_t{1} << 18;

// Does a loop whose state is `state` make another trip?
llvm::Expected<bool> LoopRunsAgain(const Instruction& loop, const Computation& condition,
                                   const Literal& state, const InterpretOptions* options = nullptr);

// An OpenResult if the condition of the loop ends it after `trips`, but it claims another number
// (known_trip_count), by which XLA runs it. Success for a loop without a claim, and if the options
// do not check claims.
llvm::Error CheckClaimedTrips(const Instruction& loop, int64_t trips,
                              const InterpretOptions* options);

// The branch of a conditional that runs, and the operand that it takes. By a pred the true branch
// is the first; by an s32 an index out of range selects the last branch.
struct Branch {
  const Computation* callee;
  int64_t operand;
};
llvm::Expected<Branch> ChooseBranch(const OpInvocation& call);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_CONTROL_H_
