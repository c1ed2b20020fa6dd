// Thread and block numbers, barriers and shuffles, as a device has them.
#include "emit/transforms/lower_block_ops.h"

#include "emit/elements/scalar.h"
#include "emit/ir/dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace affirm::emit {
namespace {

namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;
using mlir::Value;
using Values = llvm::SmallVector<Value>;

class BlockOpLowering {
 public:
  BlockOpLowering(mlir::func::FuncOp entry, Target target) : entry_(entry), target_(target) {}

  void Run() {
    entry_.walk([&](mlir::gpu::ThreadIdOp op) {
      ToRegister(op, "llvm.nvvm.read.ptx.sreg.tid.x", "llvm.amdgcn.workitem.id.x");
    });
    entry_.walk([&](mlir::gpu::BlockIdOp op) {
      ToRegister(op, "llvm.nvvm.read.ptx.sreg.ctaid.x", "llvm.amdgcn.workgroup.id.x");
    });
    entry_.walk([&](mlir::gpu::BarrierOp op) {
      Builder b(op.getLoc(), op);
      Barrier(b);
      op.erase();
    });
    entry_.walk([&](ir::ShuffleReduceOp op) { Expand(op); });
  }

 private:
  void ToRegister(mlir::Operation* op, llvm::StringRef nvidia, llvm::StringRef amd) {
    Builder b(op->getLoc(), op);
    Value id = Intrinsic(b, target_ == Target::kNvptx ? nvidia : amd, {}, b.getI32Type());
    Value index = arith::IndexCastUIOp::create(b, b.getIndexType(), id);
    op->replaceAllUsesWith(mlir::ValueRange{index});
    op->erase();
  }

  Value Intrinsic(Builder& b, llvm::StringRef name, mlir::ValueRange arguments, mlir::Type type) {
    return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(name), arguments).getResult(0);
  }
  Value Int32(Builder& b, int64_t value) { return IntConstant(b, b.getI32Type(), value); }

  void Barrier(Builder& b) {
    if (target_ == Target::kNvptx) {
      LLVM::CallIntrinsicOp::create(b, b.getStringAttr("llvm.nvvm.barrier.cta.sync.aligned.all"),
                                    Int32(b, 0));
    } else {
      LLVM::FenceOp::create(b, LLVM::AtomicOrdering::release, "workgroup");
      LLVM::CallIntrinsicOp::create(b, b.getStringAttr("llvm.amdgcn.s.barrier"),
                                    mlir::ValueRange{});
      LLVM::FenceOp::create(b, LLVM::AtomicOrdering::acquire, "workgroup");
    }
  }

  void Expand(ir::ShuffleReduceOp op) {
    Builder b(op.getLoc(), op);
    Values values(op.getInputs());
    auto last = static_cast<int64_t>(op.getLastDistance());
    for (auto distance = static_cast<int64_t>(op.getFirstDistance()); distance >= last;
         distance /= 2) {
      Values arguments = values;
      for (Value value : values)
        arguments.push_back(FromLane(b, value, distance, op.getEverywhere()));
      auto call = mlir::func::CallOp::create(b, op.getCombiner(),
                                             mlir::ValueRange(values).getTypes(), arguments);
      values.assign(call.getResults().begin(), call.getResults().end());
    }
    op.replaceAllUsesWith(values);
    op.erase();
  }

  // The value of the lane that is further by `distance`, its own where there is none in the 32; or,
  // with `exchange`, of the lane whose number differs in that bit.
  Value FromLane(Builder& b, Value value, int64_t distance, bool exchange) {
    mlir::Type type = value.getType();
    unsigned width = type.getIntOrFloatBitWidth();
    mlir::Type bits_type = b.getIntegerType(width);
    Value bits = value;
    if (!type.isInteger()) bits = arith::BitcastOp::create(b, bits_type, value);
    unsigned wide_width = width > 32 ? 64 : 32;
    mlir::Type wide = b.getIntegerType(wide_width);
    if (width < wide_width) bits = arith::ExtUIOp::create(b, wide, bits);
    bits = Move(b, bits, distance, exchange);
    if (width < wide_width) bits = arith::TruncIOp::create(b, bits_type, bits);
    return type.isInteger() ? bits : Value(arith::BitcastOp::create(b, type, bits));
  }

  // 32 or 64 bits.
  Value Move(Builder& b, Value bits, int64_t distance, bool exchange) {
    mlir::Type i32 = b.getI32Type(), i64 = b.getI64Type();
    if (bits.getType() == i32) return MoveWord(b, bits, distance, exchange);
    Value half = IntConstant(b, i64, 32);
    Value low = MoveWord(b, arith::TruncIOp::create(b, i32, bits), distance, exchange);
    Value high = MoveWord(b, arith::TruncIOp::create(b, i32, arith::ShRUIOp::create(b, bits, half)),
                          distance, exchange);
    Value shifted = arith::ShLIOp::create(b, arith::ExtUIOp::create(b, i64, high), half);
    return arith::OrIOp::create(b, shifted, arith::ExtUIOp::create(b, i64, low));
  }

  Value MoveWord(Builder& b, Value bits, int64_t distance, bool exchange) {
    mlir::Type i32 = b.getI32Type();
    if (target_ == Target::kNvptx) {
      return Intrinsic(b,
                       exchange ? "llvm.nvvm.shfl.sync.bfly.i32" : "llvm.nvvm.shfl.sync.down.i32",
                       {Int32(b, -1), bits, Int32(b, distance), Int32(b, 31)}, i32);
    }
    Value source = SourceLane(b, distance, exchange);
    return Intrinsic(b, "llvm.amdgcn.ds.bpermute",
                     {arith::ShLIOp::create(b, source, Int32(b, 2)), bits}, i32);
  }

  // On AMD. A wave has 64 lanes; the lane is computed within its half.
  Value SourceLane(Builder& b, int64_t distance, bool exchange) {
    mlir::Type i32 = b.getI32Type();
    Value lane = Intrinsic(b, "llvm.amdgcn.mbcnt.lo", {Int32(b, -1), Int32(b, 0)}, i32);
    lane = Intrinsic(b, "llvm.amdgcn.mbcnt.hi", {Int32(b, -1), lane}, i32);
    if (exchange) return arith::XOrIOp::create(b, lane, Int32(b, distance));
    Value within = arith::AndIOp::create(b, lane, Int32(b, 31));
    Value exists =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, within, Int32(b, 32 - distance));
    Value further = arith::AddIOp::create(b, lane, Int32(b, distance));
    return arith::SelectOp::create(b, exists, further, lane);
  }

  mlir::func::FuncOp entry_;
  Target target_;
};

}  // namespace

void LowerBlockOps(mlir::func::FuncOp entry, Target target) {
  BlockOpLowering(entry, target).Run();
}

}  // namespace affirm::emit
