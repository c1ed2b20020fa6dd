// One walk over calls and one over uses of symbols.
#include "emit/transforms/calls.h"

#include "emit/ir/dialect.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/SymbolTable.h"

namespace affirm::emit {

namespace func = mlir::func;

Calls CollectCalls(mlir::ModuleOp module) {
  mlir::SymbolTable table(module);
  Calls calls;
  module.walk([&](mlir::Operation* op) {
    mlir::FlatSymbolRefAttr callee;
    if (auto pure = mlir::dyn_cast<ir::PureCallOp>(op)) callee = pure.getCalleeAttr();
    if (auto call = mlir::dyn_cast<func::CallOp>(op)) callee = call.getCalleeAttr();
    if (!callee) return;
    auto function = table.lookup<func::FuncOp>(callee.getAttr());
    if (function && function.isPrivate() && !function.isExternal()) calls[function].push_back(op);
  });
  const auto uses = mlir::SymbolTable::getSymbolUses(&module.getBodyRegion());
  if (!uses) return {};
  llvm::DenseMap<mlir::StringAttr, size_t> counts;
  for (const mlir::SymbolTable::SymbolUse& use : *uses)
    ++counts[use.getSymbolRef().getRootReference()];
  calls.remove_if([&](const auto& entry) {
    return counts[func::FuncOp(entry.first).getSymNameAttr()] != entry.second.size();
  });
  return calls;
}

}  // namespace affirm::emit
