// The functions that kernels call.
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_FUNCTIONS_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_FUNCTIONS_H_

#include <optional>

#include "core/hlo/opcode.h"
#include "llvm/IR/Function.h"
#include "verify/terms/op.h"

namespace affirm::kernel {

// The effect of a call, by its callee.
struct Callee {
  enum class Kind : uint8_t {
    kUnknown,
    kDefined,  // a function of the module
    kMath,     // an operation on values of floats
    kThread,   // the index of the thread in its block, in `dimension`; the next three likewise
    kBlock,
    kThreads,
    kBlocks,
    kLane,
    kIdentifier,    // an index of the thread or the block, by the call (wave.h)
    kWaveSize,      // the number of lanes of a wave
    kLanesBelow,    // counts lanes of a wave before this one
    kLifetime,      // starts or ends the lifetime of an alloca
    kNothing,       // no effect on the results of a kernel
    kFenceProxies,  // orders accesses to shared memory before asynchronous products (byte_memory.h)
    kFenceRegisters,  // orders accesses to registers before such products
    kWait,            // waits for other threads: barriers, shuffles, matrices
    kIntrinsic,       // by its intrinsic ID
  };
  Kind kind = Kind::kUnknown;
  int dimension = 0;
  terms::Op operation = terms::Op::kNone;  // for kMath
};

Callee ClassifyCallee(const llvm::Function& function);

// The operation that a function of this name computes: kExponential for "__nv_expf",
// "__nv_fast_expf", "_Z3expf" and "llvm.exp.f32". kNone for others. The table is in functions.cc.
terms::Op OperationOfFunction(llvm::StringRef name);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_FUNCTIONS_H_
