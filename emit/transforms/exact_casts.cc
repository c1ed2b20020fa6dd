// The dialect of `exact`, and the rewrites and lowerings that ask for it.
#include "emit/transforms/exact_casts.h"

#include "emit/ir/dialect.h"
#include "emit/transforms/index_layout.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
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

// The value of `constant` after an exact cast: the same integer; nullopt if the type does not have
// it. Index constants are written in 64 bits.
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

// The same of a number or of each element of a vector; null when one has no such integer.
mlir::TypedAttr CastConstant(mlir::TypedAttr constant, mlir::Type to, bool is_unsigned) {
  if (auto number = mlir::dyn_cast<mlir::IntegerAttr>(constant)) {
    auto cast = CastExactly(number.getValue(), to, is_unsigned);
    return cast ? mlir::TypedAttr(mlir::IntegerAttr::get(to, *cast)) : mlir::TypedAttr();
  }
  auto elements = mlir::dyn_cast<mlir::DenseIntElementsAttr>(constant);
  auto type = mlir::dyn_cast<mlir::ShapedType>(to);
  if (!elements || !type) return {};
  llvm::SmallVector<llvm::APInt> casts;
  for (const llvm::APInt& element : elements.getValues<llvm::APInt>()) {
    auto cast = CastExactly(element, type.getElementType(), is_unsigned);
    if (!cast) return {};
    casts.push_back(*cast);
    if (elements.isSplat()) break;
  }
  return mlir::DenseIntElementsAttr::get(type, casts);
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
    mlir::TypedAttr constant;
    if (!IsExact(op) || !mlir::matchPattern(op.getIn(), mlir::m_Constant(&constant))) {
      return mlir::failure();
    }
    mlir::TypedAttr cast = CastConstant(constant, op.getType(), IsUnsigned<CastOp>());
    if (!cast) return mlir::failure();
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, cast);
    return mlir::success();
  }
};

template <typename CastOp>
struct ExactCastLowering : mlir::ConvertOpToLLVMPattern<CastOp> {
  using mlir::ConvertOpToLLVMPattern<CastOp>::ConvertOpToLLVMPattern;
  llvm::LogicalResult matchAndRewrite(CastOp op, typename CastOp::Adaptor adaptor,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    mlir::Type to = this->getTypeConverter()->convertType(op.getType());
    if (!IsExact(op) || !to) return mlir::failure();
    bool scalar = mlir::isa<mlir::IntegerType>(to);
    if (!scalar && !LLVM::isCompatibleVectorType(to)) return mlir::failure();
    auto bits = [](mlir::Type type) {
      return mlir::getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    };
    // Only truncations have flags.
    if (bits(to) >= bits(adaptor.getIn().getType())) return mlir::failure();
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

class ReadExactPass : public mlir::PassWrapper<ReadExactPass, mlir::OperationPass<>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReadExactPass)
  llvm::StringRef getArgument() const override { return "affirm-read-exact"; }
  llvm::StringRef getDescription() const override {
    return "read exact on casts of index, which a user wrote, as an assumption";
  }
  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<IndexDialect>();
  }
  void runOnOperation() override {
    if (mlir::failed(ReadExactAttributes(getOperation()))) signalPassFailure();
  }
};

}  // namespace

IndexDialect::IndexDialect(mlir::MLIRContext* context)
    : Dialect(getDialectNamespace(), context, mlir::TypeID::get<IndexDialect>()) {
  addInterfaces<IndexLayout>();
}

llvm::LogicalResult IndexDialect::verifyOperationAttribute(mlir::Operation* op,
                                                           mlir::NamedAttribute attribute) {
  mlir::StringAttr name = attribute.getName();
  if (name != kExactAttr && name != kAssumedAttr) {
    return op->emitError("an unknown attribute: ") << name;
  }
  if (!mlir::isa<arith::IndexCastOp, arith::IndexCastUIOp, ir::OpaqueCastOp>(op)) {
    return op->emitError(name.strref()) << " belongs on arith.index_cast and arith.index_castui";
  }
  if (!mlir::isa<mlir::UnitAttr>(attribute.getValue())) {
    return op->emitError(name.strref()) << " is a unit attribute";
  }
  if (name == kAssumedAttr && !IsExact(op)) {
    return op->emitError(kAssumedAttr) << " says nothing without " << kExactAttr;
  }
  return mlir::success();
}

bool IsExact(mlir::Operation* op) { return op->hasAttr(kExactAttr); }

bool IsProvedExact(mlir::Operation* op) { return IsExact(op) && !op->hasAttr(kAssumedAttr); }

void SetExact(mlir::Operation* op, bool proved) {
  auto unit = mlir::UnitAttr::get(op->getContext());
  op->setAttr(kExactAttr, unit);
  if (proved) {
    op->removeAttr(kAssumedAttr);
  } else {
    op->setAttr(kAssumedAttr, unit);
  }
}

llvm::LogicalResult ReadExactAttributes(mlir::Operation* root) {
  bool ok = true;
  root->walk([&](mlir::Operation* op) {
    if (!mlir::isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) return;
    for (mlir::NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs())) {
      if (attribute.getName().strref().contains('.')) continue;  // a dialect's
      if (attribute.getName() == "exact" && mlir::isa<mlir::UnitAttr>(attribute.getValue())) {
        op->removeDiscardableAttr(attribute.getName());
        SetExact(op, /*proved=*/false);
        continue;
      }
      op->emitError("an unknown attribute: ")
          << attribute.getName() << ", expected exact or one of a dialect";
      ok = false;
    }
  });
  return mlir::success(ok);
}

std::unique_ptr<mlir::Pass> CreateReadExactPass() { return std::make_unique<ReadExactPass>(); }

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
