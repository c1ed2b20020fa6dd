// The attributes of a function's arguments, changed together: MLIR copies those of all arguments
// for each one that is set.
#ifndef AFFIRM_EMIT_IR_ARGUMENT_ATTRIBUTES_H_
#define AFFIRM_EMIT_IR_ARGUMENT_ATTRIBUTES_H_

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace affirm::ir {

// Write() gives the function what was changed.
//
//   ArgumentAttributes attributes(function);
//   attributes[2].set(kSliceAttribute, slice);
//   attributes.Write();
class ArgumentAttributes {
 public:
  explicit ArgumentAttributes(mlir::func::FuncOp function);
  mlir::NamedAttrList& operator[](unsigned argument) { return lists_[argument]; }
  // Removes an attribute of all arguments.
  void Remove(llvm::StringRef name);
  void Write();

 private:
  mlir::func::FuncOp function_;
  llvm::SmallVector<mlir::NamedAttrList, 0> lists_;
};

}  // namespace affirm::ir

#endif  // AFFIRM_EMIT_IR_ARGUMENT_ATTRIBUTES_H_
