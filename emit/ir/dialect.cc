// The affirm dialect and its attribute.
#include "emit/ir/dialect.h"

#include "affirm_dialect.cc.inc"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#define GET_ATTRDEF_CLASSES
#include "affirm_attributes.cc.inc"

namespace affirm::ir {
namespace {

// Maps are long; they are printed once, in front of the module.
struct Aliases : mlir::OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(mlir::Attribute attribute, llvm::raw_ostream& os) const override {
    if (!mlir::isa<IndexingMapAttr>(attribute)) return AliasResult::NoAlias;
    os << "map";
    return AliasResult::FinalAlias;
  }
};

// Every op of the dialect may move into another function.
struct Inlining : mlir::DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(mlir::Operation*, mlir::Region*, bool, mlir::IRMapping&) const override {
    return true;
  }
  bool isLegalToInline(mlir::Region*, mlir::Region*, bool, mlir::IRMapping&) const override {
    return true;
  }
};

}  // namespace

void AffirmDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "affirm_attributes.cc.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "affirm_ops.cc.inc"
      >();
  addInterfaces<Aliases, Inlining>();
}

Context& AffirmDialect::symbols() {
  if (!symbols_) {
    own_ = std::make_unique<Context>();
    symbols_ = own_.get();
  }
  return *symbols_;
}

mlir::Operation* AffirmDialect::materializeConstant(mlir::OpBuilder& builder, mlir::Attribute value,
                                                    mlir::Type type, mlir::Location location) {
  return mlir::arith::ConstantOp::materialize(builder, value, type, location);
}

mlir::Attribute IndexingMapAttr::parse(mlir::AsmParser& parser, mlir::Type) {
  std::string text;
  llvm::SMLoc at = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseString(&text) || parser.parseGreater()) return {};
  auto* dialect = parser.getContext()->getLoadedDialect<AffirmDialect>();
  llvm::Expected<IndexingMap> map = ParseIndexingMap(text, dialect->symbols());
  if (!map) {
    parser.emitError(at) << llvm::toString(map.takeError());
    return {};
  }
  return get(parser.getContext(), *map);
}

void IndexingMapAttr::print(mlir::AsmPrinter& printer) const {
  printer << "<\"" << getMap().ToString() << "\">";
}

IndexingMapAttr MapAttr(mlir::MLIRContext* context, const IndexingMap& map) {
  IndexingMap anonymous = map;
  if (llvm::any_of(map.runtime(), [](const Variable& v) { return v.source.has_value(); })) {
    std::vector<Variable> runtime = map.runtime();
    for (Variable& variable : runtime) variable.source.reset();
    anonymous = IndexingMap(*map.context(), map.map(), map.dims(), map.ranges(), std::move(runtime),
                            map.constraints());
  }
  return IndexingMapAttr::get(context, anonymous);
}

mlir::LogicalResult VerifyMap(mlir::Operation* op, const IndexingMap& map, size_t dims,
                              size_t ranges, size_t runtime) {
  if (map.state() != IndexingMap::State::kNormal) {
    return op->emitOpError("has a map without a domain");
  }
  if (map.dims().size() != dims || map.ranges().size() != ranges ||
      map.runtime().size() != runtime) {
    return op->emitOpError("has ") << dims << " dims, " << ranges << " range and " << runtime
                                   << " runtime variables, its map " << map.dims().size() << ", "
                                   << map.ranges().size() << " and " << map.runtime().size();
  }
  return mlir::success();
}

}  // namespace affirm::ir
