// An atomic update of one element in memory.
#ifndef AFFIRM_EMIT_ATOMICS_H_
#define AFFIRM_EMIT_ATOMICS_H_

#include "emit/scalar.h"
#include "mlir/IR/Region.h"

namespace affirm::emit {

// Replaces the element at `address` by what `body` (one block, from the element to affirm.yield)
// makes of it. An atomic instruction when the update is one of the hardware's, else a loop of
// compare-and-exchange.
void EmitAtomicUpdate(Builder& b, mlir::Region& body, mlir::Value address);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_ATOMICS_H_
