// Calls of mathematical functions, by their names in libclc.
#include "emit/transforms/lower_math.h"

#include <string>

#include "emit/elements/scalar.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace affirm::emit {
namespace {

struct MathFunction {
  const char* op;    // of MLIR
  const char* name;  // in OpenCL C
};

constexpr MathFunction kFunctions[] = {
    {"arith.remf", "fmod"},  {"math.acos", "acos"},   {"math.acosh", "acosh"},
    {"math.asin", "asin"},   {"math.asinh", "asinh"}, {"math.atan", "atan"},
    {"math.atan2", "atan2"}, {"math.atanh", "atanh"}, {"math.cbrt", "cbrt"},
    {"math.cos", "cos"},     {"math.cosh", "cosh"},   {"math.erf", "erf"},
    {"math.exp", "exp"},     {"math.expm1", "expm1"}, {"math.log", "log"},
    {"math.log1p", "log1p"}, {"math.powf", "pow"},    {"math.sin", "sin"},
    {"math.sinh", "sinh"},   {"math.tan", "tan"},     {"math.tanh", "tanh"},
};

const MathFunction* Find(mlir::Operation* op) {
  for (const MathFunction& function : kFunctions) {
    if (op->getName().getStringRef() == function.op) return &function;
  }
  return nullptr;
}

std::string Symbol(const MathFunction& function, mlir::Operation* op) {
  std::string name = function.name;
  bool is_double = op->getResult(0).getType().isF64();
  std::string mangled = "_Z" + std::to_string(name.size()) + name;
  return mangled + std::string(op->getNumOperands(), is_double ? 'd' : 'f');
}

}  // namespace

void LowerMathToCalls(mlir::ModuleOp module) {
  llvm::SmallVector<mlir::Operation*> ops;
  module.walk([&](mlir::Operation* op) {
    if (Find(op)) ops.push_back(op);
  });
  for (mlir::Operation* op : ops) {
    std::string symbol = Symbol(*Find(op), op);
    Builder b(op->getLoc(), op);
    if (!module.lookupSymbol(symbol)) {
      mlir::OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(module.getBody());
      auto type = b.getFunctionType(op->getOperandTypes(), op->getResultTypes());
      mlir::func::FuncOp::create(b, symbol, type).setPrivate();
    }
    auto call = mlir::func::CallOp::create(b, symbol, op->getResultTypes(), op->getOperands());
    op->replaceAllUsesWith(call.getResults());
    op->erase();
  }
}

}  // namespace affirm::emit
