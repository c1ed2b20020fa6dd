// Calls of mathematical functions, by their names in libm and in libclc.
#include "emit/transforms/lower_math.h"

#include <string>

#include "emit/elements/scalar.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace affirm::emit {
namespace {

namespace arith = mlir::arith;
using mlir::Value;

struct MathFunction {
  const char* op;    // of MLIR
  const char* name;  // in C and in OpenCL C
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

std::string Symbol(const MathFunction& function, mlir::Operation* op, Target target) {
  std::string name = function.name;
  bool is_double = op->getResult(0).getType().isF64();
  if (target == Target::kHost) return is_double ? name : name + "f";
  std::string mangled = "_Z" + std::to_string(name.size()) + name;
  return mangled + std::string(op->getNumOperands(), is_double ? 'd' : 'f');
}

// Works around functions of libclc: for PTX its exp and fmod of f32 flush subnormal numbers, and
// its f64 pow is NaN where the logarithm of the result overflows. The operands are changed so that
// neither happens.
class PrecisionWorkaround {
 public:
  explicit PrecisionWorkaround(mlir::Operation* op) : op_(op), b_(op->getLoc(), op) {}

  void Run(Target target) {
    bool is_f32 = op_->getResult(0).getType().isF32();
    bool flushes = is_f32 && target == Target::kNvptx;
    if (flushes && mlir::isa<arith::RemFOp>(op_)) Replace(Remainder());
    if (flushes && mlir::isa<mlir::math::ExpOp>(op_)) Replace(Exponential());
    if (!is_f32 && mlir::isa<mlir::math::PowFOp>(op_)) BoundPower();
  }

 private:
  Value Constant(double v) { return FloatConstant(b_, op_->getResult(0).getType(), v); }
  Value Wide(Value x) { return arith::ExtFOp::create(b_, b_.getF64Type(), x); }

  // The remainder of two f32 numbers is an f32 number, so that computing it in f64 is exact.
  Value Remainder() {
    Value wide = arith::RemFOp::create(b_, Wide(op_->getOperand(0)), Wide(op_->getOperand(1)));
    return arith::TruncFOp::create(b_, b_.getF32Type(), wide);
  }

  // exp(x) is exp(x / 2)^2, and halving is exact.
  Value Exponential() {
    Value x = op_->getOperand(0);
    Value small = arith::CmpFOp::create(b_, arith::CmpFPredicate::OLT, x, Constant(-87));
    Value half = arith::MulFOp::create(b_, x, Constant(0.5));
    Value e = mlir::math::ExpOp::create(b_, arith::SelectOp::create(b_, small, half, x));
    return arith::SelectOp::create(b_, small, arith::MulFOp::create(b_, e, e), e);
  }

  // From 2^70 on every power is even and gives 0, 1 or infinity as 2^70 does.
  void BoundPower() {
    Value y = op_->getOperand(1), most = Constant(0x1p70);
    Value large = arith::CmpFOp::create(b_, arith::CmpFPredicate::OGT,
                                        mlir::math::AbsFOp::create(b_, y), most);
    Value bounded = mlir::math::CopySignOp::create(b_, most, y);
    op_->setOperand(1, arith::SelectOp::create(b_, large, bounded, y));
  }

  void Replace(Value result) {
    op_->getResult(0).replaceAllUsesWith(result);
    op_->erase();
  }

  mlir::Operation* op_;
  Builder b_;
};

}  // namespace

void LowerMathToCalls(mlir::ModuleOp module, Target target) {
  auto functions = [&] {
    llvm::SmallVector<mlir::Operation*> ops;
    module.walk([&](mlir::Operation* op) {
      if (Find(op)) ops.push_back(op);
    });
    return ops;
  };
  if (target != Target::kHost) {
    for (mlir::Operation* op : functions()) PrecisionWorkaround(op).Run(target);
  }
  llvm::SmallVector<mlir::Operation*> ops = functions();
  for (mlir::Operation* op : ops) {
    std::string symbol = Symbol(*Find(op), op, target);
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
