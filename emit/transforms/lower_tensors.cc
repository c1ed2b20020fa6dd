// Finds the buffer behind each tensor of a function, lowers its accesses and drops the tensors.
#include "emit/transforms/lower_tensors.h"

#include "emit/elements/scalar.h"
#include "emit/ir/argument_attributes.h"
#include "emit/ir/dialect.h"
#include "emit/transforms/lower_accesses.h"
#include "llvm/ADT/MapVector.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace affirm::emit {
namespace {

namespace arith = mlir::arith;
namespace func = mlir::func;
namespace scf = mlir::scf;
namespace tensor = mlir::tensor;
namespace vector = mlir::vector;
namespace LLVM = mlir::LLVM;
using mlir::Value;

// The address space of shared memory, on each device.
constexpr unsigned kSharedSpace = 3;

bool IsTensor(mlir::Type type) { return mlir::isa<mlir::RankedTensorType>(type); }
bool IsTensorValue(Value value) { return IsTensor(value.getType()); }

// The value that a tensor was before anything was inserted: an argument of the function, an array
// constant or an allocation. Null for anything else.
Value OriginOf(Value value) {
  while (true) {
    if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value)) {
      mlir::Operation* parent = argument.getOwner()->getParentOp();
      if (mlir::isa<func::FuncOp>(parent)) return value;
      auto loop = mlir::dyn_cast<scf::ForOp>(parent);
      if (!loop) return {};
      value = loop.getTiedLoopInit(argument)->get();
      continue;
    }
    mlir::Operation* op = value.getDefiningOp();
    unsigned number = mlir::cast<mlir::OpResult>(value).getResultNumber();
    if (mlir::isa<arith::ConstantOp, ir::AllocateSharedOp>(op)) return value;
    if (auto insert = mlir::dyn_cast<tensor::InsertOp>(op)) {
      value = insert.getDest();
    } else if (auto atomic = mlir::dyn_cast<ir::AtomicRMWOp>(op)) {
      value = atomic.getTensor();
    } else if (auto write = mlir::dyn_cast<vector::TransferWriteOp>(op)) {
      value = write.getBase();
    } else if (auto sync = mlir::dyn_cast<ir::SyncThreadsOp>(op)) {
      value = sync.getTensors()[number];
    } else if (auto loop = mlir::dyn_cast<scf::ForOp>(op)) {
      value = loop.getInits()[number];
    } else if (auto branch = mlir::dyn_cast<scf::IfOp>(op)) {
      value = branch.thenYield().getOperand(number);
    } else {
      return {};
    }
  }
}

// Tells LLVM of a whole slice its size, and the start that vectors rely on.
void DescribeSlice(mlir::NamedAttrList& argument, mlir::RankedTensorType type) {
  if (!argument.get(ir::kSliceAttribute)) return;
  mlir::Builder b(type.getContext());
  argument.set(LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(kBufferAlignment));
  const int64_t bytes = type.getNumElements() * (type.getElementType().getIntOrFloatBitWidth() / 8);
  if (bytes != 0)
    argument.set(LLVM::LLVMDialect::getDereferenceableAttrName(), b.getI64IntegerAttr(bytes));
}

class TensorLowering {
 public:
  TensorLowering(mlir::ModuleOp module, Target target)
      : module_(module), constant_space_(target == Target::kNvptx ? 1 : 4) {}

  mlir::LogicalResult Run() {
    for (auto function : module_.getOps<func::FuncOp>()) {
      if (!function.isExternal() && mlir::failed(LowerFunction(function))) return mlir::failure();
    }
    return mlir::success();
  }

 private:
  mlir::LogicalResult LowerFunction(func::FuncOp function);
  // Everything in a function that deals with tensors, inner ops before outer ones: accesses,
  // what carries tensors, and where they come from.
  struct TensorOps {
    llvm::SmallVector<mlir::Operation*> accesses, structure, origins;
  };
  mlir::LogicalResult Collect(func::FuncOp function, TensorOps& ops);
  mlir::LogicalResult LowerAccess(mlir::Operation* op, func::FuncOp function);
  void DropTensors(scf::IfOp branch);
  void DropTensors(scf::ForOp loop);
  void LowerStructure(mlir::Operation* op);
  void FinishSignature(func::FuncOp function);

  Value PointerTo(Builder& b, Value origin);
  Value GenericPointer(Builder& b, LLVM::GlobalOp global);
  LLVM::GlobalOp ConstantArray(mlir::DenseElementsAttr elements);
  LLVM::GlobalOp SharedArray(ir::AllocateSharedOp allocation);

  mlir::ModuleOp module_;
  unsigned constant_space_;
  llvm::MapVector<mlir::Attribute, LLVM::GlobalOp> constants_;
  llvm::MapVector<mlir::Operation*, LLVM::GlobalOp> allocations_;
};

mlir::LogicalResult TensorLowering::Collect(func::FuncOp function, TensorOps& ops) {
  auto walk = function.walk([&](mlir::Operation* op) {
    if (mlir::isa<tensor::ExtractOp, tensor::InsertOp, ir::AtomicRMWOp, vector::TransferReadOp,
                  vector::TransferWriteOp>(op)) {
      ops.accesses.push_back(op);
    } else if (mlir::isa<ir::SyncThreadsOp>(op)) {
      ops.structure.push_back(op);
    } else if (llvm::any_of(op->getResultTypes(), IsTensor)) {
      bool origin = mlir::isa<arith::ConstantOp, ir::AllocateSharedOp>(op);
      if (!origin && !mlir::isa<scf::IfOp, scf::ForOp>(op)) {
        op->emitError("an op on tensors that has no lowering");
        return mlir::WalkResult::interrupt();
      }
      (origin ? ops.origins : ops.structure).push_back(op);
    }
    return mlir::WalkResult::advance();
  });
  return mlir::failure(walk.wasInterrupted());
}

mlir::LogicalResult TensorLowering::LowerFunction(func::FuncOp function) {
  TensorOps ops;
  if (mlir::failed(Collect(function, ops))) return mlir::failure();
  for (mlir::Operation* op : ops.accesses) {
    if (mlir::failed(LowerAccess(op, function))) return mlir::failure();
  }
  for (mlir::Operation* op : ops.structure) LowerStructure(op);
  for (mlir::Operation* op : ops.origins) op->erase();  // used by none by now
  FinishSignature(function);
  return mlir::success();
}

// Results are written and never read, unless they are updated in place. They are the last
// arguments.
mlir::LogicalResult TensorLowering::LowerAccess(mlir::Operation* op, func::FuncOp function) {
  auto insert = mlir::dyn_cast<tensor::InsertOp>(op);
  auto extract = mlir::dyn_cast<tensor::ExtractOp>(op);
  auto atomic = mlir::dyn_cast<ir::AtomicRMWOp>(op);
  auto vector_read = mlir::dyn_cast<vector::TransferReadOp>(op);
  auto vector_write = mlir::dyn_cast<vector::TransferWriteOp>(op);
  Value origin = OriginOf(insert        ? Value(insert.getDest())
                          : extract     ? Value(extract.getTensor())
                          : atomic      ? Value(atomic.getTensor())
                          : vector_read ? Value(vector_read.getBase())
                                        : Value(vector_write.getBase()));
  if (!origin) return op->emitError("accesses a tensor that is no buffer");
  auto outputs = llvm::count_if(function.getResultTypes(), IsTensor);
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(origin);
  bool output = argument && argument.getArgNumber() + outputs >= function.getNumArguments();
  bool in_place = output && function.getArgAttr(argument.getArgNumber(), ir::kAliasAttribute);
  bool reads = extract || vector_read, writes = insert || vector_write;
  if (reads && output && !in_place) return op->emitError("reads an output");
  if (atomic && !in_place) return op->emitError("updates what has no value");
  bool shared = origin.getDefiningOp<ir::AllocateSharedOp>() != nullptr;
  if (writes && !output && !shared) return op->emitError("writes what is no output");
  Builder b(op->getLoc(), op);
  TensorBuffer buffer{PointerTo(b, origin), mlir::cast<mlir::RankedTensorType>(origin.getType())};
  if (extract) emit::LowerAccess(extract, buffer);
  if (insert) emit::LowerAccess(insert, buffer);
  if (atomic) emit::LowerAccess(atomic, buffer);
  if (vector_read) emit::LowerAccess(vector_read, buffer);
  if (vector_write) emit::LowerAccess(vector_write, buffer);
  return mlir::success();
}

void TensorLowering::LowerStructure(mlir::Operation* op) {
  if (auto branch = mlir::dyn_cast<scf::IfOp>(op)) return DropTensors(branch);
  if (auto loop = mlir::dyn_cast<scf::ForOp>(op)) return DropTensors(loop);
  if (auto sync = mlir::dyn_cast<ir::SyncThreadsOp>(op)) {
    Builder b(op->getLoc(), op);
    mlir::gpu::BarrierOp::create(b);
    sync.replaceAllUsesWith(sync.getTensors());
    op->erase();
  }
}

void TensorLowering::DropTensors(scf::IfOp branch) {
  llvm::SmallVector<mlir::Type> kept;
  for (mlir::OpResult result : branch.getResults()) {
    if (!IsTensorValue(result)) {
      kept.push_back(result.getType());
      continue;
    }
    // Both sides yield the one buffer.
    result.replaceAllUsesWith(branch.thenYield().getOperand(result.getResultNumber()));
  }
  for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()}) {
    llvm::SmallVector<Value> operands;
    for (Value operand : yield.getOperands()) {
      if (!IsTensorValue(operand)) operands.push_back(operand);
    }
    yield.getResultsMutable().assign(operands);
  }
  Builder b(branch.getLoc(), branch);
  auto bare = scf::IfOp::create(b, kept, branch.getCondition(), /*addThenBlock=*/false,
                                /*addElseBlock=*/false);
  bare.getThenRegion().takeBody(branch.getThenRegion());
  bare.getElseRegion().takeBody(branch.getElseRegion());
  unsigned next = 0;
  for (mlir::OpResult result : branch.getResults()) {
    if (!IsTensorValue(result)) result.replaceAllUsesWith(bare.getResult(next++));
  }
  branch.erase();
}

void TensorLowering::DropTensors(scf::ForOp loop) {
  mlir::IRRewriter rewriter(loop);
  llvm::SmallVector<Value> kept;
  for (Value init : loop.getInits()) {
    if (!IsTensorValue(init)) kept.push_back(init);
  }
  auto bare = scf::ForOp::create(rewriter, loop.getLoc(), loop.getLowerBound(),
                                 loop.getUpperBound(), loop.getStep(), kept);
  if (kept.empty()) rewriter.eraseOp(bare.getBody()->getTerminator());
  llvm::SmallVector<Value> arguments = {bare.getInductionVar()}, results, yielded;
  unsigned next = 0;
  auto yield = mlir::cast<scf::YieldOp>(loop.getBody()->getTerminator());
  for (auto [init, operand] : llvm::zip(loop.getInits(), yield.getOperands())) {
    if (IsTensorValue(init)) {
      arguments.push_back(init);
      results.push_back(init);
    } else {
      yielded.push_back(operand);
      arguments.push_back(bare.getRegionIterArg(next));
      results.push_back(bare.getResult(next++));
    }
  }
  yield.getResultsMutable().assign(yielded);
  rewriter.mergeBlocks(loop.getBody(), bare.getBody(), arguments);
  rewriter.replaceOp(loop, results);
}

void TensorLowering::FinishSignature(func::FuncOp function) {
  auto pointer = LLVM::LLVMPointerType::get(function.getContext());
  ir::ArgumentAttributes attributes(function);
  for (mlir::BlockArgument argument : function.getArguments()) {
    if (!IsTensorValue(argument)) continue;
    DescribeSlice(attributes[argument.getArgNumber()],
                  mlir::cast<mlir::RankedTensorType>(argument.getType()));
    argument.setType(pointer);
  }
  attributes.Remove(ir::kAliasAttribute);
  attributes.Write();
  function.walk([&](func::ReturnOp ret) {
    llvm::SmallVector<Value> operands;
    for (auto [operand, type] :
         llvm::zip(ret.getOperands(), function.getFunctionType().getResults())) {
      if (!IsTensor(type)) operands.push_back(operand);
    }
    ret.getOperandsMutable().assign(operands);
  });
  llvm::SmallVector<mlir::Type> results;
  mlir::FunctionType signature = function.getFunctionType();
  for (mlir::Type type : signature.getResults()) {
    if (!IsTensor(type)) results.push_back(type);
  }
  function.setType(mlir::FunctionType::get(
      function.getContext(), mlir::TypeRange(function.getBody().getArgumentTypes()), results));
}

// An argument's type becomes a pointer when the function is done.
Value TensorLowering::PointerTo(Builder& b, Value origin) {
  if (auto constant = origin.getDefiningOp<arith::ConstantOp>()) {
    return GenericPointer(b,
                          ConstantArray(mlir::cast<mlir::DenseElementsAttr>(constant.getValue())));
  }
  if (auto allocation = origin.getDefiningOp<ir::AllocateSharedOp>()) {
    return GenericPointer(b, SharedArray(allocation));
  }
  return origin;
}

Value TensorLowering::GenericPointer(Builder& b, LLVM::GlobalOp global) {
  Value address = LLVM::AddressOfOp::create(b, global);
  return LLVM::AddrSpaceCastOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), address);
}

LLVM::GlobalOp TensorLowering::ConstantArray(mlir::DenseElementsAttr elements) {
  LLVM::GlobalOp& global = constants_[elements];
  if (!global) {
    mlir::Type element = elements.getElementType();
    int64_t count = elements.getNumElements();
    Builder b(module_.getLoc(), module_.getContext());
    b.setInsertionPointToStart(module_.getBody());
    std::string name = "array_constant_" + std::to_string(constants_.size());
    global = LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(element, count),
                                    /*isConstant=*/true, LLVM::Linkage::Internal, name,
                                    elements.reshape(mlir::RankedTensorType::get({count}, element)),
                                    kBufferAlignment, constant_space_);
  }
  return global;
}

LLVM::GlobalOp TensorLowering::SharedArray(ir::AllocateSharedOp allocation) {
  LLVM::GlobalOp& global = allocations_[allocation];
  if (!global) {
    auto tensor = mlir::cast<mlir::RankedTensorType>(allocation.getTensor().getType());
    Builder b(module_.getLoc(), module_.getContext());
    b.setInsertionPointToStart(module_.getBody());
    auto type = LLVM::LLVMArrayType::get(tensor.getElementType(), tensor.getNumElements());
    std::string name = "shared_memory_" + std::to_string(allocations_.size());
    global = LLVM::GlobalOp::create(b, type, /*isConstant=*/false, LLVM::Linkage::Internal, name,
                                    mlir::Attribute(), kBufferAlignment, kSharedSpace);
    b.createBlock(&global.getInitializerRegion());
    LLVM::ReturnOp::create(b, LLVM::UndefOp::create(b, type));
  }
  return global;
}

class LowerTensorsPass
    : public mlir::PassWrapper<LowerTensorsPass, mlir::OperationPass<mlir::ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerTensorsPass)
  explicit LowerTensorsPass(Target target) : target_(target) {}
  llvm::StringRef getArgument() const override { return "affirm-lower-tensors"; }
  llvm::StringRef getDescription() const override {
    return "tensors to pointers, shared memory to globals, atomic updates to instructions or loops "
           "of compare-and-exchange, `sync_threads` to `gpu.barrier`";
  }
  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry
        .insert<LLVM::LLVMDialect, arith::ArithDialect, scf::SCFDialect, mlir::gpu::GPUDialect>();
  }

  void runOnOperation() override {
    if (mlir::failed(TensorLowering(getOperation(), target_).Run())) signalPassFailure();
  }

 private:
  Target target_;
};

}  // namespace

std::unique_ptr<mlir::Pass> CreateLowerTensorsPass(Target target) {
  return std::make_unique<LowerTensorsPass>(target);
}

}  // namespace affirm::emit
