#include "emit/lower_tensors.h"

#include "emit/scalar.h"
#include "llvm/ADT/MapVector.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace affirm::emit {
namespace {

namespace arith = mlir::arith;
namespace func = mlir::func;
namespace scf = mlir::scf;
namespace tensor = mlir::tensor;
namespace LLVM = mlir::LLVM;
using mlir::Value;

bool IsTensor(mlir::Type type) { return mlir::isa<mlir::RankedTensorType>(type); }
bool IsTensorValue(Value value) { return IsTensor(value.getType()); }

// One access to a tensor: the buffer, and the element's position in it.
struct Access {
  Value pointer;
  Value linear;  // i64
  Value inside;  // null: unchecked
  mlir::RankedTensorType type;
};

class TensorLowering {
 public:
  TensorLowering(mlir::ModuleOp module, LowerTensorsOptions options)
      : module_(module), options_(options) {}

  mlir::LogicalResult Run() {
    llvm::SmallVector<func::FuncOp> functions(module_.getOps<func::FuncOp>());
    if (options_.checked) AddChecker();
    for (auto [number, function] : llvm::enumerate(functions)) {
      function_number_ = static_cast<int64_t>(number);
      if (mlir::failed(LowerFunction(function))) return mlir::failure();
    }
    return mlir::success();
  }

 private:
  mlir::LogicalResult LowerFunction(func::FuncOp function);
  void LowerExtract(tensor::ExtractOp extract);
  void LowerInsert(tensor::InsertOp insert);
  void DropTensorResults(scf::IfOp branch);
  void FinishSignature(func::FuncOp function);

  Access MakeAccess(Builder& b, Value tensor, mlir::ValueRange indices, bool store);
  Value Element(Builder& b, const Access& access) {
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    return LLVM::GEPOp::create(b, pointer, access.type.getElementType(), access.pointer,
                               llvm::ArrayRef<LLVM::GEPArg>{access.linear});
  }
  Value PointerTo(Builder& b, Value tensor);
  Value ConstantArray(Builder& b, mlir::DenseElementsAttr elements);
  void AddChecker();

  mlir::ModuleOp module_;
  LowerTensorsOptions options_;
  int64_t function_number_ = 0;
  llvm::MapVector<mlir::Attribute, LLVM::GlobalOp> globals_;
};

mlir::LogicalResult TensorLowering::LowerFunction(func::FuncOp function) {
  llvm::SmallVector<tensor::ExtractOp> extracts;
  llvm::SmallVector<tensor::InsertOp> inserts;
  llvm::SmallVector<scf::IfOp> branches;
  llvm::SmallVector<arith::ConstantOp> constants;
  auto walk = function.walk([&](mlir::Operation* op) {
    bool touches = llvm::any_of(op->getResultTypes(), IsTensor);
    if (auto extract = mlir::dyn_cast<tensor::ExtractOp>(op)) {
      extracts.push_back(extract);
    } else if (auto insert = mlir::dyn_cast<tensor::InsertOp>(op)) {
      inserts.push_back(insert);
    } else if (auto branch = mlir::dyn_cast<scf::IfOp>(op)) {
      if (touches) branches.push_back(branch);
    } else if (auto constant = mlir::dyn_cast<arith::ConstantOp>(op)) {
      if (touches) constants.push_back(constant);
    } else if (touches) {
      op->emitError("an op on tensors that has no lowering");
      return mlir::WalkResult::interrupt();
    }
    return mlir::WalkResult::advance();
  });
  if (walk.wasInterrupted()) return mlir::failure();
  // Results are written, never read (seed 002). They are the last arguments.
  auto outputs = llvm::count_if(function.getResultTypes(), IsTensor);
  for (tensor::ExtractOp extract : extracts) {
    auto argument = mlir::dyn_cast<mlir::BlockArgument>(extract.getTensor());
    bool input = argument && argument.getArgNumber() + outputs < function.getNumArguments();
    if (!input && !extract.getTensor().getDefiningOp<arith::ConstantOp>()) {
      return extract.emitError("reads an output");
    }
    LowerExtract(extract);
  }
  for (tensor::InsertOp insert : inserts) LowerInsert(insert);
  for (scf::IfOp branch : branches) DropTensorResults(branch);  // inner ones come first in a walk
  for (arith::ConstantOp constant : constants) constant.erase();
  FinishSignature(function);
  return mlir::success();
}

Access TensorLowering::MakeAccess(Builder& b, Value tensor, mlir::ValueRange indices, bool store) {
  Access access;
  access.type = mlir::cast<mlir::RankedTensorType>(tensor.getType());
  access.pointer = PointerTo(b, tensor);
  mlir::Type i64 = b.getI64Type();
  auto constant = [&](int64_t v) { return IntConstant(b, i64, v); };
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(tensor);
  Value linear = constant(0);
  for (auto [d, index] : llvm::enumerate(indices)) {
    Value at = arith::IndexCastOp::create(b, i64, index);
    Value size = constant(access.type.getDimSize(d));
    linear = arith::AddIOp::create(b, arith::MulIOp::create(b, linear, size), at);
    if (!options_.checked) continue;
    llvm::SmallVector<Value> record = {constant(function_number_),
                                       constant(argument ? argument.getArgNumber() : -1),
                                       constant(store),
                                       constant(static_cast<int64_t>(d)),
                                       at,
                                       size};
    Value ok = func::CallOp::create(b, kBoundsCheck, b.getI1Type(), record).getResult(0);
    access.inside = access.inside ? Value(arith::AndIOp::create(b, access.inside, ok)) : ok;
  }
  access.linear = linear;
  return access;
}

void TensorLowering::LowerExtract(tensor::ExtractOp extract) {
  Builder b(extract.getLoc(), extract);
  Access access = MakeAccess(b, extract.getTensor(), extract.getIndices(), /*store=*/false);
  if (access.inside) {
    Value zero = IntConstant(b, b.getI64Type(), 0);
    access.linear = arith::SelectOp::create(b, access.inside, access.linear, zero);
  }
  Value loaded = LLVM::LoadOp::create(b, access.type.getElementType(), Element(b, access));
  extract.replaceAllUsesWith(loaded);
  extract.erase();
}

void TensorLowering::LowerInsert(tensor::InsertOp insert) {
  Builder b(insert.getLoc(), insert);
  Access access = MakeAccess(b, insert.getDest(), insert.getIndices(), /*store=*/true);
  if (access.inside) {
    auto branch = scf::IfOp::create(b, access.inside, /*withElseRegion=*/false);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
  }
  LLVM::StoreOp::create(b, insert.getScalar(), Element(b, access));
  if (options_.checked) {
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    mlir::Type i8 = b.getI8Type();
    int64_t bytes =
        access.type.getNumElements() * (access.type.getElementType().getIntOrFloatBitWidth() / 8);
    Value counts =
        LLVM::GEPOp::create(b, pointer, i8, access.pointer,
                            llvm::ArrayRef<LLVM::GEPArg>{IntConstant(b, b.getI64Type(), bytes)});
    Value count =
        LLVM::GEPOp::create(b, pointer, i8, counts, llvm::ArrayRef<LLVM::GEPArg>{access.linear});
    Value before = LLVM::LoadOp::create(b, i8, count);
    // Stays at 255, so that no number of writes looks like none.
    Value full = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, before, IntConstant(b, i8, -1));
    Value step = arith::SelectOp::create(b, full, IntConstant(b, i8, 0), IntConstant(b, i8, 1));
    LLVM::StoreOp::create(b, arith::AddIOp::create(b, before, step), count);
  }
  insert.replaceAllUsesWith(insert.getDest());
  insert.erase();
}

void TensorLowering::DropTensorResults(scf::IfOp branch) {
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

void TensorLowering::FinishSignature(func::FuncOp function) {
  auto pointer = LLVM::LLVMPointerType::get(function.getContext());
  for (mlir::BlockArgument argument : function.getArguments()) {
    if (IsTensorValue(argument)) argument.setType(pointer);
  }
  function.walk([&](func::ReturnOp ret) {
    llvm::SmallVector<Value> operands;
    for (auto [operand, type] :
         llvm::zip(ret.getOperands(), function.getFunctionType().getResults())) {
      if (!IsTensor(type)) operands.push_back(operand);
    }
    ret.getOperandsMutable().assign(operands);
  });
  llvm::SmallVector<mlir::Type> results;
  for (mlir::Type type : function.getFunctionType().getResults()) {
    if (!IsTensor(type)) results.push_back(type);
  }
  function.setType(mlir::FunctionType::get(
      function.getContext(), mlir::TypeRange(function.getBody().getArgumentTypes()), results));
}

Value TensorLowering::PointerTo(Builder& b, Value tensor) {
  if (auto constant = tensor.getDefiningOp<arith::ConstantOp>()) {
    return ConstantArray(b, mlir::cast<mlir::DenseElementsAttr>(constant.getValue()));
  }
  return tensor;  // an argument; its type becomes a pointer when the function is done
}

Value TensorLowering::ConstantArray(Builder& b, mlir::DenseElementsAttr elements) {
  LLVM::GlobalOp& global = globals_[elements];
  unsigned space = options_.constant_address_space;
  if (!global) {
    mlir::Type element = elements.getElementType();
    int64_t count = elements.getNumElements();
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module_.getBody());
    std::string name = "array_constant_" + std::to_string(globals_.size());
    global = LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(element, count),
                                    /*isConstant=*/true, LLVM::Linkage::Internal, name,
                                    elements.reshape(mlir::RankedTensorType::get({count}, element)),
                                    /*alignment=*/0, space);
  }
  Value address = LLVM::AddressOfOp::create(b, global);
  if (space == 0) return address;
  return LLVM::AddrSpaceCastOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), address);
}

// func @affirm_bounds(function, buffer, store, dimension, index, size) -> i1
void TensorLowering::AddChecker() {
  Builder b(module_.getLoc(), module_.getContext());
  b.setInsertionPointToEnd(module_.getBody());
  mlir::Type i64 = b.getI64Type();
  auto array = LLVM::LLVMArrayType::get(i64, sizeof(FaultRecord) / sizeof(int64_t));
  auto record = LLVM::GlobalOp::create(b, array, /*isConstant=*/false, LLVM::Linkage::External,
                                       kFaultRecord, b.getZeroAttr(i64));
  record.removeValueAttr();
  {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.createBlock(&record.getInitializerRegion());
    LLVM::ReturnOp::create(b, LLVM::ZeroOp::create(b, array));
  }
  llvm::SmallVector<mlir::Type> inputs(6, i64);
  auto check = func::FuncOp::create(b, kBoundsCheck, b.getFunctionType(inputs, b.getI1Type()));
  check.setPrivate();
  b.setInsertionPointToStart(check.addEntryBlock());
  Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, check.getArgument(4),
                                       check.getArgument(5));
  Value address = LLVM::AddressOfOp::create(b, record);
  Value happened = LLVM::LoadOp::create(b, i64, address);
  Value first =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, happened, IntConstant(b, i64, 0));
  Value outside = arith::XOrIOp::create(b, inside, IntConstant(b, b.getI1Type(), 1));
  auto branch = scf::IfOp::create(b, arith::AndIOp::create(b, outside, first), false);
  {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    LLVM::StoreOp::create(b, IntConstant(b, i64, 1), address);
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    for (int32_t i = 0; i < 6; ++i) {
      Value field =
          LLVM::GEPOp::create(b, pointer, i64, address, llvm::ArrayRef<LLVM::GEPArg>{i + 1});
      LLVM::StoreOp::create(b, check.getArgument(i), field);
    }
  }
  func::ReturnOp::create(b, inside);
}

class LowerTensorsPass
    : public mlir::PassWrapper<LowerTensorsPass, mlir::OperationPass<mlir::ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerTensorsPass)
  explicit LowerTensorsPass(LowerTensorsOptions options) : options_(options) {}
  llvm::StringRef getArgument() const override { return "affirm-lower-tensors"; }
  llvm::StringRef getDescription() const override { return "tensors to pointers"; }

  void runOnOperation() override {
    if (mlir::failed(TensorLowering(getOperation(), options_).Run())) signalPassFailure();
  }

 private:
  LowerTensorsOptions options_;
};

}  // namespace

std::unique_ptr<mlir::Pass> CreateLowerTensorsPass(LowerTensorsOptions options) {
  return std::make_unique<LowerTensorsPass>(options);
}

}  // namespace affirm::emit
