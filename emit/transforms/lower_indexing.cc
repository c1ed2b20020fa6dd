// affirm-lower-indexing: the results of a map as operations of arith.
#include "core/simplify/simplify.h"
#include "emit/elements/scalar.h"
#include "emit/transforms/pass_base.h"
#include "emit/transforms/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "verify/width/index_code.h"

namespace affirm::emit {
namespace {

namespace arith = mlir::arith;
using mlir::Value;
using Predicate = arith::CmpIPredicate;

// The operations of a map's code (verify/width/index_code.h), step for step.
class CodeEmitter {
 public:
  CodeEmitter(Builder& b, mlir::ValueRange variables) : b_(b), variables_(variables) {}

  llvm::SmallVector<Value> Emit(const IndexCode& code) {
    for (const IndexStep& step : code.steps) values_.push_back(Emit(step));
    llvm::SmallVector<Value> results;
    for (uint32_t k : code.results) results.push_back(values_[k]);
    return results;
  }

 private:
  Value Emit(const IndexStep& step);
  Value FloorOf(Value q, Value r, Value d, Value less);
  Value IsNegative(Value v) {
    return arith::CmpIOp::create(b_, Predicate::slt, v, IndexConstant(b_, 0));
  }

  Builder& b_;
  mlir::ValueRange variables_;
  llvm::SmallVector<Value> values_;
};

Value CodeEmitter::Emit(const IndexStep& step) {
  using Op = IndexStep::Op;
  llvm::SmallVector<Value> v;
  for (uint32_t k : step.operands) v.push_back(values_[k]);
  switch (step.op) {
    case Op::kConstant:
      return IndexConstant(b_, step.value.value());
    case Op::kVariable:
      return variables_[step.value.value()];
    case Op::kAdd:
      return arith::AddIOp::create(b_, v[0], v[1]);
    case Op::kSub:
      return arith::SubIOp::create(b_, v[0], v[1]);
    case Op::kMul:
      return arith::MulIOp::create(b_, v[0], v[1]);
    case Op::kDivS:
      return arith::DivSIOp::create(b_, v[0], v[1]);
    case Op::kDivU:
      return arith::DivUIOp::create(b_, v[0], v[1]);
    case Op::kRemS:
      return arith::RemSIOp::create(b_, v[0], v[1]);
    case Op::kRemU:
      return arith::RemUIOp::create(b_, v[0], v[1]);
    case Op::kMin:
      return arith::MinSIOp::create(b_, v[0], v[1]);
    case Op::kMax:
      return arith::MaxSIOp::create(b_, v[0], v[1]);
    case Op::kFloorFixUp:
      return FloorOf(v[0], v[1], v[2], v[3]);
    case Op::kModFixUp:
      return arith::SelectOp::create(b_, IsNegative(v[0]), v[1], v[0]);
  }
  return {};
}

Value CodeEmitter::FloorOf(Value q, Value r, Value d, Value less) {
  Value inexact = arith::CmpIOp::create(b_, Predicate::ne, r, IndexConstant(b_, 0));
  Value r_negative = IsNegative(r), d_negative = IsNegative(d);
  Value opposite = arith::XOrIOp::create(b_, r_negative, d_negative);
  return arith::SelectOp::create(b_, arith::AndIOp::create(b_, inexact, opposite), less, q);
}

void Lower(ir::ApplyIndexingOp op) {
  Builder b(op.getLoc(), op);
  IndexingMap map = Simplify(ir::AsFunction(op.getMap().getMap()));
  IndexCode code = MakeResultCode(map, Signedness::kSigned);
  llvm::SmallVector<Value> values = CodeEmitter(b, op.getVariables()).Emit(code);
  // A domain that turns out to be empty: the code is never reached, and any value will do.
  if (values.empty()) values.assign(op.getNumResults(), IndexConstant(b, 0));
  op.replaceAllUsesWith(values);
  op.erase();
}

mlir::LogicalResult LowerIndexing(mlir::ModuleOp module) {
  module.walk([](ir::ApplyIndexingOp op) { Lower(op); });
  return mlir::success();
}

}  // namespace

std::unique_ptr<mlir::Pass> CreateLowerIndexingPass() {
  return std::make_unique<ModulePass>(
      "affirm-lower-indexing",
      "`affirm.apply_indexing` to `arith`; divisions of what is proved nonnegative are unsigned",
      LowerIndexing);
}

}  // namespace affirm::emit
