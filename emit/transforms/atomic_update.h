// An atomic update of one element in memory.
#ifndef AFFIRM_EMIT_TRANSFORMS_ATOMIC_UPDATE_H_
#define AFFIRM_EMIT_TRANSFORMS_ATOMIC_UPDATE_H_

#include "emit/elements/scalar.h"
#include "mlir/IR/Region.h"

namespace affirm::emit {

// Replaces the element at `address` by what `body` (one block, from the element to affirm.yield)
// makes of it. An atomic instruction when the update is one of the hardware's, else a loop of
// compare-and-exchange.
void EmitAtomicUpdate(Builder& b, mlir::Region& body, mlir::Value address);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_TRANSFORMS_ATOMIC_UPDATE_H_
