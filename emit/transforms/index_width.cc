// Chooses the width of index, writes what is proved on operations, and verifies what is written.
#include "emit/transforms/index_width.h"

#include "emit/transforms/exact_casts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

namespace affirm::emit {
namespace {

namespace arith = mlir::arith;
using mlir::Operation;

// Sets the flags that are proved and takes away those that are not.
void WriteFlags(Operation* op, const OpProof& proof, IndexWidthReport& report) {
  auto flags = arith::IntegerOverflowFlags::none;
  if (proof.nsw) flags = flags | arith::IntegerOverflowFlags::nsw;
  if (proof.nuw) flags = flags | arith::IntegerOverflowFlags::nuw;
  if (auto add = mlir::dyn_cast<arith::AddIOp>(op)) add.setOverflowFlags(flags);
  if (auto sub = mlir::dyn_cast<arith::SubIOp>(op)) sub.setOverflowFlags(flags);
  if (auto mul = mlir::dyn_cast<arith::MulIOp>(op)) mul.setOverflowFlags(flags);
  if (flags != arith::IntegerOverflowFlags::none) ++report.no_wrap;
}

// x divs y, floordiv y and rems y as unsigned operations.
bool MakeUnsigned(Operation* op) {
  mlir::ImplicitLocOpBuilder b(op->getLoc(), op);
  mlir::Value x = op->getOperand(0), y = op->getOperand(1), result;
  if (mlir::isa<arith::DivSIOp, arith::FloorDivSIOp>(op)) result = arith::DivUIOp::create(b, x, y);
  if (mlir::isa<arith::RemSIOp>(op)) result = arith::RemUIOp::create(b, x, y);
  if (mlir::isa<arith::CeilDivSIOp>(op)) result = arith::CeilDivUIOp::create(b, x, y);
  if (!result) return false;
  op->replaceAllUsesWith(mlir::ValueRange{result});
  op->erase();
  return true;
}

void Write(const IndexAnalysis& analysis, IndexWidthReport& report) {
  for (const auto& [op, proof] : analysis.proofs) {
    if (mlir::isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
      SetExact(op, proof.exact);
      report.exact_casts += proof.exact;
    } else if (mlir::isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op)) {
      WriteFlags(op, proof, report);
    } else if (proof.nonnegative) {
      report.unsigned_divisions += MakeUnsigned(op);
    }
  }
}

bool SameWidth(IndexWidthBounds a, IndexWidthBounds b) {
  return a.least == b.least && a.most == b.most;
}

// A flag or an operation that is only right when something is proved, and is not.
const char* FindUnproved(Operation* op, const IndexAnalysis& analysis) {
  auto found = analysis.proofs.find(op);
  OpProof proof = found == analysis.proofs.end() ? OpProof() : found->second;
  if (auto flags = mlir::dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op)) {
    if (flags.hasNoSignedWrap() && !proof.nsw) return "nsw is not proved";
    if (flags.hasNoUnsignedWrap() && !proof.nuw) return "nuw is not proved";
  }
  if (IsExact(op) && !proof.exact) return "exact is not proved";
  bool divides = mlir::isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op);
  if (divides && op->getResult(0).getType().isIndex() && !proof.nonnegative) {
    return "nothing proves that an unsigned division of index values may be one";
  }
  return nullptr;
}

class DeclareIndexWidthPass
    : public mlir::PassWrapper<DeclareIndexWidthPass, mlir::OperationPass<mlir::ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DeclareIndexWidthPass)
  DeclareIndexWidthPass() = default;
  DeclareIndexWidthPass(const DeclareIndexWidthPass& other) : PassWrapper(other) {}
  llvm::StringRef getArgument() const override { return "affirm-declare-index-width"; }
  llvm::StringRef getDescription() const override {
    return "declare how many bits index has, and write what is proved on operations";
  }
  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<arith::ArithDialect, mlir::DLTIDialect, IndexDialect>();
  }

  void runOnOperation() override {
    std::optional<IndexWidthBounds> wanted;
    if (width_ > 0) wanted = {width_, width_};
    if (least_ > 0 && most_ >= least_) wanted = {least_, most_};
    if (wanted && (wanted->least < 2 || wanted->most > 64)) {
      getOperation().emitError("an index has 2 to 64 bits");
      return signalPassFailure();
    }
    if (mlir::failed(DeclareIndexWidth(getOperation(), wanted))) signalPassFailure();
  }

 private:
  Option<unsigned> width_{*this, "width", llvm::cl::desc("bits of index; 0: by proof"),
                          llvm::cl::init(0)};
  Option<unsigned> least_{*this, "least", llvm::cl::desc("the fewest bits"), llvm::cl::init(0)};
  Option<unsigned> most_{*this, "most", llvm::cl::desc("the most bits"), llvm::cl::init(0)};
};

class VerifyIndexProofsPass
    : public mlir::PassWrapper<VerifyIndexProofsPass, mlir::OperationPass<mlir::ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyIndexProofsPass)
  llvm::StringRef getArgument() const override { return "affirm-verify-index-proofs"; }
  llvm::StringRef getDescription() const override {
    return "prove again each nsw, nuw, exact and unsigned division of index values";
  }
  void runOnOperation() override {
    if (mlir::failed(VerifyIndexProofs(getOperation()))) signalPassFailure();
  }
};

}  // namespace

std::optional<IndexWidthBounds> DeclaredIndexWidth(mlir::ModuleOp module) {
  auto spec =
      module->getAttrOfType<mlir::DataLayoutSpecInterface>(mlir::DLTIDialect::kDataLayoutAttrName);
  if (!spec) return std::nullopt;
  IndexWidthBounds width{0, 0};
  for (mlir::DataLayoutEntryInterface entry : spec.getEntries()) {
    auto value = mlir::dyn_cast<mlir::IntegerAttr>(entry.getValue());
    if (!value) continue;
    auto bits = static_cast<unsigned>(value.getInt());
    if (auto type = mlir::dyn_cast<mlir::Type>(entry.getKey())) {
      if (type.isIndex()) width = {bits, bits};
    } else if (auto key = mlir::dyn_cast<mlir::StringAttr>(entry.getKey())) {
      if (key == kLeastIndexBits) width.least = bits;
      if (key == kMostIndexBits) width.most = bits;
    }
  }
  if (width.least == 0 || width.most < width.least) return std::nullopt;
  return width;
}

void SetDeclaredIndexWidth(mlir::ModuleOp module, IndexWidthBounds width) {
  mlir::MLIRContext* context = module.getContext();
  mlir::Builder b(context);
  llvm::SmallVector<mlir::DataLayoutEntryInterface> entries;
  if (auto spec = module->getAttrOfType<mlir::DataLayoutSpecInterface>(
          mlir::DLTIDialect::kDataLayoutAttrName)) {
    entries.append(spec.getEntries().begin(), spec.getEntries().end());
  }
  auto bits = [&](unsigned n) { return b.getI32IntegerAttr(static_cast<int32_t>(n)); };
  auto add = [&](llvm::StringRef key, unsigned n) {
    entries.push_back(mlir::DataLayoutEntryAttr::get(b.getStringAttr(key), bits(n)));
  };
  if (width.least == width.most) {
    entries.push_back(mlir::DataLayoutEntryAttr::get(b.getIndexType(), bits(width.least)));
  } else {
    add(kLeastIndexBits, width.least);
    add(kMostIndexBits, width.most);
  }
  module->setAttr(mlir::DLTIDialect::kDataLayoutAttrName,
                  mlir::DataLayoutSpecAttr::get(context, entries));
}

llvm::FailureOr<IndexWidthReport> DeclareIndexWidth(mlir::ModuleOp module,
                                                    std::optional<IndexWidthBounds> wanted) {
  std::optional<IndexWidthBounds> declared = DeclaredIndexWidth(module);
  if (declared && wanted && !SameWidth(*declared, *wanted)) {
    return module.emitError("the data layout declares another width of index");
  }
  if (declared) wanted = declared;
  IndexWidthReport report{.width = wanted.value_or(IndexWidthBounds{32, 32})};
  IndexAnalysis analysis = AnalyzeIndices(module, report.width, /*until_unproved=*/true);
  if (!analysis.Safe()) {
    const UnprovedIndex& first = analysis.Reason();
    report.refusal = first.text;
    if (wanted && wanted->least < 64) {
      return first.op->emitError("index does not do with ")
             << wanted->least << " bits: " << first.text;
    }
    report.width = {64, 64};
    analysis = AnalyzeIndices(module, report.width);
    if (wanted) report.refusal = analysis.Safe() ? "" : analysis.Reason().text;
  }
  report.proved = analysis.Safe();
  if (!declared) SetDeclaredIndexWidth(module, report.width);
  Write(analysis, report);
  return report;
}

llvm::LogicalResult VerifyIndexProofs(mlir::ModuleOp module) {
  IndexWidthBounds width = DeclaredIndexWidth(module).value_or(IndexWidthBounds{64, 64});
  IndexAnalysis analysis = AnalyzeIndices(module, width);
  if (!analysis.Safe() && width.least < 64) {
    const UnprovedIndex& first = analysis.Reason();
    return first.op->emitError("not proved at the declared width: ") << first.text;
  }
  bool ok = true;
  module.walk([&](Operation* op) {
    if (const char* problem = FindUnproved(op, analysis)) {
      op->emitError(problem);
      ok = false;
    }
  });
  return mlir::success(ok);
}

std::unique_ptr<mlir::Pass> CreateDeclareIndexWidthPass() {
  return std::make_unique<DeclareIndexWidthPass>();
}

std::unique_ptr<mlir::Pass> CreateVerifyIndexProofsPass() {
  return std::make_unique<VerifyIndexProofsPass>();
}

void RegisterIndexWidthPasses() {
  mlir::registerPass(CreateDeclareIndexWidthPass);
  mlir::registerPass(CreateVerifyIndexProofsPass);
  mlir::registerPass(CreateFoldExactCastsPass);
}

}  // namespace affirm::emit
