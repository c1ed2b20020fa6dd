// An atomic instruction where the hardware has one for the update, else a loop of
// compare-and-exchange.
#include "emit/transforms/atomic_update.h"

#include "emit/ir/dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace affirm::emit {
namespace {

namespace arith = mlir::arith;
namespace func = mlir::func;
namespace scf = mlir::scf;
namespace LLVM = mlir::LLVM;
using mlir::Value;

std::optional<LLVM::AtomicBinOp> HardwareUpdate(mlir::Operation* op) {
  mlir::Type type = op->getResult(0).getType();
  unsigned width = type.getIntOrFloatBitWidth();
  if (width != 32 && width != 64) return std::nullopt;
  if (mlir::isa<arith::AddFOp>(op)) return LLVM::AtomicBinOp::fadd;
  if (mlir::isa<arith::AddIOp>(op)) return LLVM::AtomicBinOp::add;
  if (mlir::isa<arith::AndIOp>(op)) return LLVM::AtomicBinOp::_and;
  if (mlir::isa<arith::OrIOp>(op)) return LLVM::AtomicBinOp::_or;
  if (mlir::isa<arith::XOrIOp>(op)) return LLVM::AtomicBinOp::_xor;
  if (mlir::isa<arith::MaxSIOp>(op)) return LLVM::AtomicBinOp::max;
  if (mlir::isa<arith::MinSIOp>(op)) return LLVM::AtomicBinOp::min;
  if (mlir::isa<arith::MaxUIOp>(op)) return LLVM::AtomicBinOp::umax;
  if (mlir::isa<arith::MinUIOp>(op)) return LLVM::AtomicBinOp::umin;
  return std::nullopt;
}

struct Update {
  LLVM::AtomicBinOp operation;
  Value other;
};

// The one operation that a block consists of, when it is the hardware's and combines the block's
// first argument with something else.
std::optional<Update> MatchOperation(mlir::Block& block) {
  mlir::Operation& op = block.front();
  Value element = block.getArgument(0);
  if (op.getNumOperands() != 2 || op.getNumResults() != 1 ||
      op.getNextNode() != block.getTerminator() ||
      !llvm::equal(block.getTerminator()->getOperands(), op.getResults()) ||
      (op.getOperand(0) == element) == (op.getOperand(1) == element)) {
    return std::nullopt;
  }
  std::optional<LLVM::AtomicBinOp> operation = HardwareUpdate(&op);
  if (!operation) return std::nullopt;
  return Update{*operation, op.getOperand(op.getOperand(0) == element ? 1 : 0)};
}

// The same for the body of an update, which may instead be a call of a function with that
// operation.
std::optional<Update> MatchUpdate(mlir::Region& body) {
  mlir::Block& block = body.front();
  auto call = mlir::dyn_cast<func::CallOp>(block.front());
  if (!call) return MatchOperation(block);
  if (call.getNumOperands() != 2 || call->getNextNode() != block.getTerminator() ||
      call.getOperand(0) != block.getArgument(0) || call.getOperand(1) == block.getArgument(0) ||
      !llvm::equal(call.getResults(), block.getTerminator()->getOperands())) {
    return std::nullopt;
  }
  auto module = body.getParentOfType<mlir::ModuleOp>();
  auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
  if (!callee || callee.isExternal()) return std::nullopt;
  mlir::Block& inner = callee.getBody().front();
  std::optional<Update> update = MatchOperation(inner);
  if (!update || update->other != inner.getArgument(1)) return std::nullopt;
  return Update{update->operation, call.getOperand(1)};
}

}  // namespace

void EmitAtomicUpdate(Builder& b, mlir::Region& body, Value address) {
  constexpr auto kOrdering = LLVM::AtomicOrdering::monotonic;
  if (std::optional<Update> update = MatchUpdate(body)) {
    LLVM::AtomicRMWOp::create(b, update->operation, address, update->other, kOrdering);
    return;
  }
  mlir::Block& block = body.front();
  mlir::Type type = block.getArgument(0).getType();
  mlir::Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  auto cast = [&](mlir::Type to, Value value) {
    return value.getType() == to ? value : Value(arith::BitcastOp::create(b, to, value));
  };
  Value first = LLVM::LoadOp::create(b, bits, address);
  auto loop = scf::WhileOp::create(b, bits, mlir::ValueRange{first});
  mlir::OpBuilder::InsertionGuard guard(b);
  mlir::Block* before = b.createBlock(&loop.getBefore(), {}, bits, b.getLoc());
  mlir::IRMapping mapping;
  mapping.map(block.getArgument(0), cast(type, before->getArgument(0)));
  for (mlir::Operation& op : block.without_terminator()) b.clone(op, mapping);
  Value next = mapping.lookupOrDefault(block.getTerminator()->getOperand(0));
  auto exchange = LLVM::AtomicCmpXchgOp::create(b, address, before->getArgument(0),
                                                cast(bits, next), kOrdering, kOrdering);
  Value seen = LLVM::ExtractValueOp::create(b, exchange, 0);
  Value done = LLVM::ExtractValueOp::create(b, exchange, 1);
  Value again = arith::XOrIOp::create(b, done, IntConstant(b, b.getI1Type(), 1));
  scf::ConditionOp::create(b, again, seen);
  mlir::Block* after = b.createBlock(&loop.getAfter(), {}, bits, b.getLoc());
  scf::YieldOp::create(b, after->getArguments());
}

}  // namespace affirm::emit
