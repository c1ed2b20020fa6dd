// The dialect of `exact`, and the rewrites and lowerings that ask for it.
#include "emit/transforms/exact_casts.h"

#include "emit/ir/dialect.h"
#include "emit/transforms/index_layout.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

MLIR_DEFINE_EXPLICIT_TYPE_ID(affirm::emit::IndexDialect)

namespace affirm::emit {
namespace {

namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;

// Bounds of the bits of index in a data layout.
class IndexLayout : public mlir::DataLayoutDialectInterface {
 public:
  using DataLayoutDialectInterface::DataLayoutDialectInterface;
  llvm::LogicalResult verifyEntry(mlir::DataLayoutEntryInterface entry,
                                  mlir::Location loc) const override {
    auto key = mlir::dyn_cast<mlir::StringAttr>(entry.getKey());
    if (!key || (key != kLeastIndexBits && key != kMostIndexBits)) {
      return mlir::emitError(loc, "an unknown data layout entry");
    }
    auto value = mlir::dyn_cast<mlir::IntegerAttr>(entry.getValue());
    if (value && value.getValue().isStrictlyPositive() && value.getValue().ule(kMaxIndexBits)) {
      return mlir::success();
    }
    return mlir::emitError(loc) << key << " expects a number of 1 to " << kMaxIndexBits << " bits";
  }
};

// What `constant` becomes when it is cast exactly: the same integer; nullopt when the type does not
// have it. Index constants are written in 64 bits.
std::optional<llvm::APInt> CastExactly(const llvm::APInt& constant, mlir::Type to,
                                       bool is_unsigned) {
  unsigned bits = to.isIndex() ? 64 : to.getIntOrFloatBitWidth();
  llvm::APInt cast = is_unsigned ? constant.zextOrTrunc(bits) : constant.sextOrTrunc(bits);
  unsigned wide = std::max(bits, constant.getBitWidth());
  bool same =
      is_unsigned ? cast.zext(wide) == constant.zext(wide) : cast.sext(wide) == constant.sext(wide);
  // A zero-extended number that fills the 64 bits of an index constant would read as a negative
  // one.
  if (!same || (is_unsigned && to.isIndex() && cast.isNegative())) return std::nullopt;
  return cast;
}

template <typename CastOp>
constexpr bool IsUnsigned() {
  return std::is_same_v<CastOp, arith::IndexCastUIOp>;
}

template <typename CastOp>
struct CastOfExactCast : mlir::OpRewritePattern<CastOp> {
  using mlir::OpRewritePattern<CastOp>::OpRewritePattern;
  llvm::LogicalResult matchAndRewrite(CastOp op, mlir::PatternRewriter& rewriter) const override {
    auto inner = op.getIn().template getDefiningOp<CastOp>();
    if (!inner || !IsExact(inner) || inner.getIn().getType() != op.getType()) {
      return mlir::failure();
    }
    rewriter.replaceOp(op, inner.getIn());
    return mlir::success();
  }
};

template <typename CastOp>
struct ExactCastOfConstant : mlir::OpRewritePattern<CastOp> {
  using mlir::OpRewritePattern<CastOp>::OpRewritePattern;
  llvm::LogicalResult matchAndRewrite(CastOp op, mlir::PatternRewriter& rewriter) const override {
    llvm::APInt constant;
    if (!IsExact(op) || !op.getType().isIntOrIndex() ||
        !mlir::matchPattern(op.getIn(), mlir::m_ConstantInt(&constant))) {
      return mlir::failure();
    }
    auto cast = CastExactly(constant, op.getType(), IsUnsigned<CastOp>());
    if (!cast) return mlir::failure();
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op,
                                                   rewriter.getIntegerAttr(op.getType(), *cast));
    return mlir::success();
  }
};

template <typename CastOp>
struct ExactCastLowering : mlir::ConvertOpToLLVMPattern<CastOp> {
  using mlir::ConvertOpToLLVMPattern<CastOp>::ConvertOpToLLVMPattern;
  llvm::LogicalResult matchAndRewrite(CastOp op, typename CastOp::Adaptor adaptor,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    mlir::Type to = this->getTypeConverter()->convertType(op.getType());
    auto from = mlir::dyn_cast<mlir::IntegerType>(adaptor.getIn().getType());
    auto narrow = mlir::dyn_cast_or_null<mlir::IntegerType>(to);
    if (!IsExact(op) || !from || !narrow || narrow.getWidth() >= from.getWidth()) {
      return mlir::failure();  // only truncations have flags
    }
    auto flag =
        IsUnsigned<CastOp>() ? LLVM::IntegerOverflowFlags::nuw : LLVM::IntegerOverflowFlags::nsw;
    rewriter.replaceOpWithNewOp<LLVM::TruncOp>(op, to, adaptor.getIn(), flag);
    return mlir::success();
  }
};

class FoldExactCastsPass : public mlir::PassWrapper<FoldExactCastsPass, mlir::OperationPass<>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FoldExactCastsPass)
  llvm::StringRef getArgument() const override { return "affirm-fold-exact-casts"; }
  llvm::StringRef getDescription() const override {
    return "fold casts of casts and of constants where the inner cast is exact";
  }
  void runOnOperation() override { FoldExactCasts(getOperation()); }
};

}  // namespace

IndexDialect::IndexDialect(mlir::MLIRContext* context)
    : Dialect(getDialectNamespace(), context, mlir::TypeID::get<IndexDialect>()) {
  addInterfaces<IndexLayout>();
}

llvm::LogicalResult IndexDialect::verifyOperationAttribute(mlir::Operation* op,
                                                           mlir::NamedAttribute attribute) {
  if (attribute.getName() != kExactAttr) {
    return op->emitError("an unknown attribute: ") << attribute.getName();
  }
  bool ui = mlir::isa<arith::IndexCastUIOp>(op);
  if (!ui && !mlir::isa<arith::IndexCastOp, ir::OpaqueCastOp>(op)) {
    return op->emitError(kExactAttr) << " belongs on arith.index_cast and arith.index_castui";
  }
  if (!mlir::isa<mlir::UnitAttr>(attribute.getValue())) {
    return op->emitError(kExactAttr) << " is a unit attribute";
  }
  llvm::APInt constant;
  if (mlir::matchPattern(op->getOperand(0), mlir::m_ConstantInt(&constant)) &&
      !CastExactly(constant, op->getResult(0).getType(), ui)) {
    return op->emitError(kExactAttr) << " on the cast of a constant that does not fit";
  }
  return mlir::success();
}

bool IsExact(mlir::Operation* op) { return op->hasAttr(kExactAttr); }

void SetExact(mlir::Operation* op, bool exact) {
  if (exact) {
    op->setAttr(kExactAttr, mlir::UnitAttr::get(op->getContext()));
  } else {
    op->removeAttr(kExactAttr);
  }
}

void PopulateExactCastRewrites(mlir::RewritePatternSet& patterns) {
  patterns.add<CastOfExactCast<arith::IndexCastOp>, CastOfExactCast<arith::IndexCastUIOp>,
               ExactCastOfConstant<arith::IndexCastOp>, ExactCastOfConstant<arith::IndexCastUIOp>>(
      patterns.getContext());
}

bool FoldExactCasts(mlir::Operation* root) {
  struct Replacements : mlir::RewriterBase::Listener {
    bool any = false;
    void notifyOperationReplaced(mlir::Operation*, mlir::ValueRange) override { any = true; }
  } replacements;
  mlir::RewritePatternSet patterns(root->getContext());
  PopulateExactCastRewrites(patterns);
  // A plain walk: the greedy driver would also run upstream's folds, which do not ask for exact.
  mlir::walkAndApplyPatterns(root, std::move(patterns), &replacements);
  return replacements.any;
}

std::unique_ptr<mlir::Pass> CreateFoldExactCastsPass() {
  return std::make_unique<FoldExactCastsPass>();
}

void PopulateExactCastLowerings(const mlir::LLVMTypeConverter& types,
                                mlir::RewritePatternSet& patterns) {
  // Before upstream's lowerings, which truncate without flags.
  patterns.add<ExactCastLowering<arith::IndexCastOp>, ExactCastLowering<arith::IndexCastUIOp>>(
      types, /*benefit=*/10);
}

}  // namespace affirm::emit
