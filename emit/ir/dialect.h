// The affirm dialect in C++ (docs/dialect.md; the definitions are dialect.td and ops.td).
#ifndef AFFIRM_EMIT_IR_DIALECT_H_
#define AFFIRM_EMIT_IR_DIALECT_H_

#include <memory>

#include "core/indexing/indexing_map.h"
#include "llvm/ADT/Hashing.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace affirm {

// For the uniquing of attributes.
inline llvm::hash_code hash_value(const IndexingMap& map) {
  return llvm::hash_code(static_cast<size_t>(map.Hash()));
}

}  // namespace affirm

#include "affirm_dialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "affirm_attributes.h.inc"
#define GET_OP_CLASSES
#include "affirm_ops.h.inc"

namespace affirm::ir {

// An attribute of an argument of the entry function, an output that is updated in place: the number
// of the input whose contents it starts with.
inline constexpr char kAliasAttribute[] = "affirm.alias";
// An attribute of a tensor argument: the number of its slice of memory. Different slices do not
// overlap.
inline constexpr char kSliceAttribute[] = "affirm.slice";

// The attribute of a map whose expressions live in the dialect's context, without the producers of
// its runtime variables.
IndexingMapAttr MapAttr(mlir::MLIRContext* context, const IndexingMap& map);

// The map with every variable a dim: dims, then range variables, then runtime variables.
IndexingMap AsFunction(const IndexingMap& map);

// Success if `map` is defined, not known to be empty, and has these numbers of variables.
mlir::LogicalResult VerifyMap(mlir::Operation* op, const IndexingMap& map, size_t dims,
                              size_t ranges, size_t runtime);

}  // namespace affirm::ir

#endif  // AFFIRM_EMIT_IR_DIALECT_H_
