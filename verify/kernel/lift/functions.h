// The functions that kernels call.
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_FUNCTIONS_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_FUNCTIONS_H_

#include <optional>

#include "core/hlo/opcode.h"
#include "llvm/IR/Function.h"
#include "verify/terms/op.h"

namespace affirm::kernel {

// What a call does.
struct Callee {
  enum class Kind : uint8_t {
    kUnknown,
    kDefined,  // a function of the module
    kMath,     // an operation on values of floats
    kThread,   // the thread in its block, `dimension`; and so on
    kBlock,
    kThreads,
    kBlocks,
    kLane,
    kIdentifier,  // a number of the thread or the block, by the call (wave.h)
    kWaveSize,    // the lanes of a wave
    kLanesBelow,  // counts lanes of a wave before this one
    kLifetime,    // memory of the thread begins or ends
    kNothing,     // no meaning for what a kernel computes
    kWait,        // waits for other threads: barriers, shuffles, matrices
    kIntrinsic,   // by its number
  };
  Kind kind = Kind::kUnknown;
  int dimension = 0;
  terms::Op operation = terms::Op::kNone;  // of kMath
};

Callee ClassifyCallee(const llvm::Function& function);

// The operation on values that a function of the name is: kExponential of "__nv_expf",
// "__nv_fast_expf", "_Z3expf" and "llvm.exp.f32". kNone for others. The table is in functions.cc.
terms::Op OperationOfFunction(llvm::StringRef name);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_FUNCTIONS_H_
