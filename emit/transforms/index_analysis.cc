// Visits the functions of a module, callers before callees.
#include "emit/transforms/index_analysis.h"

#include <algorithm>

#include "emit/transforms/index_terms.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace affirm::emit {
namespace {

namespace func = mlir::func;

// Callers before callees; members of cycles are marked, since not all their calls come before.
class CallOrder {
 public:
  explicit CallOrder(mlir::ModuleOp module) : module_(module) {
    for (func::FuncOp f : module.getOps<func::FuncOp>()) Visit(f);
    std::reverse(order_.begin(), order_.end());
  }
  llvm::ArrayRef<func::FuncOp> functions() const { return order_; }
  bool IsRecursive(func::FuncOp f) { return recursive_.contains(f.getOperation()); }

 private:
  void Visit(func::FuncOp f) {
    auto [state, fresh] = done_.try_emplace(f.getOperation(), false);
    if (!fresh) {
      if (!state->second) recursive_.insert(f.getOperation());
      return;
    }
    f.walk([&](func::CallOp call) {
      if (auto callee = module_.lookupSymbol<func::FuncOp>(call.getCallee())) Visit(callee);
    });
    done_[f.getOperation()] = true;
    order_.push_back(f);
  }

  mlir::ModuleOp module_;
  std::vector<func::FuncOp> order_;
  llvm::DenseMap<mlir::Operation*, bool> done_;
  llvm::DenseSet<mlir::Operation*> recursive_;
};

// Functions of which each use is a func.call, whose operands the analysis sees. A name may also be
// used by other calls, by func.constant, by an attribute, or from anywhere where an operation that
// is not registered may have symbols of its own.
class KnownCallers {
 public:
  explicit KnownCallers(mlir::ModuleOp module) {
    const auto uses = mlir::SymbolTable::getSymbolUses(&module.getBodyRegion());
    all_are_seen_ = uses.has_value();
    if (!uses) return;
    for (const mlir::SymbolTable::SymbolUse& use : *uses) {
      auto call = mlir::dyn_cast<func::CallOp>(use.getUser());
      if (!call || call.getCalleeAttr() != use.getSymbolRef())
        unknown_.insert(use.getSymbolRef().getRootReference());
    }
  }
  bool AreOf(func::FuncOp function) const {
    return all_are_seen_ && !unknown_.contains(function.getSymNameAttr());
  }

 private:
  bool all_are_seen_ = false;
  llvm::DenseSet<mlir::StringAttr> unknown_;  // names with another use
};

}  // namespace

const UnprovedIndex& IndexAnalysis::Reason() const {
  for (const UnprovedIndex& u : unproved) {
    if (!mlir::isa<mlir::arith::ConstantOp>(u.op)) return u;
  }
  return unproved.front();
}

IndexAnalysis AnalyzeIndices(mlir::ModuleOp module, IndexWidthBounds bounds, bool until_unproved) {
  IndexAnalysis result;
  CallOrder order(module);
  const KnownCallers callers(module);
  CallRanges calls;
  for (func::FuncOp f : order.functions()) {
    if (f.isDeclaration()) continue;
    if (order.IsRecursive(f) || !callers.AreOf(f)) calls.erase(f.getSymName().str());
    IndexTerms(bounds, until_unproved, calls, result).Run(f);
  }
  return result;
}

}  // namespace affirm::emit
