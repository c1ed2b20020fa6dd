// Lists of attributes that are written as one array.
#include "emit/ir/argument_attributes.h"

namespace affirm::ir {

ArgumentAttributes::ArgumentAttributes(mlir::func::FuncOp function) : function_(function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    lists_.emplace_back(function.getArgAttrDict(i));
}

void ArgumentAttributes::Remove(llvm::StringRef name) {
  for (mlir::NamedAttrList& list : lists_) list.erase(name);
}

void ArgumentAttributes::Write() {
  llvm::SmallVector<mlir::DictionaryAttr> all;
  for (mlir::NamedAttrList& list : lists_)
    all.push_back(list.getDictionary(function_.getContext()));
  function_.setAllArgAttrs(all);
}

}  // namespace affirm::ir
