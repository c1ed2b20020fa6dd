// Faults injected into emitted kernels: each is caught under every seed that is tried, because the
// result differs from the interpreter's or because the SIMT emulator reports an error.
#include "emit/codegen/kernel_impl.h"
#include "emit/elements/scalar.h"
#include "emit/ir/dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "tests/emit/kernel_testing.h"
#include "verify/reference/interpreter.h"

namespace affirm::testing {
namespace {

namespace arith = mlir::arith;
namespace tensor = mlir::tensor;
using mlir::ModuleOp;
using mlir::Value;

// Breaks a kernel; false if there is nothing to break.
using Mutation = bool (*)(ModuleOp);

// The kernels that faults are injected into, one an emitter.
const char* const kFunctions = R"(HloModule m
  add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
  max { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] maximum(a, b) }
)";
const char* const kLoop = R"(ENTRY e {
  p = s32[9,40] parameter(0)
  q = s32[9,40] parameter(1)
  ROOT s = s32[9,40] subtract(p, q)
})";
const char* const kTranspose = R"(ENTRY e {
  p = s32[36,40] parameter(0)
  q = s32[40,36] parameter(1)
  t = s32[40,36] transpose(p), dimensions={1,0}
  ROOT s = s32[40,36] subtract(t, q)
})";
const char* const kRow = R"(ENTRY e {
  p = s32[3,1500] parameter(0)
  z = s32[] constant(5)
  ROOT r = s32[3] reduce(p, z), dimensions={1}, to_apply=add
})";
const char* const kColumn = R"(ENTRY e {
  p = s32[50,40] parameter(0)
  z = s32[] constant(5)
  ROOT r = s32[40] reduce(p, z), dimensions={0}, to_apply=add
})";
const char* const kSmallColumn = R"(ENTRY e {
  p = s32[600,4] parameter(0)
  z = s32[] constant(5)
  ROOT r = s32[4] reduce(p, z), dimensions={0}, to_apply=add
})";
const char* const kConcatenate = R"(ENTRY e {
  p = s32[5,40] parameter(0)
  q = s32[7,40] parameter(1)
  ROOT c = s32[12,40] concatenate(p, q), dimensions={0}
})";
const char* const kUpdate = R"(ENTRY e {
  p = s32[20] parameter(0)
  u = s32[16] parameter(1)
  z = s32[] constant(-30)
  ROOT d = s32[20] dynamic-update-slice(p, u, z)
})";
const char* const kScatter = R"(ENTRY e {
  p = s32[6] parameter(0)
  i = s32[40,1] parameter(1)
  u = s32[40] parameter(2)
  ROOT s = s32[6] scatter(p, i, u), update_window_dims={}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
})";

template <typename Op>
llvm::SmallVector<Op> All(ModuleOp module) {
  llvm::SmallVector<Op> ops;
  module.walk([&](Op op) { ops.push_back(op); });
  return ops;
}

// Applies `change` to op `n` of a kind; op 0 is the first of the entry, which stands in front.
template <typename Op>
bool Change(ModuleOp module, size_t n, llvm::function_ref<void(Op)> change) {
  auto ops = All<Op>(module);
  if (n >= ops.size()) return false;
  change(ops[n]);
  return true;
}

// Rewrites the map of loop `n`.
bool ChangeLoopMap(ModuleOp module, size_t n, llvm::function_ref<void(IndexingMap&)> change) {
  return Change<ir::LoopOp>(module, n, [&](ir::LoopOp loop) {
    IndexingMap map = loop.getMap().getMap();
    change(map);
    loop.setMapAttr(ir::MapAttr(module.getContext(), map));
  });
}

bool WidenConstraints(ModuleOp module, size_t loop, int64_t by) {
  return ChangeLoopMap(module, loop, [&](IndexingMap& map) {
    std::vector<Constraint> constraints = map.constraints();
    for (Constraint& c : constraints) c.bounds.upper += by;
    map.SetConstraints(constraints);
  });
}

bool SwappedTileIndex(ModuleOp module) {
  for (tensor::ExtractOp op : All<tensor::ExtractOp>(module)) {
    if (!op.getTensor().getDefiningOp<ir::SyncThreadsOp>()) continue;
    Value first = op.getIndices()[0], second = op.getIndices()[1];
    op->setOperand(1, second);
    op->setOperand(2, first);
    return true;
  }
  return false;
}

bool SwappedIndex(ModuleOp module) {
  return Change<tensor::ExtractOp>(module, 0, [](tensor::ExtractOp op) {
    Value first = op.getIndices()[0], second = op.getIndices()[1];
    op->setOperand(1, second);
    op->setOperand(2, first);
  });
}

bool BoundTooWide(ModuleOp module) { return WidenConstraints(module, 0, 1); }
bool BoundTooNarrow(ModuleOp module) { return WidenConstraints(module, 0, -1); }

bool MissingSync(ModuleOp module) {
  return Change<ir::SyncThreadsOp>(module, 0, [](ir::SyncThreadsOp op) {
    op.replaceAllUsesWith(op.getTensors());
    op.erase();
  });
}

// In front of the writes instead of behind them.
bool EarlySync(ModuleOp module) {
  return Change<ir::SyncThreadsOp>(module, 0, [](ir::SyncThreadsOp op) {
    auto writes = op.getTensors()[0].getDefiningOp<ir::LoopOp>();
    emit::Builder b(op.getLoc(), writes);
    auto early = ir::SyncThreadsOp::create(b, writes.getInits());
    op.replaceAllUsesWith(writes.getResults());
    op.erase();
    writes.getInitsMutable().assign(early.getResults());
  });
}

bool DivergentSync(ModuleOp module) {
  return Change<ir::SyncThreadsOp>(module, 0, [](ir::SyncThreadsOp op) {
    emit::Builder b(op.getLoc(), op);
    Value thread = op->getParentOfType<mlir::func::FuncOp>().getBody().front().front().getResult(0);
    Value some =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, thread, emit::IndexConstant(b, 40));
    auto branch = mlir::scf::IfOp::create(b, some, /*withElseRegion=*/false);
    op.replaceAllUsesWith(op.getTensors());
    op->setOperands(mlir::ValueRange());
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    ir::SyncThreadsOp::create(b, mlir::ValueRange());
    op.erase();
  });
}

bool WrongIdentity(ModuleOp module) {
  for (arith::ConstantOp op : All<arith::ConstantOp>(module)) {
    if (!op.getType().isInteger(32)) continue;
    op.setValueAttr(mlir::IntegerAttr::get(op.getType(), 1));
    return true;
  }
  return false;
}

// The last index of a store through eight bits.
bool WrongWidth(ModuleOp module) {
  return Change<tensor::InsertOp>(module, 0, [](tensor::InsertOp op) {
    emit::Builder b(op.getLoc(), op);
    unsigned last = op->getNumOperands() - 1;
    mlir::Type narrow = b.getIntegerType(5);
    Value cut = arith::IndexCastOp::create(b, narrow, op->getOperand(last));
    op->setOperand(last, arith::IndexCastUIOp::create(b, b.getIndexType(), cut));
  });
}

void SetPredicate(ir::PredicatedExtractOp op, bool value) {
  emit::Builder b(op.getLoc(), op);
  op.getPredicateMutable().assign(emit::IntConstant(b, b.getI1Type(), value));
}
bool DroppedPredicate(ModuleOp module) {
  return Change<ir::PredicatedExtractOp>(
      module, 0, [](ir::PredicatedExtractOp op) { SetPredicate(op, true); });
}
bool FalsePredicate(ModuleOp module) {
  return Change<ir::PredicatedExtractOp>(
      module, 0, [](ir::PredicatedExtractOp op) { SetPredicate(op, false); });
}

bool ShuffleTooShort(ModuleOp module) {
  return Change<ir::ShuffleReduceOp>(module, 0,
                                     [](ir::ShuffleReduceOp op) { op.setFirstDistance(8); });
}
bool ShuffleStopsEarly(ModuleOp module) {
  return Change<ir::ShuffleReduceOp>(module, 0,
                                     [](ir::ShuffleReduceOp op) { op.setLastDistance(2); });
}
bool ShuffleGoesTooFar(ModuleOp module) {
  return Change<ir::ShuffleReduceOp>(module, 0,
                                     [](ir::ShuffleReduceOp op) { op.setLastDistance(1); });
}

bool WrongOperation(ModuleOp module) {
  for (arith::AddIOp op : All<arith::AddIOp>(module)) {
    if (!op.getType().isInteger(32)) continue;
    emit::Builder b(op.getLoc(), op);
    Value other = arith::MaxSIOp::create(b, op.getLhs(), op.getRhs());
    op.replaceAllUsesWith(other);
    op.erase();
    return true;
  }
  return false;
}

bool InitTwice(ModuleOp module) {
  auto calls = All<ir::PureCallOp>(module);
  for (ir::PureCallOp op : calls) {
    if (!op.getCallee().starts_with("combine") || !op->getParentOfType<ir::LoopOp>()) continue;
    if (op.getArguments()[1].getDefiningOp<ir::PureCallOp>()) continue;  // within the reduction
    emit::Builder b(op.getLoc(), op->getNextNode());
    auto again = ir::PureCallOp::create(b, op.getResultTypes(), op.getCallee(),
                                        mlir::ValueRange{op.getArguments()[0], op.getResult(0)});
    op.getResult(0).replaceAllUsesExcept(again.getResult(0), again);
    return true;
  }
  return false;
}

// Every lane stores its partial result where one should.
bool UnconditionalStore(ModuleOp module) {
  return ChangeLoopMap(module, 1, [](IndexingMap& map) { map.SetConstraints({}); });
}

// Several threads write each element of the result.
bool DuplicatedWrite(ModuleOp module) {
  size_t last = All<ir::LoopOp>(module).size() - 1;
  return ChangeLoopMap(module, last, [](IndexingMap& map) {
    map.SetConstraints({});
    map.SetBounds(VarKind::kDim, 0, {0, 255});
  });
}

bool TileTooSmall(ModuleOp module) {
  return Change<ir::AllocateSharedOp>(module, 0, [](ir::AllocateSharedOp op) {
    auto type = mlir::cast<mlir::RankedTensorType>(op.getTensor().getType());
    auto small = mlir::RankedTensorType::get({type.getDimSize(0) - 1, type.getDimSize(1)},
                                             type.getElementType());
    // Everything that carries the tile has its type.
    op->getParentOfType<ModuleOp>().walk([&](mlir::Operation* each) {
      for (Value result : each->getResults()) {
        if (result.getType() == type) result.setType(small);
      }
      for (mlir::Region& region : each->getRegions()) {
        for (Value argument : region.getArguments()) {
          if (argument.getType() == type) argument.setType(small);
        }
      }
    });
  });
}

bool DroppedAtomic(ModuleOp module) {
  return Change<ir::AtomicRMWOp>(module, 0, [](ir::AtomicRMWOp op) {
    emit::Builder b(op.getLoc(), op);
    Value before = tensor::ExtractOp::create(b, op.getTensor(), op.getIndices());
    mlir::Block& body = op.getBody().front();
    body.getArgument(0).replaceAllUsesWith(before);
    Value next = body.getTerminator()->getOperand(0);
    for (mlir::Operation& inner : llvm::make_early_inc_range(body.without_terminator())) {
      inner.moveBefore(op);
    }
    Value after = tensor::InsertOp::create(b, next, op.getTensor(), op.getIndices());
    op.replaceAllUsesWith(after);
    op.erase();
  });
}

bool SignedBoundCheck(ModuleOp module) {
  for (arith::CmpIOp op : All<arith::CmpIOp>(module)) {
    if (op.getPredicate() != arith::CmpIPredicate::ult) continue;
    op.setPredicate(arith::CmpIPredicate::slt);
    return true;
  }
  return false;
}

bool DroppedClamp(ModuleOp module) {
  return Change<arith::MaxSIOp>(module, 0, [](arith::MaxSIOp op) {
    op.replaceAllUsesWith(op.getLhs());
    op.erase();
  });
}

bool WrongOperand(ModuleOp module) {
  return Change<tensor::ExtractOp>(module, 0, [](tensor::ExtractOp op) {
    auto function = op->getParentOfType<mlir::func::FuncOp>();
    for (Value argument : function.getArguments()) {
      if (argument == op.getTensor() || argument.getType() != op.getTensor().getType()) continue;
      op.getTensorMutable().assign(argument);
      return;
    }
  });
}

bool WrongOffset(ModuleOp module) {
  for (ir::ApplyIndexingOp op : All<ir::ApplyIndexingOp>(module)) {
    IndexingMap map = op.getMap().getMap();
    if (map.results().size() != 2) continue;
    map.SetResults({map.results()[0] + 1, map.results()[1]});
    op.setMapAttr(ir::MapAttr(module.getContext(), map));
    return true;
  }
  return false;
}

// An assumption about an index that does not hold: passes that rely on it drop a computation.
bool FalseDomain(ModuleOp module) {
  return ChangeLoopMap(module, 0,
                       [](IndexingMap& map) { map.SetBounds(VarKind::kDim, 1, {0, 0}); });
}

struct Fault {
  const char* name;
  const char* hlo;
  Mutation mutate;
};

const Fault kFaults[] = {
    {"SwappedIndex", kLoop, SwappedIndex},
    {"SwappedTileIndex", kTranspose, SwappedTileIndex},
    {"BoundTooWide", kLoop, BoundTooWide},
    {"BoundTooNarrow", kLoop, BoundTooNarrow},
    {"BoundTooWideInAReduction", kRow, BoundTooWide},
    {"BoundTooNarrowInATranspose", kTranspose, BoundTooNarrow},
    {"FalseDomain", kLoop, FalseDomain},
    {"MissingSync", kTranspose, MissingSync},
    {"MissingSyncInAReduction", kRow, MissingSync},
    {"EarlySync", kTranspose, EarlySync},
    {"DivergentSync", kColumn, DivergentSync},
    {"WrongIdentity", kRow, WrongIdentity},
    {"WrongWidth", kLoop, WrongWidth},
    {"DroppedPredicate", kRow, DroppedPredicate},
    {"FalsePredicate", kColumn, FalsePredicate},
    {"ShuffleTooShort", kRow, ShuffleTooShort},
    {"ShuffleStopsEarly", kRow, ShuffleStopsEarly},
    {"ShuffleGoesTooFar", kSmallColumn, ShuffleGoesTooFar},
    {"WrongOperation", kColumn, WrongOperation},
    {"InitTwice", kColumn, InitTwice},
    {"UnconditionalStore", kSmallColumn, UnconditionalStore},
    {"DuplicatedWrite", kColumn, DuplicatedWrite},
    {"TileTooSmall", kRow, TileTooSmall},
    {"DroppedAtomic", kScatter, DroppedAtomic},
    {"SignedBoundCheck", kScatter, SignedBoundCheck},
    {"DroppedClamp", kUpdate, DroppedClamp},
    {"WrongOperand", kLoop, WrongOperand},
    {"WrongOffset", kConcatenate, WrongOffset},
};

class InjectedFault : public ::testing::TestWithParam<Fault> {};
INSTANTIATE_TEST_SUITE_P(Faults, InjectedFault, ::testing::ValuesIn(kFaults),
                         [](const auto& info) { return info.param.name; });

TEST_P(InjectedFault, IsCaught) {
  EmittedModule emitted = Emit(std::string(kFunctions) + GetParam().hlo);
  ASSERT_TRUE(emitted.kernel) << emitted.error;
  std::vector<hlo::Literal> arguments = hlo::MakeArguments(emitted.entry(), 1);
  auto expected = llvm::cantFail(
      hlo::Interpret(emitted.entry(), arguments, &emitted.kernel->evaluation_orders()));
  ModuleOp module = emitted.kernel->impl().module.get();
  for (bool faulty : {false, true}) {
    if (faulty) {
      ASSERT_TRUE(GetParam().mutate(module));
    }
    ASSERT_TRUE(mlir::succeeded(mlir::verify(module)));
    for (uint64_t seed : {0, 1}) {
      auto actual = emit::RunOnEmulator(*emitted.kernel, arguments, seed);
      std::string error = actual ? "" : llvm::toString(actual.takeError());
      bool right = error.empty() && SameValue(expected, *actual);
      EXPECT_EQ(right, !faulty) << "seed " << seed << ": " << error;
    }
  }
}

}  // namespace
}  // namespace affirm::testing
