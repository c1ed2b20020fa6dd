// Chooses the width of index, writes what is proved on operations, and verifies what is written.
#include "emit/transforms/index_width.h"

#include "emit/transforms/exact_casts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

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
  if (auto shl = mlir::dyn_cast<arith::ShLIOp>(op)) shl.setOverflowFlags(flags);
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
      // A cast that a user declares exact, without a proof, stays an assumption.
      if (proof.exact || IsExact(op)) SetExact(op, proof.exact);
      report.exact_casts += proof.exact;
      report.assumed_casts += IsExact(op) && !proof.exact;
    } else if (mlir::isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp>(op)) {
      WriteFlags(op, proof, report);
    } else if (proof.nonnegative) {
      report.unsigned_divisions += MakeUnsigned(op);
    }
  }
}

// 32 bits where they suffice, by proof; else 64, and why.
IndexWidthBounds ChooseWidth(mlir::ModuleOp module, std::string& refusal) {
  IndexAnalysis narrow = AnalyzeIndices(module, {32, 32}, /*until_unproved=*/true);
  if (narrow.Safe()) return {32, 32};
  refusal = narrow.Reason().text;
  return {64, 64};
}

// A flag or an operation that is only right when something is proved, and is not.
const char* FindUnproved(Operation* op, const IndexAnalysis& analysis) {
  auto found = analysis.proofs.find(op);
  OpProof proof = found == analysis.proofs.end() ? OpProof() : found->second;
  if (auto flags = mlir::dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op)) {
    if (flags.hasNoSignedWrap() && !proof.nsw) return "nsw is not proved";
    if (flags.hasNoUnsignedWrap() && !proof.nuw) return "nuw is not proved";
  }
  if (IsProvedExact(op) && !proof.exact) return "exact is not proved";
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
    auto said = [](auto& option) {
      return option.hasValue() ? std::optional<int64_t>(option.getValue()) : std::nullopt;
    };
    auto wanted = IndexWidthOf({said(width_), said(least_), said(most_)});
    if (!wanted) {
      getOperation().emitError("the options: ") << llvm::toString(wanted.takeError());
      return signalPassFailure();
    }
    DeclareIndexWidthOptions options{*wanted, require_proof_, update_dlti_};
    if (mlir::failed(DeclareIndexWidth(getOperation(), options))) signalPassFailure();
  }

 private:
  Option<int64_t> width_{*this, "width",
                         llvm::cl::desc("bits of index; without width, least and most: by proof")};
  Option<int64_t> least_{*this, "least", llvm::cl::desc("the fewest bits; without: 1")};
  Option<int64_t> most_{*this, "most", llvm::cl::desc("the most bits; without: no end")};
  Option<bool> require_proof_{
      *this, "require-proof",
      llvm::cl::desc("fail where something is not proved at a width below 64 bits"),
      llvm::cl::init(false)};
  Option<bool> update_dlti_{*this, "update-dlti",
                            llvm::cl::desc("declare the width in the data layout"),
                            llvm::cl::init(true)};
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

llvm::FailureOr<IndexWidthReport> DeclareIndexWidth(mlir::ModuleOp module,
                                                    const DeclareIndexWidthOptions& options) {
  auto declared = DeclaredIndexWidth(module);
  if (mlir::failed(declared)) return mlir::failure();
  if (*declared && options.wanted && *declared != options.wanted) {
    return module.emitError("the data layout declares another width of index");
  }
  std::optional<IndexWidthBounds> asked = *declared ? *declared : options.wanted;
  IndexWidthReport report;
  if (asked || !options.update_layout) {
    report.width = asked.value_or(IndexWidthBounds());
  } else {
    report.width = ChooseWidth(module, report.refusal);
  }
  IndexAnalysis analysis = AnalyzeIndices(module, report.width);
  report.proved = analysis.Safe();
  if (asked && !analysis.Safe()) {
    const UnprovedIndex& first = analysis.Reason();
    report.refusal = first.text;
    if (options.require_proof && asked->least < 64) {
      return first.op->emitError("index does not do with ")
             << asked->least << " bits: " << first.text;
    }
  }
  if (options.update_layout && !*declared) SetDeclaredIndexWidth(module, report.width);
  Write(analysis, report);
  return report;
}

llvm::LogicalResult VerifyIndexProofs(mlir::ModuleOp module) {
  auto width = DeclaredIndexWidth(module);
  if (mlir::failed(width)) return mlir::failure();
  IndexAnalysis analysis = AnalyzeIndices(module, width->value_or(IndexWidthBounds()));
  bool ok = true;
  module.walk([&](Operation* op) {
    if (IsExact(op) && !IsProvedExact(op)) op->emitRemark("exact is assumed here, not proved");
    const char* problem = FindUnproved(op, analysis);
    if (!problem) return;
    auto why = llvm::find_if(analysis.unproved, [&](const UnprovedIndex& u) { return u.op == op; });
    op->emitError(problem) << (why == analysis.unproved.end() ? "" : ": " + why->text);
    ok = false;
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
  mlir::registerPass(CreateReadExactPass);
}

}  // namespace affirm::emit
